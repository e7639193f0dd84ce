// How busy the busiest links were over time: what the backend has enter each link, in equal
// intervals (256 for each link, fewer where there are more than 32,768 links). On any backend.
#pragma once

#include <vector>

#include "core/trace/byte_bins.h"
#include "network/topology/topology.h"
#include "simulation/run_result.h"

namespace orrery {

class LinkActivity {
 public:
  // REQUIRES: topology outlives this.
  explicit LinkActivity(const Topology& topology);

  ByteBins& bins() { return bins_; }  // for NetworkBackend::watch_links()

  // The at most 10 links whose bytes take longest, the busiest first; each in the order of time, up
  // to the last interval in which it carried anything.
  std::vector<LinkActivityRow> rows() const;

 private:
  const Topology& topology_;
  ByteBins bins_;
};

}  // namespace orrery
