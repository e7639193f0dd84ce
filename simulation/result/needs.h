// What a kind of communication needs of the levels that it goes over.
#pragma once

#include <span>
#include <vector>

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

// Where nodes store messages whole (Carriage::stored_whole), bytes cost time on each link of the
// way, and a taper none unless its links are full: what a level carries for collectives is what its
// links were busy, as a mean over `ranks`. `share`: of that, what this kind of them makes.
void count_each_link(std::vector<Needs>& levels, std::span<const LevelSpec> known,
                     std::span<const LinkRow> links, Duration finish, double share);

// Gives each level what it needs, those that need most first, as long as there is time.
void fill(std::vector<Needs>& levels, double& left, double Needs::*need);

// A level behind another port that carries for about as long as this one at the same time, so that
// both together need more than the time that there was. Null if none does.
const Needs* works_beside(const std::vector<Needs>& levels, const Needs& level, double under_way,
                          const Topology& topology);

}  // namespace orrery
