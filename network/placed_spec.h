// Transports whose receivers place packets by offset, in any order, as plain data.
// docs/models/unordered.md says what each setting does and where its default is from.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/units/share.h"
#include "core/units/units.h"

namespace orrery {

// Handley et al., "Re-architecting datacenter networks and stacks for low latency and high
// performance", SIGCOMM 2017.
struct NdpSpec {
  std::optional<Bytes> initial_window = {};  // sent without being pulled; else ...
  double initial_bdps = 1;                   // ... so many BDPs of the path
  // A header that finds no room goes back to its sender, instead of being lost.
  bool return_to_sender = true;
};

// The least timeout of the reference simulator (uet-htsim, DEFAULT_UEC_RTO_MIN). Unless a timeout
// is stated, it is taken as long as four idle round trips, where these are longer.
inline constexpr Duration uet_rto = microseconds(100);

// What decides how much a sender of UET may have on its way.
enum class UetControl : std::uint8_t {
  nscc,  // its window, by marks and delay
  rccc,  // its receiver's credits
  both,
};
std::string_view name_of(UetControl control);

// The network-signalled control of Ultra Ethernet 1.0: 3.6.13.3 and table 3-82 of its
// specification, as uet-htsim (initNsccParams) and another simulator after it have them.
struct NsccSpec {
  bool trimming = true;                  // UetSpec::trimming
  std::optional<Duration> target = {};   // of queueing; else 3/4 of the idle round trip, or all of
                                         // it where switches do not trim
  double largest_bdps = 1.5;             // window
  Fraction gamma = 0.8;                  // of the multiplicative decrease
  Fraction most_decrease = 0.5;          // of the window at once
  double fair_increase = 5;              // packets (times the scale of the path) in a round trip
  double proportional_increase = 4;      // packets in a round trip, at no delay
  Fraction fast_increase = 0.25;         // of what is acknowledged, on a path that stays clear
  double eta = 0.15;                     // packets, in each round trip
  Fraction delay_weight = 0.0125;        // of the newest delay in the average (uet-htsim)
  std::int32_t adjust_after = 8;         // packets acknowledged, or a round trip
  std::int32_t quick_adapt_gate = 3;     // less than the largest window shifted by so much
  std::int32_t quick_adapt_targets = 4;  // a delay so long is an alarm where nothing is trimmed
};

struct UetSpec {
  UetControl control = UetControl::nscc;
  std::int32_t entropy_values = 64;  // of a pair: paths that its packets take in turn
  bool trimming = true;
  NsccSpec nscc = {};
};

}  // namespace orrery
