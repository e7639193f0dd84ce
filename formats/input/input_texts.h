// The texts of the files that an experiment is made of. Each file is read once: an experiment that
// is loaded again from the same InputTexts is the same, whatever happened to its files since. A
// sweep loads each point twice: all of them before the first one runs, and each in its process.
#pragma once

#include <map>
#include <string>

namespace orrery {

class InputTexts {
 public:
  // The contents of a file. Throws IoError if it cannot be read, or could not be the first time.
  const std::string& read(const std::string& path);

  // What read() then returns for this path, without a file.
  void put(const std::string& path, std::string text);

  // Whether read() returns.
  bool can_read(const std::string& path);

 private:
  struct Entry {
    std::string text, error;  // the error is "" if the file could be read
  };
  const Entry& entry(const std::string& path);

  std::map<std::string, Entry> entries_;
};

}  // namespace orrery
