#include "formats/input/byte_stream.h"

#include <zlib.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "core/base/config_error.h"
#include "core/base/hash.h"
#include "core/base/io_error.h"
#include "tests/paths.h"

namespace orrery {
namespace {

const std::string path = build_folder() + "/byte_stream_test";

std::string all_of(ByteStream& bytes) {
  std::string all;
  for (std::string_view piece = bytes.next(); !piece.empty(); piece = bytes.next()) all += piece;
  CHECK(bytes.next().empty());  // and stays at its end
  return all;
}

std::string packed(const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return all_of(*bytes_of_file(path));
}

std::string refusal(const std::string& bytes) {
  try {
    all_of(*unpacked("t.gz", bytes_of(bytes)));
  } catch (const ConfigError& error) {
    return error.diagnostics().front().what;
  }
  return "it was read";
}

// Longer than a few blocks, and hard to pack.
std::string long_text() {
  std::string text;
  for (std::uint32_t i = 1; text.size() < 300'000; i = i * 1'664'525 + 1'013'904'223)
    text += std::to_string(i);
  return text;
}

TEST_CASE("a file comes piece by piece, packed or not") {
  for (const std::string& text : {std::string(), std::string("x"), long_text()}) {
    std::ofstream(path, std::ios::binary) << text;
    CHECK(all_of(*bytes_of_file(path)) == text);
    CHECK(all_of(*unpacked(path, bytes_of_file(path))) == text);
    const std::string small = packed(text);
    CHECK(all_of(*unpacked(path, bytes_of_file(path))) == text);
    CHECK(all_of(*unpacked(path, bytes_of(small + small))) == text + text);  // gzip allows it
    const auto stream = istream_of(unpacked(path, bytes_of(small)));
    CHECK(std::string(std::istreambuf_iterator<char>(*stream), {}) == text);
  }
  CHECK_THROWS_AS(bytes_of_file(build_folder()), IoError);
  CHECK_THROWS_AS(bytes_of_file(path + ".no"), IoError);
}

TEST_CASE("a packed file that is cut short or damaged is refused, whatever the cut") {
  const std::string small = packed(long_text());
  for (const std::size_t cut :
       {std::size_t{3}, std::size_t{20}, small.size() / 2, small.size() - 1})
    CHECK(refusal(small.substr(0, cut)) == "the packed file ends too early");
  std::string damaged = small;
  damaged[small.size() / 2] = static_cast<char>(damaged[small.size() / 2] ^ 0x55);
  CHECK(refusal(damaged) == "the packed file is damaged");
  CHECK(refusal(small + "more") == "the packed file is damaged");
}

TEST_CASE("the hash of a stream is that of its text, at its end") {
  const std::string text = long_text();
  std::uint64_t hash = 0;
  const auto bytes = hashed(bytes_of(text), [&](std::uint64_t found) { hash = found; });
  bytes->next();
  CHECK(hash == 0);
  all_of(*bytes);
  CHECK(hash == hash_of(text));
}

}  // namespace
}  // namespace orrery
