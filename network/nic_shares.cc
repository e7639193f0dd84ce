#include "network/nic_shares.h"

#include <algorithm>
#include <cstddef>

namespace orrery {

NicShares::NicShares(const Topology& topology)
    : topology_(topology),
      shares_(static_cast<std::size_t>(topology.npu_count())),
      serves_(topology.levels().size()) {
  struct Nic {
    Bandwidth out;  // to what is no NPU
    std::int32_t npus = 0;
  };
  std::vector<Nic> nics(static_cast<std::size_t>(topology.node_count()));
  const auto is = [&](NodeId node, NodeKind kind) { return topology.node_kind(node) == kind; };
  for (const Link& link : topology.links()) {
    if (is(link.from, NodeKind::nic) && !is(link.to, NodeKind::npu))
      nics[static_cast<std::size_t>(link.from.value)].out += link.bandwidth;
    if (!is(link.from, NodeKind::npu) || !is(link.to, NodeKind::nic)) continue;
    ++nics[static_cast<std::size_t>(link.to.value)].npus;
    serves_[static_cast<std::size_t>(topology.port_level(link.level))] = true;
  }
  for (const Link& link : topology.links()) {
    if (!is(link.from, NodeKind::npu) || !is(link.to, NodeKind::nic)) continue;
    const Nic& nic = nics[static_cast<std::size_t>(link.to.value)];
    const Bandwidth part{nic.out.value / nic.npus};
    Share& share = shares_[static_cast<std::size_t>(link.from.value)];
    share.bus += link.bandwidth;
    share.nics += part;
    share.both += std::min(part, link.bandwidth);
    share.alone += std::min(nic.out, link.bandwidth);
  }
}

bool NicShares::serves(int level) const {
  return serves_[static_cast<std::size_t>(topology_.port_level(level))];
}

Bandwidth NicShares::at(std::int32_t npu, int level) const {
  const Bandwidth ports = topology_.injection_bandwidth(level);
  const Bandwidth share = shares_[static_cast<std::size_t>(npu)].both;
  return serves(level) && share > Bandwidth{} ? std::min(ports, share) : ports;
}

Bandwidth NicShares::mean(int level, std::int32_t npus) const {
  double sum = 0;  // where a bandwidth is as good as infinite, many of them are no int64_t
  for (std::int32_t npu = 0; npu < npus; ++npu) sum += static_cast<double>(at(npu, level).value);
  return Bandwidth{static_cast<std::int64_t>(sum / npus)};
}

Bandwidth NicShares::least(int level) const {
  Bandwidth least = at(0, level);
  for (std::int32_t npu = 1; npu < topology_.npu_count(); ++npu)
    least = std::min(least, at(npu, level));
  return least;
}

Bandwidth NicShares::bus(std::int32_t npu) const {
  return shares_[static_cast<std::size_t>(npu)].bus;
}

Bandwidth NicShares::part_of_nics(std::int32_t npu) const {
  return shares_[static_cast<std::size_t>(npu)].nics;
}

Bandwidth NicShares::alone(std::int32_t npu) const {
  return shares_[static_cast<std::size_t>(npu)].alone;
}

}  // namespace orrery
