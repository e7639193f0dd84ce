#include "core/base/share_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/base/quoted.h"

namespace orrery {

namespace {

// digits x 10^exponent.
struct Decimal {
  std::string digits;  // without leading or trailing zeros; "0" if it is 0
  int exponent = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::optional<std::int64_t> read_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!all_digits(text) || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

// "0.25", ".25" or "2.5e-1".
std::optional<Decimal> read_decimal(std::string_view text) {
  Decimal decimal;
  const std::size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos) {
    std::string_view exponent = text.substr(e + 1);
    const bool negative = exponent.starts_with('-');
    if (negative || exponent.starts_with('+')) exponent.remove_prefix(1);
    if (!all_digits(exponent) || exponent.size() > 3) return std::nullopt;
    decimal.exponent = static_cast<int>(*read_integer(exponent)) * (negative ? -1 : 1);
    text = text.substr(0, e);
  }
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) {
    decimal.digits = text;
  } else {
    const std::string_view decimals = text.substr(point + 1);
    if (!all_digits(decimals)) return std::nullopt;
    decimal.digits = std::string(text.substr(0, point)) + std::string(decimals);
    decimal.exponent -= static_cast<int>(decimals.size());
  }
  if (!all_digits(decimal.digits)) return std::nullopt;
  while (decimal.digits.size() > 1 && decimal.digits.ends_with('0')) {
    decimal.digits.pop_back();
    ++decimal.exponent;
  }
  decimal.digits.erase(0,
                       std::min(decimal.digits.find_first_not_of('0'), decimal.digits.size() - 1));
  if (decimal.digits == "0") decimal.exponent = 0;
  return decimal;
}

// The number of "15.2 %" or "0.152".
std::optional<Decimal> read_part(std::string_view plain) {
  const bool is_percentage = plain.ends_with('%');
  if (is_percentage) plain.remove_suffix(1);
  std::optional<Decimal> decimal = read_decimal(plain);
  if (decimal && is_percentage && decimal->digits != "0") decimal->exponent -= 2;
  return decimal;
}

double number_of(const Decimal& decimal) {
  const std::string text = fmt::format("{}e{}", decimal.digits, decimal.exponent);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc()) return value;
  return decimal.exponent > 0 ? std::numeric_limits<double>::infinity() : 0;
}

// Without spaces.
std::string plain_text(std::string text) {
  std::erase(text, ' ');
  return text;
}

WrongText no_share(const std::string& text) {
  return {in_quotes(text) + " is not a share", "write for example \"15.2 %\", 0.152 or \"20/132\""};
}

WrongText more_than_the_whole(const std::string& text, bool is_bare) {
  return {in_quotes(text) + " is more than the whole",
          is_bare ? fmt::format("it must be at most 1; {} per cent are \"{} %\"", text, text)
                  : "it must be at most 100 %"};
}

// Both parts of "20/132".
std::optional<Share> read_quotient(std::string_view plain) {
  const std::size_t slash = plain.find('/');
  const auto part = read_integer(plain.substr(0, slash));
  const auto whole = read_integer(plain.substr(slash + 1));
  if (!part || !whole || *whole == 0) return std::nullopt;
  return Share{*part, *whole};
}

WrongText too_many_digits(const std::string& text) {
  return {in_quotes(text) + " has too many digits", "write it in millionths at most"};
}

}  // namespace

FromText<Share> parse_share(const std::string& text) {
  const std::string plain = plain_text(text);
  if (plain.find('/') != std::string::npos) {
    const std::optional<Share> share = read_quotient(plain);
    if (!share) return no_share(text);
    if (share->part > share->whole) return more_than_the_whole(text, false);
    if (share->whole > Share::most_whole) return too_many_digits(text);
    return *share;
  }
  const std::optional<Decimal> decimal = read_part(plain);
  if (!decimal) return no_share(text);
  if (number_of(*decimal) > 1) return more_than_the_whole(text, !plain.ends_with('%'));
  // 1 = 100/100, 0.2 = 20/100, 0.152 = 152/1000.
  const int decimals = std::max(2, -decimal->exponent);
  if (decimals > 6) return too_many_digits(text);
  Share share{*read_integer(decimal->digits), 1};
  for (int i = 0; i < decimals; ++i) share.whole *= 10;
  for (int i = 0; i < decimals + decimal->exponent; ++i) share.part *= 10;
  return share;
}

FromText<Fraction> parse_fraction(const std::string& text) {
  const std::string plain = plain_text(text);
  if (plain.find('/') != std::string::npos) {
    const std::optional<Share> share = read_quotient(plain);
    if (!share) return no_share(text);
    if (share->part > share->whole) return more_than_the_whole(text, false);
    return Fraction(static_cast<double>(share->part) / static_cast<double>(share->whole));
  }
  const std::optional<Decimal> decimal = read_part(plain);
  if (!decimal) return no_share(text);
  const double value = number_of(*decimal);
  if (value > 1) return more_than_the_whole(text, !plain.ends_with('%'));
  return Fraction(value);
}

FromText<double> parse_percentage(const std::string& text) {
  const std::optional<Decimal> decimal = read_part(plain_text(text));
  if (!decimal) return WrongText{in_quotes(text) + " is not a number", "write for example 25 %"};
  return number_of(*decimal);
}

std::string share_text(Share value) {
  const std::int64_t millionths = value.part * 1'000'000 / value.whole;
  if (millionths * value.whole != value.part * 1'000'000)
    return fmt::format("{}/{}", value.part, value.whole);
  std::string text = std::to_string(millionths / 10'000);
  if (const std::int64_t rest = millionths % 10'000; rest > 0) {
    text += fmt::format(".{:04}", rest);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + " %";
}

// From the shortest digits that give the value, so that reading them gives it again.
std::string fraction_text(Fraction value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value.part,
                                          std::chars_format::scientific);
  Decimal decimal = *read_decimal({buffer.data(), end});
  if (decimal.digits != "0") decimal.exponent += 2;
  constexpr int most_zeros = 4;
  const int decimals = -decimal.exponent;
  if (decimals > most_zeros + static_cast<int>(decimal.digits.size()))
    return fmt::format("{}e{} %", decimal.digits, decimal.exponent);
  if (decimals <= 0) return decimal.digits + std::string(-decimals, '0') + " %";
  const std::string zeros(std::max(0, decimals + 1 - static_cast<int>(decimal.digits.size())), '0');
  const std::string digits = zeros + decimal.digits;
  const std::size_t point = digits.size() - static_cast<std::size_t>(decimals);
  return fmt::format("{}.{} %", digits.substr(0, point), digits.substr(point));
}

}  // namespace orrery
