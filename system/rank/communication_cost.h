// What communication costs where nothing else is in its way, level by level: bytes over bandwidth,
// and the latencies of its messages one after the other. Beside the time that it took this tells
// what it was bound by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/units/total.h"
#include "network/topology/topology.h"
#include "system/collective/group.h"
#include "system/operation_source.h"
#include "system/system_spec.h"

namespace orrery {

class CommunicationCost {
 public:
  struct OnLevel {
    TotalTime carried;  // bytes over what the ports that are used get (crossing_bandwidth.h)
    TotalTime latency;  // with what messages cost at their ends
  };

  CommunicationCost() = default;
  explicit CommunicationCost(std::size_t levels) : levels_(levels) {}

  CommunicationCost& operator+=(const CommunicationCost& other);
  void add_latency(int level, Duration latency) { at(level).latency += latency; }
  void add_carried(int level, Duration carried) { at(level).carried += carried; }
  void add_chunks(std::int64_t count) { chunks_ += count; }

  const std::vector<OnLevel>& levels() const { return levels_; }  // of the topology; or empty
  std::int64_t chunks() const { return chunks_; }                 // that collectives were cut into

 private:
  OnLevel& at(int level) { return levels_[static_cast<std::size_t>(level)]; }

  std::vector<OnLevel> levels_;
  std::int64_t chunks_ = 0;
};

// Of a collective done as `spec` says. Its chunks pass the levels beside each other, so latency
// counts once. So does, of plans in which ranks have roles (trees), what the bytes of the first
// chunk take on their way from rank to rank beyond the bytes of a rank's own port. `crossing`: of
// each level of the topology (network/crossing_bandwidth.h). REQUIRES: spec is not automatic and
// has no ranges. Bytes count on the level whose links hold them up: where several levels lie behind
// one port, that of the port, or the one at which the fabric tapers.
CommunicationCost cost_of_collective(const CollectiveCall& call, const CollectiveSpec& spec,
                                     const SystemSpec& system, const GroupFamily& family,
                                     const Topology& topology, std::span<const Bandwidth> crossing);

// Of a message between two ranks: its bytes at the port of the slowest level of its way.
CommunicationCost cost_of_message(Rank from, Rank to, Bytes size, const SystemSpec& system,
                                  const Topology& topology);

}  // namespace orrery
