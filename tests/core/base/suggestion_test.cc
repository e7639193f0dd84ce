#include "core/base/suggestion.h"

#include <array>
#include <catch2/catch.hpp>
#include <string_view>

namespace orrery {
namespace {

constexpr std::array<std::string_view, 4> devices{"mi300x", "mi325x", "mi250x-gcd", "h100"};

TEST_CASE("the nearest word has few letters that differ, or goes on where the word ends") {
  CHECK(nearest("mi330x", devices) == "mi300x");
  CHECK(nearest("mi250x", devices) == "mi250x-gcd");  // mi300x differs by two letters
  CHECK(nearest("h200", devices) == "h100");
  CHECK(nearest("tpu", devices).empty());
  // One letter each, left out or another one: a digit is mistaken rather than added.
  constexpr std::array<std::string_view, 3> models{"qwen2.5-7b", "qwen2.5-72b", "qwen2.5-0.5b"};
  CHECK(nearest("qwen2.5-70b", models) == "qwen2.5-72b");
  // Two go on so, and the first is the nearer one.
  constexpr std::array<std::string_view, 2> several{"a100-40gb", "a100-pcie-40gb"};
  CHECK(nearest("a100-", several).empty());
}

}  // namespace
}  // namespace orrery
