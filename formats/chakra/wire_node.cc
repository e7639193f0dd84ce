#include "formats/chakra/wire_node.h"

#include <bit>
#include <cstring>
#include <string>

namespace orrery::chakra {

namespace {

// Wire types of protobuf: developers.google.com/protocol-buffers/docs/encoding.
enum WireType : std::uint32_t { varint = 0, eight_bytes = 1, length = 2, four_bytes = 5 };
constexpr std::uint32_t tag_of(std::uint32_t field, WireType type) { return field << 3U | type; }

class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : left_(bytes) {}

  bool at_end() const { return left_.empty() || damaged_; }
  bool damaged() const { return damaged_; }

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
    damaged_ = true;
    return 0;
  }
  std::string_view text() {
    const std::uint64_t size = number();
    return taken(size);
  }
  template <class Fixed>
  Fixed fixed() {
    Fixed value{};
    const std::string_view bytes = taken(sizeof value);
    if (!damaged_) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::uint32_t tag() {
    const std::uint64_t tag = number();
    if (tag < 8 || tag > 0xFFFF'FFFF) damaged_ = true;  // there is no field 0
    return static_cast<std::uint32_t>(tag);
  }
  void skip(std::uint32_t tag) {
    switch (tag & 7U) {
      case varint:
        number();
        return;
      case eight_bytes:
        taken(8);
        return;
      case length:
        text();
        return;
      case four_bytes:
        taken(4);
        return;
      default:  // groups, which no writer of traces makes
        damaged_ = true;
    }
  }

 private:
  std::string_view taken(std::uint64_t size) {
    if (damaged_ || size > left_.size()) {
      damaged_ = true;
      return {};
    }
    const std::string_view result = left_.substr(0, size);
    left_.remove_prefix(size);
    return result;
  }

  std::string_view left_;
  bool damaged_ = false;
};
static_assert(std::endian::native == std::endian::little, "fixed() reads as protobuf writes");

// 0, -1, 1, -2, ...
std::int64_t from_zigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1U) ^ -static_cast<std::int64_t>(value & 1U);
}

bool read_attribute(std::string_view bytes, Attribute& attribute) {
  Cursor cursor(bytes);
  while (!cursor.at_end()) {
    auto& value = attribute.value;
    const std::uint32_t tag = cursor.tag();
    const auto take = [&](std::int64_t number) { value = number; };
    switch (tag) {
      case tag_of(1, length):
        attribute.name = cursor.text();
        break;
      case tag_of(3, eight_bytes):
        value = cursor.fixed<double>();
        break;
      case tag_of(5, four_bytes):
        value = static_cast<double>(cursor.fixed<float>());
        break;
      case tag_of(7, varint):
        take(static_cast<std::int32_t>(cursor.number()));
        break;
      case tag_of(9, varint):
      case tag_of(13, varint):
        take(static_cast<std::int64_t>(cursor.number()));
        break;
      case tag_of(11, varint):
        take(static_cast<std::uint32_t>(cursor.number()));
        break;
      case tag_of(15, varint):
        take(from_zigzag(static_cast<std::uint32_t>(cursor.number())));
        break;
      case tag_of(17, varint):
        take(from_zigzag(cursor.number()));
        break;
      case tag_of(19, four_bytes):
        take(cursor.fixed<std::uint32_t>());
        break;
      case tag_of(21, eight_bytes):
      case tag_of(25, eight_bytes):
        take(cursor.fixed<std::int64_t>());
        break;
      case tag_of(23, four_bytes):
        take(cursor.fixed<std::int32_t>());
        break;
      case tag_of(27, varint):
        take(cursor.number() != 0 ? 1 : 0);
        break;
      case tag_of(29, length):
        value = std::string(cursor.text());
        break;
      case tag_of(31, length):
        cursor.text();
        value = std::string();
        break;
      default:  // a list among them
        cursor.skip(tag);
    }
  }
  return !cursor.damaged();
}

bool read_packed(std::string_view bytes, std::vector<std::uint64_t>& numbers) {
  Cursor cursor(bytes);
  numbers.reserve(numbers.size() + bytes.size());  // one byte each at least
  while (!cursor.at_end()) numbers.push_back(cursor.number());
  return !cursor.damaged();
}

bool read_inputs(std::string_view bytes, std::string& values) {
  Cursor cursor(bytes);
  while (!cursor.at_end()) {
    const std::uint32_t tag = cursor.tag();
    if (tag == tag_of(1, length))
      values = cursor.text();
    else
      cursor.skip(tag);
  }
  return !cursor.damaged();
}

}  // namespace

HeadKind read_wire_head(std::string_view bytes, TraceHead& result) {
  Cursor cursor(bytes);
  while (!cursor.at_end()) {
    const std::uint32_t tag = cursor.tag();
    if (cursor.damaged()) break;
    if (tag == tag_of(1, length)) {
      result.version = cursor.text();
    } else if (tag == tag_of(2, length)) {
      Attribute& attribute = result.attributes.emplace_back(Attribute{{}, std::string()});
      if (result.attributes.size() > most_attributes || !read_attribute(cursor.text(), attribute))
        return HeadKind::other;
    } else {
      return tag == tag_of(1, varint) ? HeadKind::old : HeadKind::other;
    }
  }
  return cursor.damaged() ? HeadKind::other : HeadKind::head;
}

bool read_wire_node(std::string_view bytes, WireNode& result) {
  Node& node = result.node;
  node.id = 0;
  node.name.clear();
  node.type = NodeType::invalid;
  node.control_dependencies.clear();
  node.data_dependencies.clear();
  node.attributes.clear();
  node.inputs.clear();
  result.duration_us = 0;
  Cursor cursor(bytes);
  bool fine = true;
  while (!cursor.at_end() && fine) {
    const std::uint32_t tag = cursor.tag();
    switch (tag) {
      case tag_of(1, varint):
        node.id = cursor.number();
        break;
      case tag_of(2, length):
        node.name = cursor.text();
        break;
      case tag_of(3, varint): {
        const auto type = static_cast<std::int32_t>(cursor.number());
        const bool is_known = type > 0 && type <= static_cast<std::int32_t>(NodeType::collective);
        node.type = is_known ? static_cast<NodeType>(type) : NodeType::invalid;
        break;
      }
      case tag_of(4, varint):
        node.control_dependencies.push_back(cursor.number());
        break;
      case tag_of(4, length):
        fine = read_packed(cursor.text(), node.control_dependencies);
        break;
      case tag_of(5, varint):
        node.data_dependencies.push_back(cursor.number());
        break;
      case tag_of(5, length):
        fine = read_packed(cursor.text(), node.data_dependencies);
        break;
      case tag_of(7, varint):
        result.duration_us = cursor.number();
        break;
      case tag_of(8, length):
        fine = read_inputs(cursor.text(), node.inputs);
        break;
      case tag_of(10, length):
        fine = node.attributes.size() < most_attributes &&
               read_attribute(cursor.text(),
                              node.attributes.emplace_back(Attribute{{}, std::string()}));
        break;
      default:
        cursor.skip(tag);
    }
  }
  return fine && !cursor.damaged();
}

}  // namespace orrery::chakra
