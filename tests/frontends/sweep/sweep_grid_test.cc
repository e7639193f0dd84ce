// Which points a sweep file asks for, and what is said of files that are wrong.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "core/base/config_error.h"
#include "frontends/yaml/load_sweep.h"
#include "simulation/sweep_samples.h"

using namespace orrery;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

Sweep loaded(const std::string& text) {
  const fs::path folder =
      fs::temp_directory_path() / ("orrery_sweep_grid_test." + std::to_string(getpid()));
  fs::create_directory(folder);
  const fs::path file = folder / "sweep.yaml";
  std::ofstream(file) << text;
  for (const char* name : {"a.yaml", "b.yaml"}) std::ofstream(folder / name) << "seed: 1\n";
  struct Removed {
    const fs::path& folder;
    ~Removed() { fs::remove_all(folder); }
  } const removed{folder};
  return load_sweep(file);
}

// "a=1 b=2": the last step of each varied key, for each point.
std::vector<std::string> points(const std::string& text) {
  std::vector<std::string> found;
  for (const SweepPoint& point : points_of(loaded(text))) {
    found.emplace_back();
    for (const SweepSetting& setting : point.varied)
      found.back() += (found.back().empty() ? "" : " ") +
                      setting.key.substr(setting.key.rfind('.') + 1) + "=" + setting.value;
  }
  return found;
}

using Points = std::vector<std::string>;

std::string problem(const std::string& text) {
  try {
    loaded(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("zip is an item of vary, and repeat varies the seed fastest") {
  CHECK(points("experiments: a.yaml\nrepeat: {seeds: 2}\nzip: {s.a: [1, 2], s.b: [x, y]}\n"
               "vary: [{s.c: [7, 8]}]\n") == Points{"c=7 a=1 b=x seed=1", "c=7 a=1 b=x seed=2",
                                                    "c=7 a=2 b=y seed=1", "c=7 a=2 b=y seed=2",
                                                    "c=8 a=1 b=x seed=1", "c=8 a=1 b=x seed=2",
                                                    "c=8 a=2 b=y seed=1", "c=8 a=2 b=y seed=2"});
}

TEST_CASE("where keeps the points for which it holds") {
  const auto kept = [](const std::string& where) {
    return points(
        "experiments: a.yaml\nset: {s.limit: 4}\nvary: [{s.a: [1, 2, 4]}, "
        "{s.b: [1, 2, 4]}]\nwhere: " +
        where + "\n");
  };
  CHECK(kept("s.a * s.b == 4") == Points{"a=1 b=4", "a=2 b=2", "a=4 b=1"});
  CHECK(kept("s.a*s.b>s.limit") == Points{"a=2 b=4", "a=4 b=2", "a=4 b=4"});
  // `and` binds before `or`, `not` before both.
  CHECK(kept("a == 1 and b == 1 or a == 4 and not b < 4") == Points{"a=1 b=1", "a=4 b=4"});
  CHECK(kept("a == 4 and (b == 1 or b == 2)") == Points{"a=4 b=1", "a=4 b=2"});
  CHECK(kept("a - b >= 2") == Points{"a=4 b=1", "a=4 b=2"});
  CHECK(kept("[a != 2, b != 2, a / b < 1]") == Points{"a=1 b=4"});
  CHECK(kept("1 + a <= b") == Points{"a=1 b=2", "a=1 b=4", "a=2 b=4"});
}

TEST_CASE("quantities are compared in their units, words by equality") {
  const auto kept = [](const std::string& values, const std::string& where) {
    return points("experiments: a.yaml\nvary: [{s.a: " + values + "}]\nwhere: '" + where + "'\n");
  };
  CHECK(kept("[500 ns, 1 us, 2 us]", "a <= 1000 ns") == Points{"a=500 ns", "a=1 us"});
  CHECK(kept("[1 MB, 1 MiB]", "a > 1 MB") == Points{"a=1 MiB"});
  CHECK(kept("[50 GB/s, 100 Gb/s]", "a == 12.5 GB/s") == Points{"a=100 Gb/s"});
  CHECK(kept("[50 GB/s, 100 Gb/s]", "a / 2 GB/s >= 25") == Points{"a=50 GB/s"});
  CHECK(kept("[5 %, 20 %]", "a < 10%") == Points{"a=5 %"});
  CHECK(kept("[ring, direct, leaf-spine]", "a != ring and a != leaf-spine") == Points{"a=direct"});
  CHECK(kept("[\"[ring, direct]\", ring]", "a == \"[ring, direct]\"") ==
        Points{"a=[ring, direct]"});
  CHECK(kept("[1f1b, 8]", "a == 1f1b") == Points{"a=1f1b"});
}

TEST_CASE("random samples differ, lie in their ranges, and stay when there are more of them") {
  const auto drawn = [](int samples, int seed) {
    return points("experiments: a.yaml\nrandom:\n  samples: " + std::to_string(samples) +
                  "\n  seed: " + std::to_string(seed) +
                  "\n  keys:\n    s.word: [x, y]\n    s.time: {from: 1 us, to: 1 ms, scale: log}\n"
                  "    s.count: {from: 1, to: 4}\n");
  };
  const Points some = drawn(50, 1), more = drawn(60, 1);
  CHECK(some.size() == 50);
  CHECK(std::set<std::string>(more.begin(), more.end()).size() == 60);
  CHECK(std::equal(some.begin(), some.end(), more.begin()));
  CHECK(drawn(50, 2) != some);
  CHECK(drawn(50, 1) == some);
  CHECK(count_points(loaded("experiments: [a.yaml, b.yaml]\nvary: [{s.v: [1, 2, 3]}]\n"
                            "random: {samples: 5, keys: {s.r: {from: 0.5, to: 1.5}}}\n")) == 30);
}

// Of a logarithmic range 1 us .. 1 ms a third of all draws lies below 10 us: 333 of 1000, with a
// standard deviation of 15. Of a linear one 1 % does: 9 of 1000.
TEST_CASE("a logarithmic range has as many samples in each power of ten") {
  const auto below_ten = [](bool is_logarithmic) {
    const SampledKey key{.key = "t",
                         .values = {},
                         .kind = SweepValueKind::duration,
                         .from = 1e6,
                         .to = 1e9,
                         .is_logarithmic = is_logarithmic};
    int below = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      const SweepValue value = sweep_value(drawn_samples({&key, 1}, 1, seed)[0][0]);
      CHECK(value.kind == SweepValueKind::duration);
      CHECK((value.number >= 1e6 && value.number <= 1e9));
      if (value.number < 1e7) ++below;
    }
    return below;
  };
  CHECK(std::abs(below_ten(true) - 333) < 60);
  CHECK(below_ten(false) < 30);
  const SampledKey count{.key = "n", .from = 1, .to = 4, .is_whole = true};
  CHECK(drawn_samples({&count, 1}, 4, 1).size() == 4);  // 1, 2, 3, 4: all of them
  CHECK(drawn_samples({&count, 1}, 5, 1).size() == 4);
}

// Of 20 samples of a range from 0 to 20, one lies between n and n + 1 for each n; of a list of four
// values each is taken five times.
TEST_CASE("a Latin hypercube has a value in each part of each range") {
  const Sweep sweep = loaded(
      "experiments: a.yaml\n"
      "latin: {samples: 20, keys: {s.a: {from: 0.0, to: 20.0}, s.b: [w, x, y, z], "
      "s.c: {from: 1 us, to: 1 s, scale: log}}}\n");
  std::multiset<double> numbers;
  std::map<int, int> decades;
  std::map<std::string, int> words;
  for (const SweepPoint& point : points_of(sweep)) {
    numbers.insert(sweep_value(point.varied[0].value).number);
    ++words[point.varied[1].value];
    ++decades[static_cast<int>(std::log10(sweep_value(point.varied[2].value).number * 1.001))];
  }
  int part = 0;
  for (const double number : numbers) {
    CHECK(std::abs(number - (part + 0.5)) <= 0.5 + 0.05);  // of three digits
    ++part;
  }
  CHECK(words == std::map<std::string, int>{{"w", 5}, {"x", 5}, {"y", 5}, {"z", 5}});
  for (const auto& [decade, count] : decades) CHECK(std::abs(count - 20.0 / 6) < 1.5);
}

TEST_CASE("twenty-four wrong sweep files") {
  const std::string head = "experiments: a.yaml\n", grid = head + "vary: [{s.a: [1, 2, 4]}]\n";
  std::string long_sum;
  for (int i = 0; i < 2000; ++i) long_sum += " + s.a";
  struct Wrong {
    std::string text, place, what, remedy;
  };
  const std::vector<Wrong> files{
      {head + "zip: {s.a: [1, 2], s.b: [1]}\n", ":2:25", "s.b has 1 values, and s.a beside it 2",
       "give them equally many"},
      {head + "zip: [1]\n", ":2:6", "this is a list", "write for example"},
      {head + "vary: [{s.a: [1, 2, 1]}]\n", ":2:21", "s.a has the value 1 twice", "keep one"},
      {head + "vary: [{s.a: [1 us, 1000 ns]}]\n", ":2:21", "s.a has the value 1000 ns twice",
       "keep one"},
      {head + "vary: [{seed: [1]}]\nrepeat: {seeds: 2}\n", ":3:1", "seed is given twice",
       "keep one"},
      {head + "repeat: {seeds: 0}\n", ":2:17", "0", "1"},
      {head + "repeat: {seed: 2}\n", ":2:10", "seed", "seeds"},
      {head + "random: {samples: 3, keys: {s.a: {from: 1}}}\n", ":2:34", "the range has no ends",
       "scale: log"},
      {head + "random: {samples: 3, keys: {s.a: {from: 1, to: 2 us}}}\n", ":2:48",
       "begins with a number and ends with a time", "write for example"},
      {head + "random: {samples: 3, keys: {s.a: {from: 0, to: 2, scale: log}}}\n", ":2:41",
       "begins above 0", "write for example"},
      {head + "random: {samples: 9, keys: {s.a: [1, 2, 3]}}\n", ":2:9",
       "9 different samples are wanted, and 3 are found", "draw fewer"},
      {head + "random: {samples: 9}\n", ":2:9", "no keys are drawn", "write keys"},
      {head + "latin: {samples: 9, keys: {s.a: [1, 2, 3]}}\n", ":2:8",
       "9 different samples are wanted, and 3 are found", "draw fewer"},
      {grid + "metrics: training.sample_per_s\n", ":3:10", "there is no \"sample_per_s\"",
       "did you mean \"samples_per_s\""},
      {grid + "metrics: [finish_ps, layers.mlp]\n", ":3:22", "a column must follow",
       "add a column: name"},
      {grid + "metrics: [ranks.0.finish_ps, why]\n", ":3:30", "a row and a column must follow",
       "add a column: part, level"},
      {grid + "where: s.a > 4\n", ":3:8", "no point is left of 3", "holds for some"},
      {grid + "where: s.a < 3 and s.aa < 2\n", ":3:20", "gives no values to \"s.aa\"",
       "did you mean \"s.a\""},
      {grid + "where: s.a < 3 us\n", ":3:12", "a number is compared with a time", "the unit"},
      {grid + "where: (s.a < 3\n", ":3:8", "not closed", "write `)`"},
      {grid + "where: s.a = 3\n", ":3:12", "compares nothing", "write =="},
      {grid + "where: s.a" + long_sum + " < 9\n", ":3:3006", "too long", "a list of conditions"},
      {grid + "where: s.a\n", ":3:8", "a value and no condition", "write for example"},
      {"experiments: [a.yaml, a.yaml]\n", ":1:23", "a.yaml is given twice", "keep one"},
  };
  for (const Wrong& wrong : files) {
    CAPTURE(wrong.text);
    const std::string message = problem(wrong.text);
    CHECK_THAT(message, Contains(wrong.place + ":"));
    CHECK_THAT(message, Contains(wrong.what));
    CHECK_THAT(message, Contains(wrong.remedy));
  }
}

TEST_CASE("a grid of a million points is counted and its first points found at once") {
  std::string list;
  for (int i = 1; i <= 100; ++i) list += (i > 1 ? ", " : "") + std::to_string(i);
  const Sweep sweep = loaded("experiments: a.yaml\nvary: [{s.a: [" + list + "]}, {s.b: [" + list +
                             "]}, {s.c: [" + list + "]}]\nwhere: a + b + c <= 5\n");
  // a + b + c <= 5 of numbers from 1 on: as many as ways to put 2 balls into 4 boxes, 10.
  CHECK(count_points(sweep) == 10);
  CHECK(points_of(sweep, 3).size() == 3);
}
