// Links and nodes as users write them, by name or index, and what they become in the specs of a
// network. Each function adds to its spec and returns what is wrong, with the keys of the list that
// it is read from: "faults[2]".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/spec_problem.h"
#include "core/units/share.h"
#include "network/network_spec.h"
#include "network/topology/topology.h"

namespace orrery {

// Of network.faults.
struct WrittenFault {
  Duration at;
  std::string link, node;
  LinkCondition state = LinkCondition::down;
  std::optional<Bandwidth> bandwidth = {};
};
SpecProblems add_faults(RoutingSpec& routing, const std::vector<WrittenFault>& faults,
                        const TopologySpec& topology);

// Of network.switch.lossy_links.
struct WrittenLossyLink {
  std::string link;
  Fraction loss;
};
SpecProblems add_lossy_links(SwitchSpec& switches, const std::vector<WrittenLossyLink>& links,
                             const TopologySpec& topology);

// Of network.switch.watch; "all" are the links that leave switches.
SpecProblems add_watched_links(SwitchSpec& switches, const std::vector<std::string>& links,
                               const TopologySpec& topology);

// Of network.transport.capture.
struct WrittenCapture {
  std::string link;
  std::vector<std::int32_t> between;
};
SpecProblems add_captures(NetworkSpec& network, const std::vector<WrittenCapture>& captures,
                          const TopologySpec& topology);

}  // namespace orrery
