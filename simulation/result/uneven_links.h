// Links that are full while others that lead the same way idle, as each message takes one of its
// shortest paths: by a hash of its ends (ECMP), or by its target's port.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/network_rows.h"
#include "simulation/result/finished_run.h"
#include "simulation/result/needs.h"

namespace orrery {

// Whether a message takes one of its shortest paths, where it could take all of them (`spray`).
bool takes_one_path(const Experiment& experiment);

// The fullest link of a level.
struct UnevenLink {
  std::string level;
  double busy = 0;  // ps
  // Of its bytes, the part that it would have if all that lead the same way had as many: the links
  // up from one switch, those down to one switch. 1 of other links.
  double even = 1;
};
// Where messages take one path each; else none. `fullest`: of each level, or null.
std::vector<UnevenLink> uneven_links(const FinishedRun& run,
                                     std::span<const LinkRow* const> fullest, Duration finish);

// Whether a fifth or more of its bytes would go by other links of the level.
bool collides(std::span<const UnevenLink> links, std::string_view level);

// What such a link is busy for longer than if all were as full, and than what is needed of any
// level, for the traffic of `account`, one of `all`; if that is a fifth or more of its time, and
// this half of the time `under_way`. In ps.
double lost_to_collisions(std::span<const UnevenLink> links, std::span<const Needs> levels,
                          const TrafficAccount& account, std::span<const TrafficAccount> all,
                          const Topology& topology, double under_way);

}  // namespace orrery
