#include "frontends/yaml/roce_types.h"

#include "core/base/quoted.h"

namespace orrery::yaml {

FromText<WindowSize> ScalarType<WindowSize>::parse(const std::string& text) {
  if (text == "bdp") return WindowSize{1, PairWindow::Kind::bdp};
  if (text == "none") return WindowSize{1, PairWindow::Kind::none};
  FromText<Bytes> size = ScalarType<Bytes>::parse(text);
  if (auto* wrong = std::get_if<WrongText>(&size)) return std::move(*wrong);
  return WindowSize{std::get<Bytes>(size).value};
}

std::string ScalarType<WindowSize>::text(const WindowSize& window) {
  if (window.kind == PairWindow::Kind::bdp) return "bdp";
  if (window.kind == PairWindow::Kind::none) return "none";
  return exact_text(bytes(window.value));
}

FromText<PayloadSize> ScalarType<PayloadSize>::parse(const std::string& text) {
  FromText<Bytes> size = parse_size(text);
  if (auto* wrong = std::get_if<WrongText>(&size)) return std::move(*wrong);
  return PayloadSize{std::get<Bytes>(size).value};
}

FromText<RampSize> ScalarType<RampSize>::parse(const std::string& text) {
  constexpr std::string_view suffix = " per Gb/s";
  const bool scaled = text.ends_with(suffix);
  FromText<Bytes> size =
      ScalarType<Bytes>::parse(scaled ? text.substr(0, text.size() - suffix.size()) : text);
  if (auto* wrong = std::get_if<WrongText>(&size)) return std::move(*wrong);
  if (std::get<Bytes>(size) < Bytes{})
    return WrongText{in_quotes(text) + " is below 0", "write a size of 0 B or more"};
  return RampSize{std::get<Bytes>(size), scaled};
}

std::string ScalarType<RampSize>::text(const RampSize& one) {
  return exact_text(one.size) + (one.per_gigabit ? " per Gb/s" : "");
}

FromText<Ratio> ScalarType<Ratio>::parse(const std::string& text) {
  const std::size_t bar = text.find('/');
  double value = 1;
  for (const bool below : {false, true}) {
    if (below && bar == std::string::npos) break;
    FromText<double> part =
        ScalarType<double>::parse(below ? text.substr(bar + 1) : text.substr(0, bar));
    if (auto* wrong = std::get_if<WrongText>(&part)) return std::move(*wrong);
    value = below ? value / std::get<double>(part) : std::get<double>(part);
  }
  if (!(value > 0 && value <= 1'000))
    return WrongText{in_quotes(text) + " is out of range", "it must be from above 0 to 1,000"};
  return Ratio{value};
}

}  // namespace orrery::yaml
