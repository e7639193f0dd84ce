#include "frontends/yaml/roce_types.h"

#include "core/base/quoted.h"

namespace orrery::yaml {

FromText<WindowSize> ScalarType<WindowSize>::parse(const std::string& text) {
  if (text == "bdp") return WindowSize{1, PairWindow::Kind::bdp};
  if (text == "none") return WindowSize{1, PairWindow::Kind::none};
  if (text == "automatic") return WindowSize{1, PairWindow::Kind::automatic};
  FromText<Bytes> size = ScalarType<Bytes>::parse(text);
  if (auto* wrong = std::get_if<WrongText>(&size)) return std::move(*wrong);
  return WindowSize{std::get<Bytes>(size).value};
}

std::string ScalarType<WindowSize>::text(const WindowSize& window) {
  if (window.kind == PairWindow::Kind::bdp) return "bdp";
  if (window.kind == PairWindow::Kind::none) return "none";
  if (window.kind == PairWindow::Kind::automatic) return "automatic";
  return exact_text(bytes(window.value));
}

FromText<PayloadSize> ScalarType<PayloadSize>::parse(const std::string& text) {
  FromText<Bytes> size = parse_size(text);
  if (auto* wrong = std::get_if<WrongText>(&size)) return std::move(*wrong);
  return PayloadSize{std::get<Bytes>(size).value};
}

FromText<InitialWindow> ScalarType<InitialWindow>::parse(const std::string& text) {
  constexpr std::string_view suffix = " bdp";
  constexpr double most_bdps = 1'000;
  constexpr std::int32_t most_segments = 1 << 16;
  if (text.ends_with(suffix)) {
    FromText<double> bdps = ScalarType<double>::parse(text.substr(0, text.size() - suffix.size()));
    if (auto* wrong = std::get_if<WrongText>(&bdps)) return std::move(*wrong);
    const double value = std::get<double>(bdps);
    if (!(value > 0 && value <= most_bdps))
      return WrongText{in_quotes(text) + " is out of range",
                       "it must be from above 0 to 1,000 bdp"};
    return InitialWindow{.bdps = value};
  }
  if (text.find_first_not_of("0123456789") != std::string::npos) {
    FromText<Bytes> size = ScalarType<Bytes>::parse(text);
    if (auto* wrong = std::get_if<WrongText>(&size)) return std::move(*wrong);
    if (std::get<Bytes>(size) <= Bytes{})
      return WrongText{in_quotes(text) + " is out of range", "write a size above 0 B"};
    return InitialWindow{.size = std::get<Bytes>(size)};
  }
  FromText<std::int32_t> segments = ScalarType<std::int32_t>::parse(text);
  if (auto* wrong = std::get_if<WrongText>(&segments)) return std::move(*wrong);
  const std::int32_t value = std::get<std::int32_t>(segments);
  if (value < 1 || value > most_segments)
    return WrongText{in_quotes(text) + " is out of range",
                     "it must be from 1 to 65536 segments; of NDP a size, or 1 bdp"};
  return InitialWindow{.segments = value};
}

std::string ScalarType<InitialWindow>::text(const InitialWindow& window) {
  if (window.size) return exact_text(*window.size);
  if (window.bdps > 0) return ScalarType<double>::text(window.bdps) + " bdp";
  return ScalarType<std::int32_t>::text(window.segments);
}

FromText<BufferSize> ScalarType<BufferSize>::parse(const std::string& text) {
  constexpr std::int64_t most = 1'000'000;
  for (const std::string_view suffix : {" packets", " packet"}) {
    if (!text.ends_with(suffix)) continue;
    FromText<std::int64_t> packets =
        ScalarType<std::int64_t>::parse(text.substr(0, text.size() - suffix.size()));
    if (auto* wrong = std::get_if<WrongText>(&packets)) return std::move(*wrong);
    const std::int64_t value = std::get<std::int64_t>(packets);
    if (value < 1 || value > most)
      return WrongText{in_quotes(text) + " is out of range", "write 1 to 1,000,000 packets"};
    return BufferSize{.packets = value};
  }
  FromText<RampSize> size = ScalarType<RampSize>::parse(text);
  if (auto* wrong = std::get_if<WrongText>(&size)) return std::move(*wrong);
  const RampSize& written = std::get<RampSize>(size);
  if (written.size <= Bytes{})
    return WrongText{in_quotes(text) + " is out of range", "write a size above 0 B"};
  return BufferSize{.size = written.size, .per_gigabit = written.per_gigabit};
}

std::string ScalarType<BufferSize>::text(const BufferSize& one) {
  if (one.packets > 0)
    return ScalarType<std::int64_t>::text(one.packets) +
           (one.packets == 1 ? " packet" : " packets");
  return exact_text(one.size) + (one.per_gigabit ? " per Gb/s" : "");
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
