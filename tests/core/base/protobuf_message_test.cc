// The bytes of the wire format; the messages of Perfetto are read by tests/trace/trace_test.py.
#include "core/base/protobuf_message.h"

#include <catch2/catch.hpp>
#include <initializer_list>

using namespace orrery;

namespace {

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

}  // namespace

// The examples of https://protobuf.dev/programming-guides/encoding: 150 is 1 * 128 + 22.
TEST_CASE("fields are those of the documentation of Protobuf") {
  ProtobufMessage number, text, outer;
  number.add_integer(1, 150);
  CHECK(number.bytes() == bytes({0x08, 0x96, 0x01}));
  text.add_bytes(2, "testing");
  CHECK(text.bytes() == bytes({0x12, 0x07}) + "testing");
  outer.add_message(3, number);
  CHECK(outer.bytes() == bytes({0x1a, 0x03, 0x08, 0x96, 0x01}));
}

TEST_CASE("numbers at the edges of a byte") {
  const auto of = [](std::int64_t value) {
    ProtobufMessage message;
    message.add_integer(1, value);
    return message.bytes().substr(1);
  };
  CHECK(of(0) == bytes({0}));
  CHECK(of(127) == bytes({0x7f}));
  CHECK(of(128) == bytes({0x80, 0x01}));
  CHECK(of(16'383) == bytes({0xff, 0x7f}));
  CHECK(of(16'384) == bytes({0x80, 0x80, 0x01}));
  // All 64 bits: nine times seven, and one.
  CHECK(of(-1) == bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}));
}

// Field 20 is 20 * 8 + 1 = 161 = 1 * 128 + 33. 1.5 is 0x3ff8 and zeros, the lowest byte first.
TEST_CASE("eight bytes in the order of Intel") {
  ProtobufMessage fixed, real;
  fixed.add_fixed64(20, 0x0102030405060708);
  CHECK(fixed.bytes() == bytes({0xa1, 0x01, 8, 7, 6, 5, 4, 3, 2, 1}));
  real.add_double(1, 1.5);
  CHECK(real.bytes() == bytes({0x09, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f}));
}
