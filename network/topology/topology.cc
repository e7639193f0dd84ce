#include "network/topology/topology.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/check.h"
#include "network/topology/first_links.h"

namespace orrery {

std::string_view name_of(LevelKind kind) {
  switch (kind) {
    case LevelKind::ring:
      return "ring";
    case LevelKind::mesh:
      return "mesh";
    case LevelKind::fully_connected:
      return "fully_connected";
    case LevelKind::switched:
      return "switch";
    case LevelKind::graph:
      return "graph";
  }
  return "?";
}

std::string_view name_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::npu:
      return "npu";
    case NodeKind::nic:
      return "nic";
    case NodeKind::switched:
      return "switch";
  }
  return "?";
}

std::string_view name_of(Scope scope) { return scope == Scope::local ? "local" : "scale_out"; }

Topology::Topology(TopologySpec spec)
    : levels_(std::move(spec.levels)), graph_(std::move(spec.graph)) {
  CHECK(!levels_.empty(), "a topology has at least one level");
  std::int32_t npus = 1;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    LevelSpec& level = levels_[l];
    CHECK(level.size >= 2 && level.bandwidth.value > 0 && level.latency.value >= 0,
          "level {}: size {}, bandwidth {} B/s, latency {} ps", l, level.size,
          level.bandwidth.value, level.latency.value);
    CHECK((level.kind == LevelKind::graph) == (graph_ != nullptr), "level {}: {}", l,
          name_of(level.kind));
    if (level.name.empty()) level.name = "level " + std::to_string(l);
    stride_.push_back(npus);
    npus *= level.size;
  }
  npu_count_ = npus;
  node_count_ = npus;
  direct_.resize(levels_.size());
  if (graph_ == nullptr) {
    port_level_.resize(levels_.size());
    std::iota(port_level_.begin(), port_level_.end(), 0);
    build_levels();
  } else {
    node_count_ = static_cast<std::int32_t>(graph_->nodes.size());
    check_graph();
    find_direct_levels();
    port_level_ = levels_by_first_links(*graph_, stride_);
  }
}

void Topology::find_direct_levels() {
  std::vector<std::pair<NodeId, NodeId>> joined;
  for (const Link& link : graph_->links) {
    if (std::max(link.from.value, link.to.value) >= npu_count_) continue;
    joined.emplace_back(link.from, link.to);
    std::optional<Bandwidth>& least = direct_[link.level];
    least = std::min(least.value_or(link.bandwidth), link.bandwidth);
  }
  std::ranges::sort(joined);
  joined.erase(std::unique(joined.begin(), joined.end()), joined.end());
  std::vector<std::int64_t> pairs(levels_.size());
  for (const auto& [from, to] : joined)
    for (std::size_t l = 0; l < levels_.size(); ++l)
      pairs[l] += from.value / (stride_[l] * levels_[l].size) ==
                      to.value / (stride_[l] * levels_[l].size) &&
                  from.value % stride_[l] == to.value % stride_[l];
  for (std::size_t l = 0; l < levels_.size(); ++l)
    if (pairs[l] != std::int64_t{npu_count_} * (levels_[l].size - 1)) direct_[l].reset();
}

void Topology::check_graph() const {
  CHECK(node_count_ >= npu_count_, "{} nodes for {} NPUs", node_count_, npu_count_);
  for (std::int32_t node = 0; node < node_count_; ++node)
    CHECK((graph_->nodes[node].kind == NodeKind::npu) == (node < npu_count_), "node {} of {} NPUs",
          node, npu_count_);
  for (const Link& link : graph_->links)
    CHECK(std::min(link.from, link.to).value >= 0 &&
              std::max(link.from, link.to).value < node_count_ && link.from != link.to &&
              link.level >= 0 && link.level < static_cast<int>(levels_.size()) &&
              link.bandwidth.value > 0 && link.latency.value >= 0 && link.cost >= 1 &&
              link.cost <= 1000,
          "link {} -> {}: level {}, bandwidth {} B/s, latency {} ps, cost {}", link.from.value,
          link.to.value, link.level, link.bandwidth.value, link.latency.value, link.cost);
}

void Topology::build_levels() {
  for (int l = 0; l < static_cast<int>(levels_.size()); ++l) {
    first_link_.push_back(links_.size());
    first_switch_.push_back({node_count_});
    switch (levels_[l].kind) {
      case LevelKind::ring:
        build_ring(l);
        break;
      case LevelKind::mesh:
        build_mesh(l);
        break;
      case LevelKind::fully_connected:
        build_fully_connected(l);
        break;
      case LevelKind::switched:
        build_switches(l);
        break;
      case LevelKind::graph:
        break;
    }
  }
}

NodeKind Topology::node_kind(NodeId node) const {
  if (node.value < npu_count_) return NodeKind::npu;
  return graph_ ? graph_->nodes[node.value].kind : NodeKind::switched;
}

bool Topology::forwards(NodeId node) const {
  return node.value >= npu_count_ || graph_ == nullptr || graph_->npus_forward;
}

std::string Topology::node_name(NodeId node) const {
  if (graph_ && !graph_->nodes[node.value].name.empty()) return graph_->nodes[node.value].name;
  return std::string(name_of(node_kind(node))) + ' ' + std::to_string(node.value);
}

std::string Topology::link_name(LinkIndex link) const {
  return node_name(links()[link].from) + " -> " + node_name(links()[link].to);
}

// Links of a level are laid out npu by npu, port by port (see egress_link); a switch level has the
// links to the switch first, those from it after them; a mesh those upwards first, then each one's
// way back, in the same order.
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

void Topology::build_mesh(int level) {
  const LevelSpec& spec = levels_[level];
  for (const bool upwards : {true, false})
    for (std::int32_t npu = 0; npu < npu_count_; ++npu) {
      if (coordinate({npu}, level) == spec.size - 1) continue;
      const NodeId low{npu}, high{npu + stride_[level]};
      links_.push_back(
          {upwards ? low : high, upwards ? high : low, level, spec.bandwidth, spec.latency});
    }
}

std::size_t Topology::mesh_link(int level, NodeId npu, std::int32_t port) const {
  const LevelSpec& spec = levels_[level];
  const std::int32_t here = coordinate(npu, level);
  const bool upwards = spec.size == 2 ? here == 0 : port == 0;
  const std::int32_t low = upwards ? npu.value : npu.value - stride_[level];
  // Those below it that have a way up: all but the last of each line.
  const std::int32_t line = stride_[level] * spec.size, ways_up = line - stride_[level];
  const std::int32_t before = low / line * ways_up + low % line;
  return first_link_[level] + static_cast<std::size_t>(before) +
         (upwards ? 0 : static_cast<std::size_t>(npu_count_ / line) * ways_up);
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
  links_.reserve(links_.size() + 2 * static_cast<std::size_t>(npu_count_));
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
