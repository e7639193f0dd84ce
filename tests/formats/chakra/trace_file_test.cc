#include "formats/chakra/trace_file.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace orrery::chakra {
namespace {

// A missing file in brackets.
std::string order_of(std::vector<std::string> names) {
  std::string text;
  for (const RankFile& file : files_of_ranks(std::move(names)))
    text += (text.empty() ? "" : " ") + (file.is_missing ? '[' + file.name + ']' : file.name);
  return text;
}

TEST_CASE("files are in the order of the numbers in their names") {
  CHECK(order_of({"a/t.10.et", "a/t.9.et", "a/t.8.et", "a/t.11.et", "a/t.0.et", "a/t.1.et",
                  "a/t.2.et", "a/t.3.et", "a/t.4.et", "a/t.5.et", "a/t.6.et", "a/t.7.et"}) ==
        "a/t.0.et a/t.1.et a/t.2.et a/t.3.et a/t.4.et a/t.5.et a/t.6.et a/t.7.et a/t.8.et a/t.9.et "
        "a/t.10.et a/t.11.et");
  // What all numbers begin or end with is of the number.
  CHECK(order_of({"t.12.et", "t.11.et", "t.10.et"}).ends_with("[t.9.et] t.10.et t.11.et t.12.et"));
  CHECK(order_of({"r20", "r10", "r0"}).starts_with("r0 [r1]"));
}

TEST_CASE("ranks between and before files that are there are missing") {
  CHECK(order_of({"t.0.et", "t.2.et"}) == "t.0.et [t.1.et] t.2.et");
  CHECK(order_of({"t.1.et", "t.2.et"}) == "[t.0.et] t.1.et t.2.et");
}

TEST_CASE("files without a number of their own stay as they are named") {
  CHECK(order_of({"b.et", "a.et"}) == "b.et a.et");
  CHECK(order_of({"t.7.et"}) == "t.7.et");
  CHECK(order_of({"t.1.et", "t.01.et"}) == "t.1.et t.01.et");
  CHECK(order_of({"x.1.et", "x.4000000.et"}) == "x.1.et x.4000000.et");  // no ranks, surely
  CHECK(order_of({"t.0.et", "t.0.et"}) == "t.0.et t.0.et");
}

}  // namespace
}  // namespace orrery::chakra
