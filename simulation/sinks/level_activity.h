// How much was under way on each level over time: the bytes of every message, spread evenly from
// its send to its delivery, in at most 256 equal intervals for each level. On any backend.
#pragma once

#include <vector>

#include "core/trace/byte_bins.h"
#include "core/trace/trace_sink.h"
#include "network/crossed_levels.h"
#include "network/topology/topology.h"
#include "simulation/run_result.h"

namespace orrery {

class LevelActivity final : public TraceSink {
 public:
  // REQUIRES: topology outlives this.
  LevelActivity(const Topology& topology, const RoutingSpec& routing)
      : topology_(topology),
        crossed_(topology, routing.of_flows(topology.structural())),
        levels_(topology.levels().size(), 256, microseconds(1)) {}

  bool wants_messages() const override { return true; }
  void on_span(const Span& span) override;

  // Level by level, in time; up to the last interval in which anything was under way.
  std::vector<ActivityRow> rows() const;

 private:
  const Topology& topology_;
  CrossedLevels crossed_;
  ByteBins levels_;
};

}  // namespace orrery
