// Nodes of traces from their bytes, written out by hand after protobuf's encoding.
#include "formats/chakra/wire_node.h"

#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <string>
#include <variant>

namespace orrery::chakra {
namespace {

std::optional<WireNode> wire_node(const std::string& bytes) {
  WireNode node;
  return read_wire_node(bytes, node) ? std::optional(node) : std::nullopt;
}

// Length-delimited, of at most 127 bytes.
std::string within(char tag, const std::string& bytes) {
  return std::string{tag, static_cast<char>(bytes.size())} + bytes;
}

// The value of an attribute "a" whose value has these bytes, its tag included; tags of fields from
// 16 on have two bytes.
std::variant<std::int64_t, double, std::string> value_of(const std::string& bytes) {
  const auto read = wire_node(within('\x52', within('\x0a', "a") + bytes));  // field 10, field 1
  REQUIRE(read);
  REQUIRE(read->node.attributes.size() == 1);
  CHECK(read->node.attributes[0].name == "a");
  return read->node.attributes[0].value;
}

// 150 is 96 01 as a varint; -1 is ten bytes ff .. 01.
const std::string minus_one = std::string(9, '\xff') + '\x01';

TEST_CASE("the fields of a node are where protobuf writes them") {
  const std::string bytes = std::string("\x08\x96\x01", 3) +      // id 150
                            within('\x12', "name") +              // name
                            std::string("\x18\x04", 2) +          // type compute
                            std::string("\x20\x07\x20\x08", 4) +  // control dependencies 7, 8
                            within('\x2a', "\x01\x96\x01") +  // data dependencies 1, 150, packed
                            std::string("\x30\x09\x38\x0a", 4) +      // begins at 9 us, takes 10 us
                            within('\x42', within('\x0a', "[1]"))     // inputs.values
                            + within('\x4a', within('\x0a', "[2]"));  // outputs.values
  const auto read = wire_node(bytes);
  REQUIRE(read);
  CHECK(read->node.id == 150);
  CHECK(read->node.name == "name");
  CHECK(read->node.type == NodeType::compute);
  CHECK(read->node.control_dependencies == std::vector<std::uint64_t>{7, 8});
  CHECK(read->node.data_dependencies == std::vector<std::uint64_t>{1, 150});
  CHECK(read->duration_us == 10);
  CHECK(read->node.inputs == "[1]");
  CHECK(read->node.attributes.empty());
  CHECK(wire_node("")->node.id == 0);  // a node of defaults has no bytes
}

TEST_CASE("an attribute is a number in any of protobuf's types, a text, or neither") {
  using Value = std::variant<std::int64_t, double, std::string>;
  const auto whole = [](std::int64_t number) { return Value(number); };
  CHECK(value_of(std::string("\x19\0\0\0\0\0\0\xf8\x3f", 9)) == Value(1.5));            // double
  CHECK(value_of(std::string("\x2d\0\0\xc0\x3f", 5)) == Value(1.5));                    // float
  CHECK(value_of('\x38' + minus_one) == whole(-1));                                     // int32
  CHECK(value_of('\x48' + minus_one) == whole(-1));                                     // int64
  CHECK(value_of(std::string("\x58\xff\xff\xff\xff\x0f", 6)) == whole(4'294'967'295));  // uint32
  CHECK(value_of(std::string("\x68\x96\x01", 3)) == whole(150));                        // uint64
  CHECK(value_of(std::string("\x78\x05", 2)) == whole(-3));                             // sint32
  CHECK(value_of(std::string("\x88\x01\x06", 3)) == whole(3));                          // sint64
  CHECK(value_of(std::string("\x9d\x01\x02\0\0\x80", 6)) == whole(2'147'483'650));      // fixed32
  CHECK(value_of(std::string("\xa9\x01\x02\0\0\0\0\0\0\0", 10)) == whole(2));           // fixed64
  CHECK(value_of(std::string("\xbd\x01\xfe\xff\xff\xff", 6)) == whole(-2));             // sfixed32
  CHECK(value_of("\xc9\x01" + std::string(8, '\xff')) == whole(-1));                    // sfixed64
  CHECK(value_of(std::string("\xd8\x01\x01", 3)) == whole(1));                          // bool
  CHECK(value_of("\xea\x01\x02hi") == Value("hi"));                                     // string
  CHECK(value_of("\xfa\x01\x02hi") == Value(""));                                       // bytes
  CHECK(value_of(within('\x22', std::string("\x0a\x01\x07", 3))) == Value(""));         // a list
  CHECK(value_of("") == Value(""));                                                     // nothing
  CHECK(value_of(std::string("\x68\x01\x68\x02", 4)) == whole(2));  // the last counts
}

TEST_CASE("fields that are not known are skipped, in each wire type") {
  const std::string unknown = std::string("\xf8\x07\x05", 3) +        // 127: a varint
                              std::string("\xf9\x07") + "12345678" +  // eight bytes
                              std::string("\xfa\x07\x02") + "ab" +    // two bytes
                              std::string("\xfd\x07") + "1234" +      // four bytes
                              std::string("\x0d") + "1234";           // the id in four bytes
  const auto read = wire_node(unknown + std::string("\x08\x05", 2));
  REQUIRE(read);
  CHECK(read->node.id == 5);
}

TEST_CASE("damaged bytes are nothing") {
  CHECK_FALSE(wire_node("\x08"));                            // no number
  CHECK_FALSE(wire_node("\x08" + std::string(10, '\xff')));  // one without an end
  CHECK_FALSE(
      wire_node("\x12\x05"
                "abc"));  // a text of five bytes has three
  CHECK_FALSE(wire_node(std::string("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11)));
  CHECK_FALSE(wire_node(std::string("\0\x01", 2)));  // field 0
  CHECK_FALSE(wire_node("\x0b\x0c"));                // a group
  CHECK_FALSE(wire_node(within('\x52',
                               "\x0a\x05"
                               "a")));             // an attribute that ends
  CHECK_FALSE(wire_node(within('\x2a', "\x96")));  // a packed list that ends
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    std::string bytes(random() % 40, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    wire_node(bytes);  // under a sanitizer: reads nothing beyond its end
  }
}

}  // namespace
}  // namespace orrery::chakra
