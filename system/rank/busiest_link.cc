#include "system/rank/busiest_link.h"

#include <algorithm>

#include "network/flow_loads.h"

namespace orrery {

double seconds_of_busiest_link(const Topology& topology, int level,
                               const CollectiveAlgorithm& algorithm, Collective kind) {
  constexpr std::int32_t most_npus = 4096;
  const std::int32_t stride = topology.stride(level);
  const std::int32_t parts = topology.levels()[static_cast<std::size_t>(level)].size;
  const std::int32_t beside = std::min(stride, std::max(1, most_npus / parts));
  FlowLoads loads(topology);
  const auto add = [&](std::int32_t from, std::int32_t to, double share) {
    for (std::int32_t npu = 0; npu < beside; ++npu)
      if (!loads.add({from * stride + npu}, {to * stride + npu}, share)) return false;
    return true;
  };
  for (int variant = 0; variant < algorithm.variants(); ++variant) {
    const auto plan = algorithm.plan(kind, parts, variant);
    const double piece = 1.0 / plan->pieces() / algorithm.variants();
    for (std::int32_t part = 0; part < parts; ++part)
      for (int lane = 0; lane < plan->lanes(); ++lane)
        for (int index = 0;; ++index) {
          const Stage stage = plan->stage(part, lane, index);
          for (int i = 0; i < stage.sends; ++i) {
            const Send send = plan->send(part, lane, index, i);
            if (!add(part, send.to, piece * send.pieces.count)) return 0;
          }
          if (stage.last) break;
        }
  }
  return loads.most();
}

}  // namespace orrery
