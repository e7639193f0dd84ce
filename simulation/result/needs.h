// What a kind of communication needs of the levels that it goes over.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "network/network_spec.h"
#include "network/topology/topology.h"
#include "simulation/network_rows.h"
#include "system/rank/traffic_account.h"

namespace orrery {

// What one kind of communication cost on a level, next to other things on the way.
struct Needs {
  int level;
  double carried, latency;
  double in_all = carried;  // carried, before it is cut to the time that there was
};

// Sends and receives go on at the same time: those that need more count.
std::vector<Needs> needs_of(const TrafficAccount& account);

// Of what all kinds of traffic of a rank carry, the part of one of them.
double share_of(const TrafficAccount& account, std::span<const TrafficAccount> all);

// The same of what leaves NPUs by the port of a level, for that level or another one.
double share_at_port(const TrafficAccount& account, std::span<const TrafficAccount> all,
                     const Topology& topology, std::size_t level);

// Where nodes store messages whole (Carriage::stored_whole), bytes cost time on each link of the
// way, and a taper none unless its links are full: what a level carries for collectives is what its
// links were busy, as a mean over `ranks`. `share`: of that, what this kind of them makes.
void count_each_link(std::vector<Needs>& levels, std::span<const LevelSpec> known,
                     std::span<const LinkRow> links, Duration finish, double share);

// The fullest link of all, which a fault made slower than it was built.
struct DegradedLink {
  std::string name;
  int level;
  double busy;  // ps
};
// `links`: the busiest first. None if the fullest one that is up is as it was built.
std::optional<DegradedLink> fullest_if_degraded(const NetworkSpec& network,
                                                const Topology& topology,
                                                std::span<const LinkRow> links, Duration finish);

// What crosses the level of such a link waits for it: the level carries for as long as the link is
// busy, and not as its ports would. `all`: every kind of traffic of the rank, of which `account` is
// one; each is charged with its part of what crosses the level. False if that is not more than the
// ports need, or the link idles for half of the time `under_way`.
bool count_degraded_link(std::vector<Needs>& levels, const DegradedLink& link,
                         std::span<const TrafficAccount> all, double under_way);

// Gives each level what it needs, those that need most first, as long as there is time.
void fill(std::vector<Needs>& levels, double& left, double Needs::*need);

// A level behind another port that carries for about as long as this one at the same time, so that
// both together need more than the time that there was. Null if none does.
const Needs* works_beside(const std::vector<Needs>& levels, const Needs& level, double under_way,
                          const Topology& topology);

}  // namespace orrery
