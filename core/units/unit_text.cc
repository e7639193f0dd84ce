#include "core/units/unit_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace orrery {

namespace {

using units_internal::Signed128;
using units_internal::Unsigned128;

constexpr std::uint64_t largest_value = std::numeric_limits<std::int64_t>::max();

struct Unit {
  std::string_view name;
  std::uint64_t size;  // in the dimension's own unit, times 8 if `of_bits`
  bool of_bits = false;
  bool printed = true;  // to_text chooses among these, which must be in ascending order
};

constexpr std::uint64_t kilo = 1'000, mega = 1'000 * kilo, giga = 1'000 * mega, tera = 1'000 * giga,
                        peta = 1'000 * tera;
constexpr std::uint64_t kibi = 1'024, mebi = 1'024 * kibi, gibi = 1'024 * mebi, tebi = 1'024 * gibi;

constexpr std::array duration_units{
    Unit{"ps", 1}, Unit{"ns", kilo}, Unit{"us", mega}, Unit{"ms", giga}, Unit{"s", tera},
};
constexpr std::array byte_units{
    Unit{"B", 1},
    Unit{"kB", kilo},
    Unit{"MB", mega},
    Unit{"GB", giga},
    Unit{"TB", tera},
    Unit{"KiB", kibi, false, false},
    Unit{"MiB", mebi, false, false},
    Unit{"GiB", gibi, false, false},
    Unit{"TiB", tebi, false, false},
};
constexpr std::array bandwidth_units{
    Unit{"B/s", 1},
    Unit{"kB/s", kilo},
    Unit{"MB/s", mega},
    Unit{"GB/s", giga},
    Unit{"TB/s", tera},
    Unit{"KiB/s", kibi, false, false},
    Unit{"MiB/s", mebi, false, false},
    Unit{"GiB/s", gibi, false, false},
    Unit{"b/s", 1, true, false},
    Unit{"kb/s", kilo, true, false},
    Unit{"Mb/s", mega, true, false},
    Unit{"Gb/s", giga, true, false},
    Unit{"Tb/s", tera, true, false},
    Unit{"bps", 1, true, false},
    Unit{"kbps", kilo, true, false},
    Unit{"Mbps", mega, true, false},
    Unit{"Gbps", giga, true, false},
    Unit{"Tbps", tera, true, false},
};
constexpr std::array flops_units{
    Unit{"FLOP", 1},     Unit{"kFLOP", kilo}, Unit{"MFLOP", mega},
    Unit{"GFLOP", giga}, Unit{"TFLOP", tera}, Unit{"PFLOP", peta},
};
constexpr std::array flop_rate_units{
    Unit{"FLOP/s", 1},
    Unit{"kFLOP/s", kilo},
    Unit{"MFLOP/s", mega},
    Unit{"GFLOP/s", giga},
    Unit{"TFLOP/s", tera},
    Unit{"PFLOP/s", peta},
    Unit{"FLOPS", 1, false, false},
    Unit{"kFLOPS", kilo, false, false},
    Unit{"MFLOPS", mega, false, false},
    Unit{"GFLOPS", giga, false, false},
    Unit{"TFLOPS", tera, false, false},
    Unit{"PFLOPS", peta, false, false},
};

struct Dimension {
  std::string_view noun;       // "is a bandwidth, not a size"
  std::string_view base;       // "is not a whole number of bytes"
  std::string_view zero_unit;  // what 0 is printed in
  std::span<const Unit> units;
};

constexpr Dimension duration{"a duration", "picoseconds", "s", duration_units};
constexpr Dimension data_size{"a size", "bytes", "B", byte_units};
constexpr Dimension bandwidth{"a bandwidth", "bytes per second", "B/s", bandwidth_units};
constexpr Dimension flop_count{"an amount of FLOP", "FLOP", "FLOP", flops_units};
constexpr Dimension flop_rate{"a compute rate", "FLOP/s", "FLOP/s", flop_rate_units};
constexpr std::array dimensions{&duration, &data_size, &bandwidth, &flop_count, &flop_rate};

const Unit* find_unit(const Dimension& dimension, std::string_view name) {
  for (const Unit& unit : dimension.units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

// --- The number ---

// digits * 10^exponent, exactly; the last digit is not 0 (or all of it is).
struct Decimal {
  Unsigned128 digits = 0;
  int exponent = 0;
  bool too_long = false;  // more digits than any quantity needs
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The length of "12", "1.5", ".5", "1e3" at the start of `text`; 0 if there is no number.
std::size_t number_length(std::string_view text) {
  std::size_t at = 0;
  bool any = false;
  const auto skip_digits = [&] {
    for (; at < text.size() && is_digit(text[at]); ++at) any = true;
  };
  skip_digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    skip_digits();
  }
  if (!any) return 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t exponent = at + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    if (exponent < text.size() && is_digit(text[exponent])) {
      at = exponent;
      skip_digits();
    }
  }
  return at;
}

// REQUIRES: number_length(text) == text.size().
Decimal read_decimal(std::string_view text) {
  constexpr int most_digits = 37;            // what surely fits in 128 bits
  constexpr int exponent_limit = 1'000'000;  // beyond it only "too large" and "not whole" matter
  Decimal decimal;
  int digits = 0, zeros = 0;  // significant digits; zeros not yet known to be followed by another
  bool fraction = false;
  std::size_t at = 0;
  for (; at < text.size() && (is_digit(text[at]) || text[at] == '.'); ++at) {
    if (text[at] == '.') {
      fraction = true;
      continue;
    }
    if (fraction && decimal.exponent > -exponent_limit) --decimal.exponent;
    ++zeros;
    if (text[at] == '0') continue;
    if (digits != 0) digits += zeros - 1;
    if (++digits > most_digits) decimal.too_long = true;
    for (; zeros > 0 && !decimal.too_long; --zeros) decimal.digits *= 10;
    zeros = 0;
    decimal.digits += static_cast<unsigned>(text[at] - '0');
  }
  decimal.exponent += zeros;
  if (at < text.size()) {
    ++at;  // the 'e'
    const bool negative = text[at] == '-';
    if (!is_digit(text[at])) ++at;
    int exponent = 0;
    for (; at < text.size(); ++at) {
      if (exponent < exponent_limit) exponent = exponent * 10 + (text[at] - '0');
    }
    decimal.exponent += negative ? -exponent : exponent;
  }
  return decimal;
}

enum class Fit { exact, too_large, not_whole };

// digits * 10^exponent * unit, if that is a whole number below 2^63. Nothing is ever rounded: the
// powers of 2 and 5 in the denominator must cancel.
Fit scale(Decimal decimal, const Unit& unit, std::int64_t& value) {
  if (decimal.digits == 0) return value = 0, Fit::exact;
  int twos = std::max(0, -decimal.exponent) + (unit.of_bits ? 3 : 0);
  int fives = std::max(0, -decimal.exponent);
  std::uint64_t factor = unit.size;
  for (; twos > 0 && factor % 2 == 0; --twos) factor /= 2;
  for (; fives > 0 && factor % 5 == 0; --fives) factor /= 5;
  for (; twos > 0 && decimal.digits % 2 == 0; --twos) decimal.digits /= 2;
  for (; fives > 0 && decimal.digits % 5 == 0; --fives) decimal.digits /= 5;
  // A positive exponent can still pay for the 8 bits of a byte.
  int tens = std::max(0, decimal.exponent);
  for (; twos > 0 && tens > 0; --twos, --tens) decimal.digits *= 5;
  if (twos > 0 || fives > 0) return Fit::not_whole;
  for (; tens > 0; --tens) {
    if (decimal.digits > largest_value) return Fit::too_large;
    decimal.digits *= 10;
  }
  if (decimal.digits > largest_value / factor) return Fit::too_large;
  value = static_cast<std::int64_t>(static_cast<std::uint64_t>(decimal.digits) * factor);
  return Fit::exact;
}

// --- What to say about a unit that does not fit ---

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string accepted(const Dimension& dimension) {
  std::string list;
  for (const Unit& unit : dimension.units) {
    list += (list.empty() ? "" : ", ") + std::string(unit.name);
  }
  return list;
}

// What somebody may have meant by `name`: "400 GB" as a bandwidth GB/s, "60 TFLOPS" as an amount
// TFLOP, "32Mb" or "32 M" as a size MB or MiB, "400 GBps" GB/s, "10 µs" us.
std::vector<std::string> spellings(std::string name) {
  if (name == "\xC2\xB5s" || name == "\xCE\xBCs") return {"us"};  // the two code points of µ
  std::vector<std::string> result{name, name + "/s"};
  const std::string folded = lower(name);
  const std::string prefix = name.substr(0, 1);
  const bool has_prefix = std::string_view("kmgt").find(folded[0]) != std::string_view::npos;
  if (folded.ends_with("/s")) {
    result.push_back(name.substr(0, name.size() - 2));
  } else if (folded.ends_with("flops")) {
    name.pop_back();
    result.insert(result.end(), {name, name + "/s"});
  } else if (folded.ends_with("ps")) {
    result.push_back(name.substr(0, name.size() - 2) + "/s");
  } else if (has_prefix && folded.size() == 1) {
    for (const char* rest : {"b", "ib", "b/s", "B/s"}) result.push_back(prefix + rest);
  } else if (has_prefix && (name == "KB" || name.substr(1) == "b")) {
    result.push_back(prefix + "ib");
  }
  return result;
}

// The units of the dimension that `name` may stand for: those that one of the spellings names
// exactly, or, if there are none, those that differ in upper and lower case only. Synonyms appear
// once.
std::vector<std::string_view> similar_units(const Dimension& dimension, std::string_view name) {
  const std::vector<std::string> wanted = spellings(std::string(name));
  std::vector<const Unit*> similar;
  const auto collect = [&](auto same) {
    for (const Unit& unit : dimension.units) {
      const bool fits =
          std::ranges::any_of(wanted, [&](auto& text) { return same(unit.name, text); });
      const bool known = std::ranges::any_of(similar, [&](const Unit* other) {
        return other->size == unit.size && other->of_bits == unit.of_bits;
      });
      if (fits && !known) similar.push_back(&unit);
    }
  };
  collect([](std::string_view unit, std::string_view text) { return unit == text; });
  if (similar.empty()) {
    collect(
        [](std::string_view unit, std::string_view text) { return lower(unit) == lower(text); });
  }
  std::vector<std::string_view> names;
  for (const Unit* unit : similar) names.push_back(unit->name);
  return names;
}

UnitError wrong_unit(const Dimension& dimension, std::string_view number, std::string_view name) {
  std::string text = fmt::format("is not {}", dimension.noun);
  for (const Dimension* other : dimensions) {
    if (find_unit(*other, name) != nullptr) {
      text = fmt::format("is {}, not {}", other->noun, dimension.noun);
    }
  }
  const std::vector<std::string_view> similar = similar_units(dimension, name);
  if (similar.empty()) return {fmt::format("{} (accepted: {})", text, accepted(dimension))};
  std::string options;
  for (const std::string_view unit : similar) {
    options += fmt::format("{}{} {}", options.empty() ? "" : " or ", number, unit);
  }
  return {fmt::format("{} (did you mean {}?)", text, options)};
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view spaces = " \t";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

template <class Q>
Parsed<Q> parse(const Dimension& dimension, std::string_view text) {
  text = trim(text);
  const auto with_example = [&](std::string_view what) {
    return UnitError{fmt::format("{} (write a number and a unit: {})", what, accepted(dimension))};
  };
  if (text.empty()) return with_example("is empty");
  const bool negative = text.front() == '-';
  const std::size_t length = number_length(negative ? text.substr(1) : text);
  if (length == 0) return with_example("does not start with a number");
  if (negative) return UnitError{"is negative"};
  const std::string_view number = text.substr(0, length);
  const std::string_view name = trim(text.substr(length));
  if (name.empty())
    return UnitError{fmt::format("has no unit (accepted: {})", accepted(dimension))};
  const Unit* unit = find_unit(dimension, name);
  if (unit == nullptr) return wrong_unit(dimension, number, name);

  const Decimal decimal = read_decimal(number);
  if (decimal.too_long) return UnitError{"has more digits than can be represented"};
  Q quantity;
  switch (scale(decimal, *unit, quantity.value)) {
    case Fit::exact:
      return quantity;
    case Fit::too_large:
      return UnitError{fmt::format("is too large (at most {} {})", largest_value, dimension.base)};
    case Fit::not_whole:
      break;
  }
  return UnitError{fmt::format("is not a whole number of {}", dimension.base)};
}

// --- Printing ---

std::uint64_t magnitude(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? 0 - bits : bits;
}
Unsigned128 magnitude(Signed128 value) {
  const auto bits = static_cast<Unsigned128>(value);
  return value < 0 ? 0 - bits : bits;
}

// magnitude / unit with 4 significant digits, half away from zero, no trailing zeros; or nothing if
// that rounds to `limit`, where the next larger unit begins.
std::optional<std::string> rounded(Unsigned128 value, std::uint64_t unit, std::uint64_t limit) {
  std::uint64_t parts = 1'000;  // of one unit, that are still significant
  int decimals = 3;
  for (Unsigned128 whole = value / unit; whole >= 10 && decimals > 0; whole /= 10) {
    parts /= 10;
    --decimals;
  }
  const Unsigned128 count = (value * parts * 2 + unit) / 2 / unit;
  if (limit != 0 && count >= static_cast<Unsigned128>(limit) * parts) return std::nullopt;
  std::string text = fmt::format("{}", count / parts);
  if (decimals == 0) return text;
  text += fmt::format(".{:0{}}", static_cast<std::uint64_t>(count % parts), decimals);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string for_people(const Dimension& dimension, Signed128 value) {
  if (value == 0) return fmt::format("0 {}", dimension.zero_unit);
  const Unsigned128 size = magnitude(value);
  std::vector<Unit> units;  // ascending
  for (const Unit& unit : dimension.units) {
    if (unit.printed) units.push_back(unit);
  }
  std::size_t at = units.size() - 1;
  while (at > 0 && units[at].size > size) --at;
  const bool last = at + 1 == units.size();
  std::optional<std::string> number =
      rounded(size, units[at].size, last ? 0 : units[at + 1].size / units[at].size);
  if (!number) number = "1", ++at;  // 999.96 us is 1 ms
  return fmt::format("{}{} {}", value < 0 ? "-" : "", *number, units[at].name);
}

// In the unit that gives the smallest whole number.
// size / unit, exactly, with at most 3 decimals; empty if that is impossible or less than 1.
std::string exact_number(std::uint64_t size, std::uint64_t unit) {
  if (size < unit) return "";
  const Unsigned128 thousandths = Unsigned128{size % unit} * 1'000;
  if (thousandths % unit != 0) return "";
  std::string text =
      fmt::format("{}.{:03}", size / unit, static_cast<std::uint64_t>(thousandths / unit));
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string exactly(const Dimension& dimension, std::int64_t value) {
  if (value == 0) return fmt::format("0 {}", dimension.zero_unit);
  const Unit* best = &dimension.units.front();
  std::string shortest = fmt::format("{}", magnitude(value));
  for (const Unit& unit : dimension.units) {
    if (unit.of_bits) continue;
    const std::string number = exact_number(magnitude(value), unit.size);
    // A point counts twice: "18234567890 ps" reads better than "18234567.89 ns".
    const auto length = [](const std::string& text) {
      return text.size() + static_cast<std::size_t>(std::ranges::count(text, '.'));
    };
    if (number.empty() || length(number) > length(shortest)) continue;
    if (length(number) == length(shortest) && unit.size <= best->size) continue;
    best = &unit;
    shortest = number;
  }
  return fmt::format("{}{} {}", value < 0 ? "-" : "", shortest, best->name);
}

}  // namespace

Parsed<Duration> parse_duration(std::string_view text) { return parse<Duration>(duration, text); }
Parsed<Bytes> parse_bytes(std::string_view text) { return parse<Bytes>(data_size, text); }
Parsed<Bandwidth> parse_bandwidth(std::string_view text) {
  return parse<Bandwidth>(bandwidth, text);
}
Parsed<Flops> parse_flops(std::string_view text) { return parse<Flops>(flop_count, text); }
Parsed<FlopRate> parse_flop_rate(std::string_view text) { return parse<FlopRate>(flop_rate, text); }

std::string to_text(Duration value) { return for_people(duration, value.value); }
std::string to_text(Time value) {
  return value == Time::never() ? "never" : to_text(value.since_start);
}
std::string to_text(Bytes value) { return for_people(data_size, value.value); }
std::string to_text(Bandwidth value) { return for_people(bandwidth, value.value); }
std::string to_text(Flops value) { return for_people(flop_count, value.value); }
std::string to_text(FlopRate value) { return for_people(flop_rate, value.value); }

std::string to_text(TotalTime value) { return for_people(duration, value.wide()); }
std::string to_text(TotalBytes value) { return for_people(data_size, value.wide()); }
std::string to_text(TotalFlops value) { return for_people(flop_count, value.wide()); }
std::string digits(TotalTime value) { return fmt::format("{}", value.wide()); }
std::string digits(TotalBytes value) { return fmt::format("{}", value.wide()); }

std::string exact_text(Duration value) { return exactly(duration, value.value); }
std::string exact_text(Bytes value) { return exactly(data_size, value.value); }
std::string exact_text(Bandwidth value) { return exactly(bandwidth, value.value); }
std::string exact_text(Flops value) { return exactly(flop_count, value.value); }
std::string exact_text(FlopRate value) { return exactly(flop_rate, value.value); }

}  // namespace orrery
