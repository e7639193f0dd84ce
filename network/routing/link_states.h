// What every link can carry now, and what the routers believe it can: they learn of a change only
// some time after it.
#pragma once

#include <span>
#include <vector>

#include "core/units/units.h"
#include "network/routing_spec.h"
#include "network/topology/topology.h"

namespace orrery {

class LinkStates {
 public:
  // REQUIRES: topology outlives this.
  explicit LinkStates(const Topology& topology);

  // 0 if it is down.
  Bandwidth bandwidth(LinkIndex link) const { return now_.empty() ? nominal(link) : now_[link]; }
  bool believed_up(LinkIndex link) const { return known_.empty() || known_[link].value > 0; }
  Bandwidth believed_bandwidth(LinkIndex link) const {
    return known_.empty() ? nominal(link) : known_[link];
  }

  // The links whose bandwidth this changes, in ascending order.
  std::vector<LinkIndex> apply(const Fault& fault);
  void learn() { known_ = now_; }  // the routers hear of everything that has been applied

 private:
  Bandwidth nominal(LinkIndex link) const { return links_[link].bandwidth; }

  std::span<const Link> links_;
  // All empty until the first fault.
  std::vector<Bandwidth> own_;  // of each link, regardless of the nodes at its ends
  std::vector<bool> node_down_;
  std::vector<Bandwidth> now_, known_;
  std::int32_t node_count_;
};

}  // namespace orrery
