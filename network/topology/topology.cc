#include "network/topology/topology.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace orrery {

std::string_view name_of(LevelKind kind) {
  switch (kind) {
    case LevelKind::ring:
      return "ring";
    case LevelKind::fully_connected:
      return "fully_connected";
    case LevelKind::switched:
      return "switch";
  }
  return "?";
}

std::string_view name_of(Scope scope) { return scope == Scope::local ? "local" : "scale_out"; }

Topology::Topology(TopologySpec spec) : levels_(std::move(spec.levels)) {
  CHECK(!levels_.empty(), "a topology has at least one level");
  std::int32_t npus = 1;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    LevelSpec& level = levels_[l];
    CHECK(level.size >= 2 && level.bandwidth.value > 0 && level.latency.value >= 0,
          "level {}: size {}, bandwidth {} B/s, latency {} ps", l, level.size,
          level.bandwidth.value, level.latency.value);
    if (level.name.empty()) level.name = "level " + std::to_string(l);
    stride_.push_back(npus);
    npus *= level.size;
  }
  npu_count_ = npus;
  node_count_ = npus;
  for (int l = 0; l < static_cast<int>(levels_.size()); ++l) {
    first_link_.push_back(links_.size());
    switch (levels_[l].kind) {
      case LevelKind::ring:
        build_ring(l);
        break;
      case LevelKind::fully_connected:
        build_fully_connected(l);
        break;
      case LevelKind::switched:
        build_switches(l);
        break;
    }
  }
}

// Links of a level are laid out npu by npu, port by port (see egress_link); a switch level has the
// links to the switch first, those from it after them.
void Topology::build_ring(int level) {
  const LevelSpec& spec = levels_[level];
  for (std::int32_t npu = 0; npu < npu_count_; ++npu) {
    const std::int32_t here = coordinate({npu}, level);
    for (const std::int32_t step : {1, spec.size - 1}) {
      const std::int32_t there = (here + step) % spec.size;
      links_.push_back(
          {{npu}, {npu + (there - here) * stride_[level]}, level, spec.bandwidth, spec.latency});
      if (spec.size == 2) break;  // both ways round lead to the same neighbour: one link
    }
  }
}

void Topology::build_fully_connected(int level) {
  const LevelSpec& spec = levels_[level];
  for (std::int32_t npu = 0; npu < npu_count_; ++npu) {
    const std::int32_t here = coordinate({npu}, level);
    for (std::int32_t step = 1; step < spec.size; ++step) {
      const std::int32_t there = (here + step) % spec.size;
      links_.push_back(
          {{npu}, {npu + (there - here) * stride_[level]}, level, spec.bandwidth, spec.latency});
    }
  }
}

void Topology::build_switches(int level) {
  const LevelSpec& spec = levels_[level];
  const std::int32_t first_switch = node_count_;
  const auto switch_of = [&](std::int32_t npu) {
    const std::int32_t below = npu % stride_[level];
    const std::int32_t above = npu / (stride_[level] * spec.size);
    return NodeId{first_switch + above * stride_[level] + below};
  };
  for (std::int32_t npu = 0; npu < npu_count_; ++npu)
    links_.push_back({{npu}, switch_of(npu), level, spec.bandwidth, spec.latency});
  for (std::int32_t npu = 0; npu < npu_count_; ++npu)
    links_.push_back({switch_of(npu), {npu}, level, spec.bandwidth, spec.latency});
  node_count_ += npu_count_ / spec.size;
}

Bandwidth Topology::injection_bandwidth(int level) const {
  return levels_[level].bandwidth * ports(level);
}

}  // namespace orrery
