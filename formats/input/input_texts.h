// The texts of the files that an experiment is made of. Each file is read once: an experiment that
// is loaded again from the same InputTexts is the same, whatever happened to its files since. A
// sweep loads each point twice: all of them before the first one runs, and each in its process.
// Large files are read again piece by piece, and refused if they have changed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "formats/input/byte_stream.h"

namespace orrery {

class InputTexts {
 public:
  // The contents of a file. Throws IoError if it cannot be read, or could not be the first time.
  const std::string& read(const std::string& path);

  // The same piece by piece, without keeping it; not longer than this object is there. next()
  // throws ConfigError at the end of a file that is another one than the first time.
  std::unique_ptr<ByteStream> open(const std::string& path);

  // Of the contents (core/base/hash.h). Reads the file, unless that was done to its end, by this
  // path or another one that leads to it.
  std::uint64_t hash(const std::string& path);

  // What read() then returns for this path, without a file.
  void put(const std::string& path, std::string text);

  // Whether there is such a file, and it may be read.
  bool can_read(const std::string& path);

 private:
  struct Entry {
    std::string text, error;  // the error is "" if the file could be read
  };
  const Entry& entry(const std::string& path);
  void note(const std::string& path, std::uint64_t hash);

  std::map<std::string, Entry> entries_;
  std::map<std::string, std::uint64_t> hashes_;      // of files that were read piece by piece
  std::map<std::string, std::uint64_t> hash_of_id_;  // of those with several paths
};

}  // namespace orrery
