// The lines that shards keep of their points: DIR/shard-I-of-N.jsonl.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "report/sweep_row.h"

namespace orrery {

// Those of all shards in a folder. A line that was cut short counts as none.
class SweepRecords {
 public:
  explicit SweepRecords(const std::filesystem::path& folder);

  // Fills the row if there is a line of its inputs by the same program.
  bool read(SweepRow& row) const;

 private:
  std::map<std::string, std::string> lines_;  // by point: the last one of its file
};

// Adds a line for the row at the end of its shard's file, in one piece. Throws IoError.
void append_record(const std::filesystem::path& folder, std::size_t shard, std::size_t shards,
                   const SweepRow& row);

}  // namespace orrery
