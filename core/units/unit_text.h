// Quantities as people write them: "1.5 us", "64 MiB", "400 Gb/s", "60 TFLOP/s".
//
// Accepted (case matters where it changes the meaning; the space is optional):
//   Duration   ps ns us ms s
//   Bytes      B kB MB GB TB (powers of 1000)   KiB MiB GiB TiB (powers of 1024)
//   Bandwidth  B/s kB/s MB/s GB/s TB/s   KiB/s MiB/s GiB/s   b/s kb/s Mb/s Gb/s Tb/s, also Gbps ...
//   Flops      FLOP kFLOP MFLOP GFLOP TFLOP PFLOP
//   FlopRate   the same with /s, also TFLOPS
// The number is decimal ("0.5", "1e3", "65536"); the value must come out as a whole number of the
// type's unit (picoseconds, bytes, bytes/s, FLOP): "0.3 B" is an error, not 0. Range is checked.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "core/units/total.h"
#include "core/units/units.h"

namespace orrery {

// Why a text is not a quantity, ready to follow `"TEXT" ` in a message: for example
// `has no unit (accepted: ps, ns, us, ms, s)`, or `is not a size (did you mean 32 MB or 32 MiB?)`.
struct UnitError {
  std::string what;
};

template <class Q>
using Parsed = std::variant<Q, UnitError>;

Parsed<Duration> parse_duration(std::string_view text);
Parsed<Bytes> parse_bytes(std::string_view text);
Parsed<Bandwidth> parse_bandwidth(std::string_view text);
Parsed<Flops> parse_flops(std::string_view text);
Parsed<FlopRate> parse_flop_rate(std::string_view text);

// For people, 4 significant digits in the largest unit that keeps the number >= 1: "18.23 ms",
// "114.8 MB", "12.5 GB/s". Zero is "0 s", "0 B", ...
std::string to_text(Duration);
std::string to_text(Time);
std::string to_text(Bytes);
std::string to_text(Bandwidth);
std::string to_text(Flops);
std::string to_text(FlopRate);
std::string to_text(TotalTime);
std::string to_text(TotalBytes);
std::string to_text(TotalFlops);

// Exact, in the unit that gives the shortest number of at most 3 decimals, and parseable if not
// negative: parse(exact_text(q)) == q. "12.5 GB/s", "500 ns", "1 MiB" or "1048577 B".
std::string exact_text(Duration);
std::string exact_text(Bytes);
std::string exact_text(Bandwidth);
std::string exact_text(Flops);
std::string exact_text(FlopRate);

// All decimal digits, in picoseconds or bytes.
std::string digits(TotalTime);
std::string digits(TotalBytes);

}  // namespace orrery
