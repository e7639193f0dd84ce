// What a sweep leaves on disk, and how it knows what is done.
//
//   DIR/points/NAME/result.json   the point's result, which says what it is the result of, and its
//                                 tables (docs/results.md); of flows traffic.json
//   DIR/points/NAME/log.txt       what the simulation printed on standard error
//   DIR/points/NAME/failed.json   how it ended, if there is no result: report/sweep_manifest.h
//   DIR/shard-I-of-N.jsonl        a line for each point of a shard that has no folder: --keep
//   DIR/sweep.json                which points there are: report/sweep_manifest.h
//   DIR/sweep.csv                 a line for each point
//   DIR/runs.csv, kinds.csv       the same and more, of `collect`
//   DIR/.lock                     locked while a sweep or one of its processes lives
#pragma once

#include <filesystem>

#include "report/sweep_manifest.h"

namespace orrery {

// Nobody else's sweep works in the folder while this lives, in this process or in one that it
// forked; with Share::shards others of the same points may: two that run the same point write the
// same files.
class SweepLock {
 public:
  enum class Share { alone, shards };
  // Waits a few seconds for processes that are being killed. Throws IoError if another sweep works
  // there.
  explicit SweepLock(const std::filesystem::path& folder, Share share = Share::alone);
  ~SweepLock();
  SweepLock(const SweepLock&) = delete;
  SweepLock& operator=(const SweepLock&) = delete;

  void share();  // from now on as Share::shards

 private:
  int file_ = -1;
};

// Whether a sweep or a shard works in the folder, as far as the file system tells.
bool is_locked(const std::filesystem::path& folder);

// Fills the row from a complete result, without an error, of the same inputs by the same program;
// false if there is none.
bool read_result(SweepRow& row);

// runs.csv and kinds.csv of what is done.
void write_collected(const std::filesystem::path& folder, const SweepManifest& sweep);

// What processes that were killed left half written; not what one that lives is writing.
void remove_unfinished(const std::filesystem::path& folder);

// Makes the row's folder, without such files.
void prepare_point(const SweepRow& row);

}  // namespace orrery
