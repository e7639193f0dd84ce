// Whatever is in the file: it loads, or the user reads why not.
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "core/base/config_error.h"
#include "core/base/io_error.h"
#include "frontends/yaml/load_experiment.h"
#include "tests/paths.h"

namespace orrery {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Changes up to four bytes, or cuts the text off, or repeats a part of it elsewhere.
std::string mutated(std::string text, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  constexpr std::string_view telling = "{}[]:-,\"'&*!|>%@`#\n\t ~?<=0123456789eE.\\";
  switch (below(4)) {
    case 0:
      return text.substr(0, below(text.size()));
    case 1: {
      const std::size_t from = below(text.size()), length = below(40);
      return text.insert(below(text.size()), text.substr(from, length));
    }
    case 2:
      for (std::size_t i = 0; i <= below(4); ++i)
        text[below(text.size())] = telling[below(telling.size())];
      return text;
    default:
      for (std::size_t i = 0; i <= below(4); ++i)
        text[below(text.size())] = static_cast<char>(below(256));
      return text;
  }
}

void check_mutations(const std::string& name, int count, std::uint64_t seed) {
  const std::string original = text_of(source_folder() + "/tests/frontends/yaml/good/" + name);
  REQUIRE(!original.empty());
  const auto path = std::filesystem::temp_directory_path() /
                    ("orrery_mutation_" + std::to_string(std::random_device{}()) + ".yaml");
  std::mt19937_64 random(seed);
  int loaded = 0, refused = 0;
  for (int i = 0; i < count; ++i) {
    const std::string text = mutated(original, random);
    std::ofstream(path, std::ios::binary) << text;
    try {
      load_experiment(path.string(), {});
      ++loaded;
    } catch (const ConfigError& error) {
      ++refused;
      if (error.diagnostics().empty() || error.diagnostics().size() > 21) {
        FAIL("seed " << seed << ", mutation " << i << ": " << error.diagnostics().size()
                     << " diagnostics");
      }
    } catch (const IoError&) {
      ++refused;  // a mutated `file:`
    } catch (const std::exception& error) {
      FAIL("seed " << seed << ", mutation " << i << ": " << error.what() << "\n" << text);
    }
  }
  std::filesystem::remove(path);
  CHECK(loaded > 0);  // comments and free names
  CHECK(refused > count / 4);
}

TEST_CASE("random changes of a file never escape as another exception") {
  check_mutations("all_features.yaml", 800, 1);
  check_mutations("program.yaml", 800, 2);
  check_mutations("hoti20.yaml", 400, 3);
}

TEST_CASE("many random changes", "[slow]") {
  for (std::uint64_t seed = 10; seed < 20; ++seed) {
    check_mutations("all_features.yaml", 10'000, seed);
    check_mutations("program.yaml", 10'000, seed);
    check_mutations("hoti20.yaml", 3'000, seed);
  }
}

}  // namespace
}  // namespace orrery
