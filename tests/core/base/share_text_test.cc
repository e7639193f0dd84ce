// Shares as people write them.
#include <catch2/catch.hpp>

#include "core/base/share_text.h"

namespace orrery {
namespace {

Share share(const std::string& text) { return std::get<Share>(parse_share(text)); }
bool is_wrong(const std::string& text) {
  return std::holds_alternative<WrongText>(parse_share(text));
}

TEST_CASE("a share is a fraction or a percentage, exactly") {
  CHECK(share("20/132") == Share{20, 132});
  CHECK(share("20 / 132") == Share{20, 132});
  CHECK(share("15 %") == Share{15, 100});
  CHECK(share("15.2%") == Share{152, 1000});
  CHECK(share("100 %") == Share{100, 100});
  CHECK(share("0.0001 %") == Share{1, 1'000'000});
  // A number of at most 1 is the same share.
  CHECK(share("0.15") == Share{15, 100});
  CHECK(share("0.152") == Share{152, 1000});
  CHECK(share("1.0") == Share{100, 100});
  CHECK(share("1") == Share{100, 100});
  CHECK(share("0") == Share{0, 100});
  CHECK(share("1e-4") == Share{1, 10'000});
  CHECK(share("1.5e1 %") == Share{15, 100});
  CHECK(share(".5") == Share{50, 100});
}

TEST_CASE("a share prints in per cent, if it is a decimal number") {
  for (const char* text : {"20/132", "15 %", "15.2 %", "31.33 %", "100 %", "0.05 %", "0 %"})
    CHECK(share_text(share(text)) == text);
  CHECK(share_text({0, 1}) == "0 %");
  CHECK(share_text({1, 1}) == "100 %");
  CHECK(share_text({1, 2}) == "50 %");
  CHECK(share_text({120, 128}) == "93.75 %");
  CHECK(share_text({1, 3}) == "1/3");
}

TEST_CASE("what is no share is refused") {
  for (const char* text : {"",          "15",    "1.01", "%",  "/",  "1/",        "/2",  "3/2",
                           "101 %",     "-1 %",  "-0.1", "1.", "1e", "1.00001 %", "1/0", "a/b",
                           "1/2000000", "1.5/2", "nan",  "e5", ".",  "1e9999"})
    CHECK(is_wrong(text));
}

Fraction fraction(const std::string& text) { return std::get<Fraction>(parse_fraction(text)); }

// The double nearest to the decimal number, whichever way it is written.
TEST_CASE("a fraction reads as a share does") {
  CHECK(fraction("0.01 %") == 0.0001);
  CHECK(fraction("0.0001") == 0.0001);
  CHECK(fraction("1e-4") == 0.0001);
  CHECK(fraction("1e-12") == 1e-12);
  CHECK(fraction("0.1%") == 0.001);
  CHECK(fraction("1/3") == 1.0 / 3);
  CHECK(fraction("1.0") == 1);
  CHECK(fraction("0") == 0);
  for (const char* text : {"1.5", "101 %", "4/3", "-0.5", "x", "nan", "inf"})
    CHECK(std::holds_alternative<WrongText>(parse_fraction(text)));
}

TEST_CASE("a fraction prints in per cent, and reads back") {
  for (const char* text : {"0 %", "100 %", "0.01 %", "12.5 %", "0.00002 %", "1e-10 %", "15e-9 %"})
    CHECK(fraction_text(fraction(text)) == text);
  for (const double value : {1.0 / 3, 0.1, 0.7, 1e-9, 0.30000000000000004, 2.0 / 3})
    CHECK(fraction(fraction_text(value)) == value);
}

}  // namespace
}  // namespace orrery
