// A file that takes its name when it is complete: until then it is beside it, as NAME.unfinished.
// One that is not finished is removed.
#pragma once

#include <filesystem>
#include <fstream>

namespace orrery {

class UnfinishedFile {
 public:
  // Throws IoError if the file exists and `force` is not given, or cannot be written.
  UnfinishedFile(const std::filesystem::path& path, bool force);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  std::ostream& stream() { return stream_; }
  std::ostream& begin_anew();  // what was written is gone; throws IoError
  void finish();               // throws IoError

 private:
  void open();

  std::filesystem::path path_, unfinished_;
  std::ofstream stream_;
  bool finished_ = false;
};

}  // namespace orrery
