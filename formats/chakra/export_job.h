// A job as Chakra execution traces: the nodes of each rank, and the groups that they name.
//
// What a rank computes becomes COMP nodes of their exact time (duration_ps beside whole
// microseconds), collectives, sends and receives COMM nodes. A node depends on what the rank has
// waited for, so reading the traces back with `lanes: free` gives the same times. The update that
// follows a collective is a COMP node of its own, as host work.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/chakra/execution_trace.h"
#include "network/topology/topology.h"
#include "system/job.h"

namespace orrery::chakra {

class JobExport {
 public:
  using TimeOf = std::function<Duration(Rank, const Operation&)>;  // of a Compute

  // REQUIRES: all outlive the export. Throws ConfigError for a job that no trace can hold: one with
  // lanes, with starts at different times, with an all-to-allv, or with a root that is not the
  // first rank of its group.
  JobExport(Job& job, const Topology& topology, TimeOf time_of);

  // Once for each rank: takes the rank's operations from the job's source.
  std::vector<Node> nodes_of(Rank rank);
  // {"1": [0, 1], ...}, of all communicators.
  std::string groups_json() const;

 private:
  struct Group {
    std::int64_t number = 0;  // above 0, as ASTRA-sim wants it
    std::vector<Rank> ranks;
  };
  void add_groups(const Communicator& communicator);
  Node node_of(Rank rank, const Operation& operation) const;
  Node collective_node(Rank rank, const CollectiveCall& call, Node node) const;
  std::string name_of(const Operation& operation) const;

  Job& job_;
  const Topology& topology_;
  TimeOf time_of_;
  std::vector<std::vector<Group>> groups_;                  // of each communicator
  std::vector<std::map<Rank, std::size_t>> group_of_rank_;  // of each communicator
  std::int64_t numbers_ = 0;
};

}  // namespace orrery::chakra
