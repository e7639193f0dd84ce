#include "report/text_table.h"

#include <catch2/catch.hpp>

#include "core/base/check.h"

using orrery::TextTable;

TEST_CASE("a table aligns its columns and ends no line with a space", "[report]") {
  TextTable table({{"layer", TextTable::Align::left}, {"Flat\nraw"}, {"exposed"}});
  CHECK(table.empty());
  table.add_row({"emb", "12.5", "-"});
  table.add_row({"top0", "1017.25", ""});
  CHECK(table.text() ==
        "          Flat\n"
        "layer      raw  exposed\n"
        "emb       12.5        -\n"
        "top0   1017.25\n");
  CHECK(table.width() == 23);  // 5 + 7 + 7 and two gaps of 2
}

TEST_CASE("a table counts characters, not bytes", "[report]") {
  TextTable table({{"", TextTable::Align::left}, {""}});
  table.add_row({"\xC2\xB5s", "1"});  // two characters in three bytes
  table.add_row({"ns", "2"});
  CHECK(table.text() == "\xC2\xB5s  1\nns  2\n");
}

TEST_CASE("a row with a missing cell is a bug", "[report]") {
  TextTable table({{"a"}, {"b"}});
  CHECK_THROWS_AS(table.add_row({"1"}), orrery::CheckFailure);
}
