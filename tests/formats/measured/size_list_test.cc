#include "formats/measured/size_list.h"

#include <catch2/catch.hpp>
#include <cstdint>

#include "core/base/config_error.h"

using namespace orrery;
using Catch::Contains;

namespace {

std::vector<std::int64_t> sizes(const std::string& text) {
  std::vector<std::int64_t> values;
  for (const Bytes size : parse_size_list(text)) values.push_back(size.value);
  return values;
}

using Values = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a range grows by a factor and ends at its largest size", "[coll]") {
  CHECK(sizes("8:64:x2") == Values{8, 16, 32, 64});
  CHECK(sizes("8:64") == Values{8, 16, 32, 64});  // x2 unless something else is said
  CHECK(sizes("1:100:x10") == Values{1, 10, 100});
  CHECK(sizes("3:100:x10") == Values{3, 30});  // 300 would be more than 100
  CHECK(sizes("8:8:x2") == Values{8});
  const Values all = sizes("8:8G:x2");  // 2^3 .. 2^33
  CHECK(all.size() == 31);
  CHECK(all.back() == std::int64_t{1} << 33);
}

TEST_CASE("a range grows by a step", "[coll]") {
  CHECK(sizes("1K:4K:+1K") == Values{1024, 2048, 3072, 4096});
  CHECK(sizes("10:25:+10") == Values{10, 20});
}

TEST_CASE("letters are powers of 1024, units are ours", "[coll]") {
  CHECK(sizes("1K,1M,1G,1T") == Values{1 << 10, 1 << 20, 1 << 30, std::int64_t{1} << 40});
  CHECK(sizes("1.5K") == Values{1536});
  CHECK(sizes("1 kB,1 KiB,64 MB,2GiB") == Values{1'000, 1'024, 64'000'000, std::int64_t{2} << 30});
  CHECK(sizes("8,1 MB:4 MB:x2,7") == Values{8, 1'000'000, 2'000'000, 4'000'000, 7});
}

TEST_CASE("the largest sizes end a range instead of overflowing", "[coll]") {
  // 2^61, 2^62; 2^63 is no 64-bit size any more.
  CHECK(sizes("2097152T:4194304T:x2") == Values{std::int64_t{1} << 61, std::int64_t{1} << 62});
  CHECK(sizes("4194304T:4194304T:x1000000") == Values{std::int64_t{1} << 62});
}

TEST_CASE("sizes that make no sense are explained", "[coll]") {
  CHECK_THROWS_WITH(
      sizes("8M:4M:x2"),
      Contains("--size 8M:4M:x2: error: the range begins at 8 MiB and ends at 4 MiB"));
  CHECK_THROWS_WITH(sizes("8:64:x1"), Contains("\"x1\" does not make the size grow"));
  CHECK_THROWS_WITH(sizes("8:64:x0"), Contains("\"x0\" does not make the size grow"));
  CHECK_THROWS_WITH(sizes("8:64:x1.5"), Contains("write x2 or more, or a step like +1M"));
  CHECK_THROWS_WITH(sizes("8:64:2"), Contains("\"2\" is neither a factor nor a step"));
  CHECK_THROWS_WITH(sizes("8:64:+0"), Contains("\"0\" is no data"));
  CHECK_THROWS_WITH(sizes("8:64:x2:x2"), Contains("too many parts"));
  CHECK_THROWS_WITH(sizes("64Q"), Contains("\"64Q\" is not a size"));
  CHECK_THROWS_WITH(sizes("8,,64"), Contains("\"\" is not a size"));
  CHECK_THROWS_WITH(sizes("-8"), Contains("--size -8: error: "));
  CHECK_THROWS_WITH(sizes("0"), Contains("\"0\" is no data"));
  CHECK_THROWS_WITH(sizes("1:8G:+1"), Contains("more than 10000 sizes"));
  CHECK_THROWS_AS(sizes(""), ConfigError);
}
