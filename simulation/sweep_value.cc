#include "simulation/sweep_value.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <variant>

#include "core/units/unit_text.h"

namespace orrery {

namespace {

std::optional<double> plain_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

template <class T>
bool read(SweepValue& value, SweepValueKind kind, const Parsed<T>& parsed) {
  const T* quantity = std::get_if<T>(&parsed);
  if (quantity == nullptr) return false;
  value.kind = kind;
  value.number = static_cast<double>(quantity->value);
  return true;
}

}  // namespace

std::string_view name_of(SweepValueKind kind) {
  switch (kind) {
    case SweepValueKind::text:
      return "a word";
    case SweepValueKind::number:
      return "a number";
    case SweepValueKind::bytes:
      return "a size";
    case SweepValueKind::duration:
      return "a time";
    case SweepValueKind::bandwidth:
      return "a bandwidth";
    case SweepValueKind::flops:
      return "a count of FLOP";
    case SweepValueKind::flop_rate:
      return "a compute rate";
  }
  return "";
}

SweepValue sweep_value(std::string_view text) {
  SweepValue value{.text = std::string(text)};
  if (text.empty() || text.front() < '+' || text.front() > '9') return value;
  if (const auto number = plain_number(text)) {
    value.kind = SweepValueKind::number;
    value.number = *number;
    return value;
  }
  if (text.back() == '%') {
    std::string_view share = text.substr(0, text.size() - 1);
    while (share.ends_with(' ')) share.remove_suffix(1);
    if (const auto number = plain_number(share)) {
      value.kind = SweepValueKind::number;
      value.number = *number / 100;
    }
    return value;
  }
  (void)(read(value, SweepValueKind::duration, parse_duration(text)) ||
         read(value, SweepValueKind::bytes, parse_bytes(text)) ||
         read(value, SweepValueKind::bandwidth, parse_bandwidth(text)) ||
         read(value, SweepValueKind::flops, parse_flops(text)) ||
         read(value, SweepValueKind::flop_rate, parse_flop_rate(text)));
  return value;
}

std::string identity_of(const SweepValue& value) {
  if (value.kind == SweepValueKind::text) return "=" + value.text;
  return fmt::format("{}:{}", static_cast<int>(value.kind), value.number);
}

std::optional<std::string> rounded_text(SweepValueKind kind, double number) {
  if (kind == SweepValueKind::text) return std::nullopt;
  if (kind == SweepValueKind::number) return fmt::format("{:.3g}", number);
  const double step =
      number < 1000 ? 1 : std::pow(10, std::floor(std::log10(number * (1 + 1e-12))) - 2);
  const auto whole = static_cast<std::int64_t>(std::llround(std::round(number / step) * step));
  switch (kind) {
    case SweepValueKind::bytes:
      return exact_text(Bytes{whole});
    case SweepValueKind::duration:
      return exact_text(Duration{whole});
    case SweepValueKind::bandwidth:
      return exact_text(Bandwidth{whole});
    case SweepValueKind::flops:
      return exact_text(Flops{whole});
    case SweepValueKind::flop_rate:
      return exact_text(FlopRate{whole});
    default:
      return std::nullopt;
  }
}

}  // namespace orrery
