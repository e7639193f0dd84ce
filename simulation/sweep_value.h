// A value of a sweep's key as it is written: a number, a quantity with a unit, or a text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orrery {

enum class SweepValueKind { text, number, bytes, duration, bandwidth, flops, flop_rate };

std::string_view name_of(SweepValueKind kind);  // "a size", "a time", ...

struct SweepValue {
  SweepValueKind kind = SweepValueKind::text;
  double number = 0;  // in the kind's unit: bytes, ps, ...; of a percentage the share
  std::string text;   // as it is written
};

SweepValue sweep_value(std::string_view text);

// The same for values that mean the same: "1 us", "1000 ns".
std::string identity_of(const SweepValue& value);

// The text of a quantity that is rounded to three digits, or exact if it has fewer. Nothing if the
// kind is a text.
std::optional<std::string> rounded_text(SweepValueKind kind, double number);

}  // namespace orrery
