// Bytes piece by piece, of a file or of what is in memory already: a file need not fit into memory.
// What gzip packed is unpacked on the way: its contents tell, not its name.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <string_view>

namespace orrery {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Valid until the next call. Nothing at the end.
  virtual std::string_view next() = 0;
};

// `bytes` outlives the result.
std::unique_ptr<ByteStream> bytes_of(std::string_view bytes);

// Throws IoError if it cannot be opened; next() if it cannot be read.
std::unique_ptr<ByteStream> bytes_of_file(const std::string& path);

// `bytes` as they are, or what gzip made of them. next() throws ConfigError where they are damaged
// or end too early; `file` is what messages call it.
std::unique_ptr<ByteStream> unpacked(std::string file, std::unique_ptr<ByteStream> bytes);

// The same bytes; at their end `use` gets their hash (core/base/hash.h).
std::unique_ptr<ByteStream> hashed(std::unique_ptr<ByteStream> bytes,
                                   std::function<void(std::uint64_t)> use);

// What next() throws comes through.
std::unique_ptr<std::istream> istream_of(std::unique_ptr<ByteStream> bytes);

}  // namespace orrery
