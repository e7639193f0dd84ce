// What a kind of communication needs of the levels that it goes over.
#pragma once

#include <vector>

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

// Gives each level what it needs, those that need most first, as long as there is time.
void fill(std::vector<Needs>& levels, double& left, double Needs::*need);

}  // namespace orrery
