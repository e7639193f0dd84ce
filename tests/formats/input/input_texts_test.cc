#include "formats/input/input_texts.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/config_error.h"
#include "core/base/hash.h"
#include "core/base/io_error.h"
#include "tests/paths.h"

namespace orrery {
namespace {

std::string all_text_of(ByteStream& bytes) {
  std::string all;
  for (std::string_view piece = bytes.next(); !piece.empty(); piece = bytes.next()) all += piece;
  return all;
}

TEST_CASE("a file that is read piece by piece is to stay as it is") {
  const std::string path = build_folder() + "/input_texts_test";
  std::ofstream(path) << "first";
  InputTexts texts;
  CHECK(texts.can_read(path));
  CHECK(all_text_of(*texts.open(path)) == "first");
  CHECK(texts.hash(path) == hash_of("first"));
  CHECK(all_text_of(*texts.open(path)) == "first");
  std::ofstream(path) << "second";
  CHECK_THROWS_AS(all_text_of(*texts.open(path)), ConfigError);

  InputTexts others;
  CHECK(others.read(path) == "second");
  CHECK(others.hash(path) == hash_of("second"));
  std::filesystem::remove(path);
  CHECK(all_text_of(*others.open(path)) == "second");  // what was read is kept
  CHECK_FALSE(texts.can_read(path));
  CHECK_THROWS_AS(texts.open(path), IoError);
  others.put("no file", "text");
  CHECK(all_text_of(*others.open("no file")) == "text");
}

}  // namespace
}  // namespace orrery
