// Shares as YAML writes them.
#include <catch2/catch.hpp>

#include "frontends/yaml/scalar_types.h"

namespace orrery::yaml {
namespace {

Share share(const std::string& text) { return std::get<Share>(ScalarType<Share>::parse(text)); }
bool is_wrong(const std::string& text) {
  return std::holds_alternative<WrongText>(ScalarType<Share>::parse(text));
}

TEST_CASE("a share is a fraction or a percentage, exactly") {
  CHECK(share("20/132") == Share{20, 132});
  CHECK(share("20 / 132") == Share{20, 132});
  CHECK(share("15 %") == Share{15, 100});
  CHECK(share("15.2%") == Share{152, 1000});
  CHECK(share("100 %") == Share{100, 100});
  CHECK(share("0.0001 %") == Share{1, 1'000'000});
}

TEST_CASE("a share prints as it was written") {
  for (const char* text : {"20/132", "15 %", "15.2 %", "31.33 %", "100 %", "0.05 %"})
    CHECK(ScalarType<Share>::text(share(text)) == text);
}

TEST_CASE("what is no share is refused") {
  for (const char* text : {"", "0.15", "15", "%", "/", "1/", "/2", "3/2", "101 %", "-1 %", "1.",
                           "1.00001 %", "1/0", "a/b", "1/2000000", "1.5/2"})
    CHECK(is_wrong(text));
}

}  // namespace
}  // namespace orrery::yaml
