#include "network/routing/link_states.h"

#include "core/base/check.h"

namespace orrery {

LinkStates::LinkStates(const Topology& topology)
    : links_(topology.links()), node_count_(topology.node_count()) {}

std::vector<LinkIndex> LinkStates::apply(const Fault& fault) {
  CHECK(fault.link.has_value() != fault.node.has_value(), "a fault of a link or of a node");
  if (now_.empty()) {
    for (const Link& link : links_) own_.push_back(link.bandwidth);
    now_ = known_ = own_;
    node_down_.resize(static_cast<std::size_t>(node_count_));
  }
  if (fault.node) {
    node_down_[fault.node->value] = fault.condition == LinkCondition::down;
  } else {
    Bandwidth& own = own_[*fault.link];
    if (fault.condition == LinkCondition::down) own = {};
    if (fault.condition == LinkCondition::degraded) own = fault.bandwidth;
    if (fault.condition == LinkCondition::up) own = nominal(*fault.link);
  }
  std::vector<LinkIndex> changed;
  for (LinkIndex i = 0; i < links_.size(); ++i) {
    const bool cut = node_down_[links_[i].from.value] || node_down_[links_[i].to.value];
    const Bandwidth now = cut ? Bandwidth{} : own_[i];
    if (now == now_[i]) continue;
    now_[i] = now;
    changed.push_back(i);
  }
  return changed;
}

}  // namespace orrery
