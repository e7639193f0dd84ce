// Several jobs on one platform, each on NPUs of its own: one job for the system layer, in which
// they share nothing but the network.
#pragma once

#include <string>
#include <vector>

#include "network/topology/topology.h"
#include "system/job.h"

namespace orrery {

struct PlacedJob {
  std::string name;        // comes before the names of its layers and communicators
  std::vector<Rank> npus;  // ascending: rank r of the job runs on npus[r]
  Duration start;
  Job job;
};

// Groups that a job names by levels are those of its own NPUs; a rank whose group has no other
// member has nothing to exchange there, so its collectives take no time. NPUs of no job do nothing.
// REQUIRES: no NPU is in two jobs, job.ranks == npus.size().
Job place_jobs(std::vector<PlacedJob> jobs, const Topology& topology);

}  // namespace orrery
