#include "system/measured_protocols.h"

#include <algorithm>
#include <vector>

namespace orrery {

namespace {

// tests/validation/data/nccl_h100_8_all_reduce.csv at four sizes: platforms/dgx-h100-nccl.yaml, by
// scripts/calibrate_protocols.py. Rows of the tree are the ring's, changed by the ratios in NCCL's
// own model: not calibrated.
const std::vector<ProtocolCost>& nccl_on_h100() {
  static const std::vector<ProtocolCost> costs{
      {Protocol::ll, "", nanoseconds(6'600), picoseconds(317'662), {3'133, 10'000}},
      {Protocol::ll128, "", nanoseconds(14'000), picoseconds(390'076), {5'654, 10'000}},
      {Protocol::simple, "", nanoseconds(8'400), picoseconds(3'162'519), {1, 1}},
      {Protocol::ll,
       "double_binary_tree",
       nanoseconds(6'800),
       picoseconds(317'662),
       {1'649, 10'000}},
      {Protocol::ll128,
       "double_binary_tree",
       nanoseconds(14'000),
       picoseconds(256'629),
       {4'780, 10'000}},
      {Protocol::simple,
       "double_binary_tree",
       nanoseconds(8'400),
       picoseconds(3'720'611),
       {92, 100}}};
  return costs;
}

// Read off tests/validation/data/nccl_a100_8_all_reduce.csv, with an NVLink of 235 GB/s, its bus
// bandwidth at 16 GiB: simple from 16 MiB, ll128 from 4 and 8 MiB, ll from 32 and 512 KiB.
const std::vector<ProtocolCost>& nccl_on_a100() {
  static const std::vector<ProtocolCost> costs{
      {Protocol::ll, "", nanoseconds(6'600), nanoseconds(2'100), {10, 100}},
      {Protocol::ll128, "", nanoseconds(14'000), nanoseconds(3'600), {977, 1'000}},
      {Protocol::simple, "", nanoseconds(8'400), nanoseconds(9'800), {1, 1}}};
  return costs;
}

}  // namespace

std::span<const MeasuredProtocols> measured_protocols() {
  static const std::vector<MeasuredProtocols> measured{
      {"nccl-a100", "8 A100", nccl_on_a100(), 0.213, 15},
      {"nccl-h100", "8 H100", nccl_on_h100(), 0.075, 23},
  };
  return measured;
}

const MeasuredProtocols* find_measured_protocols(std::string_view name) {
  const auto all = measured_protocols();
  const auto found = std::ranges::find(all, name, &MeasuredProtocols::name);
  return found == all.end() ? nullptr : &*found;
}

void use_protocols(SystemSpec& system, const MeasuredProtocols& measured) {
  system.protocols.assign(measured.costs.begin(), measured.costs.end());
  for (CollectiveSpec& spec : system.collectives) spec.protocol = Protocol::automatic;
}

}  // namespace orrery
