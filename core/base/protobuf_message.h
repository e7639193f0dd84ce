// The bytes of a Protobuf message, field by field: enough of the wire format to write traces
// (https://protobuf.dev/programming-guides/encoding). A field is its key, number * 8 + wire type,
// and its value; an inner message is a field of bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace orrery {

class ProtobufMessage {
 public:
  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

  // Of uint32, uint64, int32, int64, bool and enumerations; negative ones take ten bytes.
  void add_integer(std::uint32_t field, std::int64_t value) {
    add_key(field, 0);
    add_varint(static_cast<std::uint64_t>(value));
  }
  void add_fixed64(std::uint32_t field, std::uint64_t value) {
    add_key(field, 1);
    for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> (8 * byte) & 0xff);
  }
  void add_double(std::uint32_t field, double value) {
    add_fixed64(field, std::bit_cast<std::uint64_t>(value));
  }
  // Of strings, bytes and inner messages.
  void add_bytes(std::uint32_t field, std::string_view value) {
    add_key(field, 2);
    add_varint(value.size());
    bytes_ += value;
  }
  void add_message(std::uint32_t field, const ProtobufMessage& inner) {
    add_bytes(field, inner.bytes());
  }
  // Packed; nothing if there are none.
  void add_integers(std::uint32_t field, std::span<const std::uint64_t> values) {
    ProtobufMessage list;
    for (const std::uint64_t value : values) list.add_varint(value);
    if (!values.empty()) add_message(field, list);
  }
  // A message of a file of many: behind its length.
  void append_delimited_to(std::string& file) const {
    ProtobufMessage length;
    length.add_varint(bytes_.size());
    file += length.bytes() + bytes_;
  }

 private:
  void add_key(std::uint32_t field, std::uint32_t wire_type) {
    add_varint(std::uint64_t{field} << 3 | wire_type);
  }
  // Seven bits a byte, the lowest first; the eighth says that more follow.
  void add_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace orrery
