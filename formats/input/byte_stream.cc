#include "formats/input/byte_stream.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <streambuf>
#include <utility>

#include "core/base/check.h"
#include "core/base/config_error.h"
#include "core/base/hash.h"
#include "core/base/io_error.h"

namespace orrery {

namespace {

constexpr std::size_t kBlock = 1 << 16;

class TextStream final : public ByteStream {
 public:
  explicit TextStream(std::string_view bytes) : bytes_(bytes) {}
  std::string_view next() override { return std::exchange(bytes_, {}); }

 private:
  std::string_view bytes_;
};

class FileStream final : public ByteStream {
 public:
  explicit FileStream(const std::string& path) : path_(path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) fail("it is a folder");
    errno = 0;
    stream_.rdbuf()->pubsetbuf(nullptr, 0);  // pieces are blocks already
    stream_.open(path, std::ios::binary);
    if (!stream_) fail(errno != 0 ? std::strerror(errno) : "unknown reason");
  }

  std::string_view next() override {
    if (!stream_) return {};
    stream_.read(block_.data(), static_cast<std::streamsize>(block_.size()));
    if (stream_.bad()) fail("unknown reason");
    return {block_.data(), static_cast<std::size_t>(stream_.gcount())};
  }

 private:
  [[noreturn]] void fail(const char* why) const {
    throw IoError(fmt::format("cannot read {}: {}", path_, why));
  }

  std::string path_;
  std::ifstream stream_;
  std::array<char, kBlock> block_;
};

class HashedStream final : public ByteStream {
 public:
  HashedStream(std::unique_ptr<ByteStream> bytes, std::function<void(std::uint64_t)> use)
      : bytes_(std::move(bytes)), use_(std::move(use)) {}

  std::string_view next() override {
    const std::string_view piece = bytes_->next();
    hash_ = hash_of(piece, hash_);
    if (piece.empty() && use_) std::exchange(use_, nullptr)(hash_);
    return piece;
  }

 private:
  std::unique_ptr<ByteStream> bytes_;
  std::function<void(std::uint64_t)> use_;
  std::uint64_t hash_ = hash_of_nothing;
};

// Whether these are packed is known from the first two bytes.
class UnpackedStream final : public ByteStream {
 public:
  UnpackedStream(std::string file, std::unique_ptr<ByteStream> bytes)
      : file_(std::move(file)), bytes_(std::move(bytes)) {
    constexpr int kGzip = 16 + MAX_WBITS;  // zlib.h: gzip, with its largest window
    const int status = inflateInit2(&zlib_, kGzip);
    CHECK(status == Z_OK, "zlib cannot begin: {}", status);
  }
  UnpackedStream(const UnpackedStream&) = delete;
  UnpackedStream& operator=(const UnpackedStream&) = delete;
  ~UnpackedStream() override { inflateEnd(&zlib_); }

  std::string_view next() override {
    if (!begun_) begin();
    if (is_packed_) return {block_.data(), fill()};
    if (!first_.empty()) return std::exchange(first_, {});
    return bytes_->next();
  }

 private:
  void begin() {
    begun_ = true;
    first_ = bytes_->next();
    is_packed_ = first_.starts_with("\x1f\x8b");
    if (is_packed_) packed_ = std::exchange(first_, {});
  }

  // The next bytes; none at the end. A file may be several packed ones, one after the other.
  std::size_t fill() {
    zlib_.next_out = reinterpret_cast<Bytef*>(block_.data());
    zlib_.avail_out = static_cast<uInt>(block_.size());
    while (zlib_.avail_out > 0) {
      if (packed_.empty()) packed_ = bytes_->next();
      const bool is_over = packed_.empty();
      if (is_over && at_end_) break;
      if (is_over && zlib_.avail_out < block_.size()) break;  // the next call says what is wrong
      if (is_over) refuse("the packed file ends too early");
      if (std::exchange(at_end_, false)) inflateReset(&zlib_);
      step();
    }
    return block_.size() - zlib_.avail_out;
  }

  void step() {
    const std::size_t piece =
        std::min<std::size_t>(packed_.size(), std::numeric_limits<uInt>::max());
    zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed_.data()));
    zlib_.avail_in = static_cast<uInt>(piece);
    const int status = inflate(&zlib_, Z_NO_FLUSH);
    packed_.remove_prefix(piece - zlib_.avail_in);
    at_end_ = status == Z_STREAM_END;
    if (!at_end_ && status != Z_OK && status != Z_BUF_ERROR) refuse("the packed file is damaged");
  }

  [[noreturn]] void refuse(const char* what) const {
    throw ConfigError({.file = file_, .what = what, .remedy = "pack it again with gzip"});
  }

  std::string file_;
  std::unique_ptr<ByteStream> bytes_;
  std::string_view first_;   // until it is handed on
  std::string_view packed_;  // what is left of a piece
  z_stream zlib_ = {};
  bool begun_ = false, is_packed_ = false;
  bool at_end_ = false;  // of a packed file
  std::array<char, kBlock> block_;
};

class ByteBuffer : public std::streambuf {
 public:
  explicit ByteBuffer(std::unique_ptr<ByteStream> bytes) : bytes_(std::move(bytes)) {}

 private:
  int_type underflow() override {
    if (gptr() < egptr()) return traits_type::to_int_type(*gptr());
    const std::string_view piece = bytes_->next();
    char* begin = const_cast<char*>(piece.data());  // a buffer that is only read from
    setg(begin, begin, begin + piece.size());
    return piece.empty() ? traits_type::eof() : traits_type::to_int_type(*begin);
  }

  std::unique_ptr<ByteStream> bytes_;
};

class ByteIstream final : private ByteBuffer, public std::istream {
 public:
  explicit ByteIstream(std::unique_ptr<ByteStream> bytes)
      : ByteBuffer(std::move(bytes)), std::istream(this) {
    exceptions(std::ios::badbit);  // what the buffer throws comes through
  }
};

}  // namespace

std::unique_ptr<ByteStream> bytes_of(std::string_view bytes) {
  return std::make_unique<TextStream>(bytes);
}

std::unique_ptr<ByteStream> bytes_of_file(const std::string& path) {
  return std::make_unique<FileStream>(path);
}

std::unique_ptr<ByteStream> unpacked(std::string file, std::unique_ptr<ByteStream> bytes) {
  return std::make_unique<UnpackedStream>(std::move(file), std::move(bytes));
}

std::unique_ptr<ByteStream> hashed(std::unique_ptr<ByteStream> bytes,
                                   std::function<void(std::uint64_t)> use) {
  return std::make_unique<HashedStream>(std::move(bytes), std::move(use));
}

std::unique_ptr<std::istream> istream_of(std::unique_ptr<ByteStream> bytes) {
  return std::make_unique<ByteIstream>(std::move(bytes));
}

}  // namespace orrery
