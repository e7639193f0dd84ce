#include "formats/input/unpacked_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <streambuf>
#include <utility>

#include "core/base/config_error.h"
#include "core/base/io_error.h"

namespace orrery {

namespace {

class FileBuffer : public std::streambuf {
 public:
  explicit FileBuffer(std::string path) : path_(std::move(path)) {
    if (std::filesystem::is_directory(path_))
      throw IoError(fmt::format("cannot read {}: it is a folder", path_));
    file_ = gzopen(path_.c_str(), "rb");
    if (file_ == nullptr)
      throw IoError(fmt::format("cannot read {}: {}", path_, std::strerror(errno)));
    gzbuffer(file_, kBlock);
  }
  FileBuffer(const FileBuffer&) = delete;
  FileBuffer& operator=(const FileBuffer&) = delete;
  ~FileBuffer() override { gzclose(file_); }

 private:
  static constexpr unsigned kBlock = 1 << 17;

  int_type underflow() override {
    if (gptr() < egptr()) return traits_type::to_int_type(*gptr());
    const int count = gzread(file_, block_.data(), kBlock);
    int status = Z_OK;
    gzerror(file_, &status);
    if (count < 0 || status == Z_BUF_ERROR)
      throw ConfigError({.file = path_,
                         .what = status == Z_BUF_ERROR ? "the packed file ends too early"
                                                       : "the packed file is damaged",
                         .remedy = "pack it again with gzip"});
    setg(block_.data(), block_.data(), block_.data() + count);
    return count == 0 ? traits_type::eof() : traits_type::to_int_type(block_[0]);
  }

  std::string path_;
  gzFile file_ = nullptr;
  std::array<char, kBlock> block_;
};

class FileStream final : private FileBuffer, public std::istream {
 public:
  explicit FileStream(const std::string& path) : FileBuffer(path), std::istream(this) {
    exceptions(std::ios::badbit);  // what the buffer throws comes through
  }
};

}  // namespace

std::unique_ptr<std::istream> unpacked_file(const std::string& path) {
  return std::make_unique<FileStream>(path);
}

}  // namespace orrery
