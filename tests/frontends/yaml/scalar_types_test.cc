#include "frontends/yaml/scalar_types.h"

#include <catch2/catch.hpp>

namespace orrery::yaml {
namespace {

TEST_CASE("a factor may be written in per cent") {
  const auto factor = [](const char* text) {
    return std::get<double>(ScalarType<double>::parse(text));
  };
  CHECK(factor("150 %") == 1.5);
  CHECK(factor("1.5") == 1.5);
  CHECK(std::holds_alternative<WrongText>(ScalarType<double>::parse("x %")));
}

}  // namespace
}  // namespace orrery::yaml
