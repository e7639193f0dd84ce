// What values of RoCE's keys can be.
#pragma once

#include <optional>

#include "frontends/yaml/scalar_types.h"

namespace orrery::yaml {

template <>
inline constexpr auto last_word<RecoveryKind> = RecoveryKind::selective_repeat;
template <>
inline constexpr auto last_word<PortScheduler> = PortScheduler::dwrr;
template <>
inline constexpr auto last_word<ClassContent> = ClassContent::control;
template <>
inline constexpr auto last_word<ClassOverflow> = ClassOverflow::trim;
template <>
inline constexpr auto last_word<UetControl> = UetControl::both;
template <>
inline constexpr auto last_word<WatchdogAction> = WatchdogAction::drop;

// A size; for RoCE also bdp (one of the path) or none.
struct WindowSize {
  std::int64_t value = 0;
  PairWindow::Kind kind = PairWindow::Kind::bytes;
};
template <>
struct ScalarType<WindowSize> {
  static FromText<WindowSize> parse(const std::string& text);
  static std::string text(const WindowSize& window);
  static SchemaType schema() {
    return {.json_types = {"string"},
            .title = "size, such as 64 MiB; RoCE: also bdp, none or automatic"};
  }
};

// The path MTU, which RDMA's tools write as a plain number: 4096.
struct PayloadSize {
  std::int64_t value = 0;
};
template <>
struct ScalarType<PayloadSize> {
  static FromText<PayloadSize> parse(const std::string& text);
  static std::string text(const PayloadSize& size) { return exact_text(bytes(size.value)); }
  static SchemaType schema() {
    return {.json_types = {"string", "integer"}, .title = "size, such as 4096 or 4096 B"};
  }
};

// Of TCP: segments. Of NDP: a size, or so many BDPs of the path.
struct InitialWindow {
  std::int32_t segments = 0;  // 0: not these
  std::optional<Bytes> size = {};
  double bdps = 0;
};
template <>
struct ScalarType<InitialWindow> {
  static FromText<InitialWindow> parse(const std::string& text);
  static std::string text(const InitialWindow& window);
  static SchemaType schema() {
    return {.json_types = {"integer", "string"}, .title = "10 (segments); NDP: 1 bdp, or a size"};
  }
};

// A value, or `automatic`.
template <class T>
struct Automatic {
  std::optional<T> given;
};
template <class T>
struct ScalarType<Automatic<T>> {
  static FromText<Automatic<T>> parse(const std::string& text) {
    if (text == "automatic") return Automatic<T>{};
    FromText<T> parsed = ScalarType<T>::parse(text);
    if (auto* wrong = std::get_if<WrongText>(&parsed)) return std::move(*wrong);
    return Automatic<T>{std::get<T>(parsed)};
  }
  static std::string text(const Automatic<T>& one) {
    return one.given ? ScalarType<T>::text(*one.given) : "automatic";
  }
  static SchemaType schema() {
    return {.json_types = {"string"}, .title = "automatic, or as 1.5 us, 64 kB"};
  }
};

// A size, or a size for each Gb/s of the link: "4 kB per Gb/s".
struct RampSize {
  Bytes size;
  bool per_gigabit = false;
};
template <>
struct ScalarType<RampSize> {
  static FromText<RampSize> parse(const std::string& text);
  static std::string text(const RampSize& one);
  static SchemaType schema() {
    return {.json_types = {"string"}, .title = "size, such as 64 kB or 4 kB per Gb/s"};
  }
};

// Memory: a size, or so many full packets of the transport ("64 packets"), or a size for each Gb/s
// of the link.
struct BufferSize {
  Bytes size = {};
  bool per_gigabit = false;
  std::int64_t packets = 0;  // 0: not these

  Bytes of(Bytes full_packet) const { return packets > 0 ? full_packet * packets : size; }
};
template <>
struct ScalarType<BufferSize> {
  static FromText<BufferSize> parse(const std::string& text);
  static std::string text(const BufferSize& one);
  static SchemaType schema() {
    return {.json_types = {"string"}, .title = "size, such as 32 MB or 64 packets"};
  }
};

// A factor above 0, also as a fraction: 0.125, "1/8", "8".
struct Ratio {
  double factor = 0;
};
template <>
struct ScalarType<Ratio> {
  static FromText<Ratio> parse(const std::string& text);
  static std::string text(const Ratio& one) { return ScalarType<double>::text(one.factor); }
  static SchemaType schema() {
    return {.json_types = {"number", "string"}, .title = "factor, such as 0.125 or 1/8"};
  }
};

}  // namespace orrery::yaml
