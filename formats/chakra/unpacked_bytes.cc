#include "formats/chakra/unpacked_bytes.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <streambuf>
#include <utility>

#include "core/base/check.h"
#include "core/base/config_error.h"

namespace orrery::chakra {

namespace {

// Bytes as they are.
class PlainBuffer : public std::streambuf {
 public:
  explicit PlainBuffer(std::string_view bytes) {
    char* begin = const_cast<char*>(bytes.data());  // a streambuf that is only read from
    setg(begin, begin, begin + bytes.size());
  }
};

class GzipBuffer : public std::streambuf {
 public:
  GzipBuffer(std::string file, std::string_view bytes) : file_(std::move(file)), packed_(bytes) {
    constexpr int kGzip = 16 + MAX_WBITS;  // zlib.h: gzip, with its largest window
    const int status = inflateInit2(&zlib_, kGzip);
    CHECK(status == Z_OK, "zlib cannot begin: {}", status);
  }
  GzipBuffer(const GzipBuffer&) = delete;
  GzipBuffer& operator=(const GzipBuffer&) = delete;
  ~GzipBuffer() override { inflateEnd(&zlib_); }

 private:
  int_type underflow() override {
    if (gptr() < egptr()) return traits_type::to_int_type(*gptr());
    const std::size_t count = fill();
    setg(block_.data(), block_.data(), block_.data() + count);
    return count == 0 ? traits_type::eof() : traits_type::to_int_type(block_[0]);
  }

  // The next bytes; none at the end. A file may be several packed ones, one after the other.
  std::size_t fill() {
    zlib_.next_out = reinterpret_cast<Bytef*>(block_.data());
    zlib_.avail_out = static_cast<uInt>(block_.size());
    while (zlib_.avail_out == block_.size()) {
      if (at_end_ && packed_.empty()) break;
      if (at_end_) {
        inflateReset(&zlib_);
        at_end_ = false;
      }
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
    if (at_end_) return;
    const bool cut_short = packed_.empty() && zlib_.avail_out == block_.size();
    if (status != Z_OK || cut_short)
      throw ConfigError(
          {.file = file_,
           .what = cut_short ? "the packed file ends too early" : "the packed file is damaged",
           .remedy = "pack it again with gzip"});
  }

  std::string file_;
  std::string_view packed_;  // what is left
  z_stream zlib_ = {};
  bool at_end_ = false;  // of a packed file
  std::array<char, 65'536> block_;
};

// A stream with a buffer of its own.
template <class Buffer>
class BufferStream final : private Buffer, public std::istream {
 public:
  template <class... Arguments>
  explicit BufferStream(Arguments&&... arguments)
      : Buffer(std::forward<Arguments>(arguments)...), std::istream(this) {
    exceptions(std::ios::badbit);  // what the buffer throws comes through
  }
};

}  // namespace

bool is_packed(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

std::unique_ptr<std::istream> unpacked(const std::string& file, std::string_view bytes) {
  if (is_packed(bytes)) return std::make_unique<BufferStream<GzipBuffer>>(file, bytes);
  return std::make_unique<BufferStream<PlainBuffer>>(bytes);
}

}  // namespace orrery::chakra
