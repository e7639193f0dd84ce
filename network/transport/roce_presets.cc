#include "network/roce_spec.h"

namespace orrery {
namespace {

constexpr Bandwidth megabits(std::int64_t n) { return Bandwidth{125'000} * n; }

// The DCQCN of NIC firmware as published simulators write it: cuts and alpha by clocks, no byte
// counter, the target kept over cuts that follow each other. Of the increases after a cut the first
// recovers, the second adds, all others add more; theirs count from 0 (FAST_RECOVERY_TIMES 1).
// Their acknowledgements say of every packet whether it was marked; a CNP in half of alpha's
// interval tells as much.
RoceSpec firmware_dcqcn(Duration timer, Bandwidth additive, Bandwidth hyper) {
  RoceSpec spec;
  spec.congestion_control = "dcqcn";
  spec.payload = bytes(1'000);
  spec.dcqcn.alpha_timer = microseconds(1);
  spec.dcqcn.timer = timer;
  spec.dcqcn.decrease_interval = microseconds(4);
  spec.dcqcn.clamp_target = false;
  spec.dcqcn.fast_recovery = 2;
  spec.dcqcn.additive_increase = additive;
  spec.dcqcn.hyper_increase = hyper;
  spec.dcqcn.minimum_rate = megabits(100);
  spec.dcqcn.byte_counter = {};
  spec.cnp_interval = nanoseconds(500);
  return spec;
}

RoceSpec conweave_artifact() {
  RoceSpec spec = firmware_dcqcn(microseconds(300), megabits(40), megabits(100));
  spec.dcqcn.cut_on_loss = true;
  spec.nack_interval = microseconds(4);
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
      {"conweave", "DCQCN as the ConWeave artifact has it (SIGCOMM 2023)", conweave_artifact()}};
  return presets;
}

}  // namespace orrery
