#include "system/measured_protocols.h"

#include <algorithm>
#include <vector>

namespace orrery {

namespace {

// Facts of NCCL's own model (src/graph/tuning.cc, src/graph/topo.h; 2.8 for Volta and Ampere, 2.27
// for later ones). `hw` are latencies of a step by NVLink and by network; of these 0.2 us and twice
// 10 ns, or 1 us and twice 10 ns, are latencies of the wire in Orrery's platforms. What NCCL
// reaches of a GPU's NVLink, each way: V100 6 x 20.0 of 150 GB/s, A100 12 x 20.0 (at most 235) of
// 300, H100 18 x 20.6 of 450, B200 18 x 40.1 of 900. LL is capped: 39 GB/s on Volta, 141 on Hopper,
// 282 on Blackwell; LL128 reaches 0.92 of the rest.
constexpr Duration ll_launch = nanoseconds(6'600), ll128_launch = nanoseconds(14'000),
                   simple_launch = nanoseconds(8'400);
constexpr Duration ll_step = nanoseconds(600 - 220), ll128_step = nanoseconds(1'900 - 220),
                   simple_step = nanoseconds(3'400 - 220);

// Between nodes the network carries what it can: half of LL's bytes and 120 of 128 of LL128's are
// data.
void add_between_nodes(std::vector<ProtocolCost>& costs) {
  const auto row = [&](Protocol protocol, Duration launch, Duration step, Share efficiency) {
    costs.push_back({.protocol = protocol,
                     .algorithm = "",
                     .launch = launch,
                     .step = step,
                     .efficiency = efficiency,
                     .least = {},
                     .scope = Scope::scale_out});
  };
  row(Protocol::ll, ll_launch, nanoseconds(2'700 - 1'020), {1, 2});
  row(Protocol::ll128, ll128_launch, nanoseconds(4'000 - 1'020), {120, 128});
  row(Protocol::simple, simple_launch, nanoseconds(14'000 - 1'020), {1, 1});
}

struct InNode {
  Duration ll_step, ll128_step, simple_step;
  Share ll, ll128, simple;
  Bytes least_of_ll128 = {};
};
std::vector<ProtocolCost> costs_of(const InNode& inside) {
  std::vector<ProtocolCost> costs;
  const auto row = [&](Protocol protocol, Duration launch, Duration step, Share efficiency) {
    costs.push_back({.protocol = protocol,
                     .algorithm = "",
                     .launch = launch,
                     .step = step,
                     .efficiency = efficiency,
                     .least = {},
                     .scope = Scope::local});
  };
  row(Protocol::ll, ll_launch, inside.ll_step, inside.ll);
  row(Protocol::ll128, ll128_launch, inside.ll128_step, inside.ll128);
  costs.back().least = inside.least_of_ll128;
  row(Protocol::simple, simple_launch, inside.simple_step, inside.simple);
  add_between_nodes(costs);
  return costs;
}

void add_switch(std::vector<ProtocolCost>& costs, Duration step, Share efficiency) {
  costs.push_back({.protocol = Protocol::nvls,
                   .algorithm = "ring",
                   .launch = simple_launch,
                   .step = step,
                   .efficiency = efficiency,
                   .least = {},
                   .scope = Scope::local});
}

// No curve of V100 was found: NCCL's own model, nothing calibrated.
const std::vector<ProtocolCost>& nccl_on_v100() {
  static const std::vector<ProtocolCost> costs =
      costs_of({ll_step, ll128_step, simple_step, {390, 1'500}, {1'104, 1'500}, {1'200, 1'500}});
  return costs;
}

// Calibrated on two curves, of which each has parts (scripts/calibrate_protocols.py): the step of
// LL at 128 KiB of nccl_a100_8_all_reduce.csv; the least message and the efficiency of LL128, and
// the step of simple, at 1, 16 and 32 MiB of nccl_a100_8_vtrain.csv. LL runs trees, whose 110 / 3.8
// GB/s are NCCL's constant: as a ring's bus bandwidth 25.3 GB/s.
const std::vector<ProtocolCost>& nccl_on_a100() {
  static const std::vector<ProtocolCost> costs = costs_of({picoseconds(1'508'120),
                                                           ll128_step,
                                                           picoseconds(6'710'460),
                                                           {253, 3'000},
                                                           {5'178, 10'000},
                                                           {2'350, 3'000},
                                                           bytes(1'058'360)});
  return costs;
}

// Calibrated at 1 KiB (step of LL), 4 MiB (step of LL128) and 64 MiB (step of NVLS) of
// nccl_h100_8_all_reduce.csv. With NVLS the buffer passes a port at 275 GB/s (S. Jeaugey, issue 212
// of nccl-tests).
const std::vector<ProtocolCost>& nccl_on_h100() {
  static const std::vector<ProtocolCost> costs = [] {
    std::vector<ProtocolCost> rows = costs_of({picoseconds(317'662),
                                               picoseconds(913'662),
                                               simple_step,
                                               {1'410, 4'500},
                                               {3'411, 4'500},
                                               {3'708, 4'500}});
    add_switch(rows, picoseconds(4'741'980), {2'750, 4'500});
    return rows;
  }();
  return costs;
}

// NCCL's model with the steps of H100; with NVLS 8 GiB pass 72 GB200 at 425 GB/s (pull request 43
// of coreweave/nccl-tests).
const std::vector<ProtocolCost>& nccl_on_b200() {
  static const std::vector<ProtocolCost> costs = [] {
    std::vector<ProtocolCost> rows = costs_of({picoseconds(317'662),
                                               picoseconds(913'662),
                                               simple_step,
                                               {2'820, 9'000},
                                               {6'640, 9'000},
                                               {7'218, 9'000}});
    add_switch(rows, picoseconds(4'741'980), {4'250, 9'000});
    return rows;
  }();
  return costs;
}

// NCCL's logs: "24 coll channels, 16 nvls channels, 32 p2p channels" among 8 H100 of a node, "16
// coll channels ... 2 p2p channels per peer" on two nodes (awslabs, p5.48xlarge); "24 coll
// channels" among A100. Of V100 and B200 the same is assumed. With one NIC for each rank NCCL finds
// a ring for each NIC, doubles it, and from Hopper on once more up to 16 ("4 compute channels per
// search channel", src/graph/connect.cc): "8 coll channels" of two H20 in each of two nodes (NCCL's
// issue 1189).
constexpr ChannelSpec channels_on(std::int32_t multiprocessors, std::int32_t per_rank) {
  return {.multiprocessors = multiprocessors,
          .inside = 24,
          .between = 16,
          .per_rank = per_rank,
          .pair = 2};
}

}  // namespace

std::span<const MeasuredProtocols> measured_protocols() {
  static const std::vector<MeasuredProtocols> measured{
      {"nccl-a100", "8 A100", nccl_on_a100(), channels_on(108, 2), 0.042, 26},
      {"nccl-b200", "72 GB200", nccl_on_b200(), channels_on(148, 4), 0.0, 0},
      {"nccl-h100", "8 H100", nccl_on_h100(), channels_on(132, 4), 0.066, 24},
      {"nccl-v100", "NCCL's model", nccl_on_v100(), channels_on(80, 2), 0.0, 0},
  };
  return measured;
}

const MeasuredProtocols* find_measured_protocols(std::string_view name) {
  const auto all = measured_protocols();
  const auto found = std::ranges::find(all, name, &MeasuredProtocols::name);
  return found == all.end() ? nullptr : &*found;
}

namespace {

// What a port of the device carries to its node, in one direction.
Bandwidth nvlink_of(std::string_view library) {
  if (library == "nccl-v100") return gigabytes_per_second(150);
  if (library == "nccl-a100") return gigabytes_per_second(300);
  return gigabytes_per_second(library == "nccl-h100" ? 450 : 900);
}

// A lone switch, whose file does not say that it is inside a node. The NVLink of a device is 9 to
// 18 times as fast as its NICs are (server_presets.cc; of an H800 4 times), so links of a sixth of
// it or less are those of NICs.
bool joins_nics(std::string_view library, std::span<const LevelSpec> levels) {
  constexpr std::int64_t at_least = 6;
  return levels.size() == 1 && levels[0].kind == LevelKind::switched &&
         levels[0].scope == Scope::scale_out &&
         levels[0].bandwidth * at_least <= nvlink_of(library);
}

}  // namespace

std::vector<ProtocolCost> costs_on(const MeasuredProtocols& measured,
                                   std::span<const LevelSpec> levels) {
  if (joins_nics(measured.name, levels)) {
    std::vector<ProtocolCost> between;
    for (ProtocolCost cost : measured.costs) {
      if (cost.scope == Scope::local) continue;
      cost.scope.reset();
      between.push_back(cost);
    }
    return between;
  }
  std::vector<ProtocolCost> costs(measured.costs.begin(), measured.costs.end());
  const bool own_links = !levels.empty() && (levels.front().kind == LevelKind::ring ||
                                             levels.front().kind == LevelKind::mesh);
  if (!own_links) return costs;
  for (ProtocolCost& cost : costs) {
    const ProtocolCost* between =
        find_cost(measured.costs, cost.protocol, cost.algorithm, Scope::scale_out);
    if (between != nullptr) cost.efficiency = between->efficiency;
  }
  return costs;
}

}  // namespace orrery
