#include "network/roce_spec.h"

namespace orrery {
namespace {

constexpr Bandwidth megabits(std::int64_t n) { return Bandwidth{125'000} * n; }

// The DCQCN of NIC firmware as published simulators write it: alpha every microsecond, no byte
// counter, additive increase after the first recovery.
RoceSpec firmware_dcqcn(Duration timer, Bandwidth additive, Bandwidth hyper) {
  RoceSpec spec;
  spec.congestion_control = "dcqcn";
  spec.payload = bytes(1'000);
  spec.dcqcn.alpha_timer = microseconds(1);
  spec.dcqcn.timer = timer;
  spec.dcqcn.fast_recovery = 1;
  spec.dcqcn.additive_increase = additive;
  spec.dcqcn.hyper_increase = hyper;
  spec.dcqcn.minimum_rate = megabits(100);
  spec.dcqcn.byte_counter = bytes(std::int64_t{1} << 60);
  spec.cnp_interval = microseconds(4);  // their NICs cut at most so often
  return spec;
}

RoceSpec hpcc_artifact() {
  RoceSpec spec;
  spec.congestion_control = "hpcc";
  spec.payload = bytes(1'000);
  spec.hpcc.additive_stages = 0;
  return spec;
}

}  // namespace

// The artifacts' parameters, for links of 100 Gb/s where they grow with the rate.
std::span<const RocePreset> roce_presets() {
  static const RocePreset presets[] = {
      {"dcqcn-2015", "DCQCN with the parameters of its paper (SIGCOMM 2015)", RoceSpec{}},
      {"hpcc-artifact",
       "HPCC as its published simulator runs it: payload 1,000, no additive stages",
       hpcc_artifact()},
      {"astra-sim", "DCQCN as ASTRA-sim's ns-3 back end has it by default",
       firmware_dcqcn(microseconds(900), megabits(50), megabits(100))},
      {"conweave", "DCQCN as the ConWeave artifact has it (SIGCOMM 2023)",
       firmware_dcqcn(microseconds(300), megabits(40), megabits(100))}};
  return presets;
}

}  // namespace orrery
