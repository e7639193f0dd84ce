// Whether plans go through the rows of a group in turn (Communicator::rows): the first rank of each
// row, then the second of each. Ranks of a row are alike then, and fold. It must cost nothing, so
// any two places have to be as far apart, with links enough for any order.
#pragma once

#include <map>

#include "network/topology/topology.h"
#include "system/collective/group.h"
#include "system/job.h"

namespace orrery {

class RowOrder {
 public:
  // REQUIRES: both outlive this.
  RowOrder(const Topology& topology, const Communicator& communicator)
      : topology_(topology), communicator_(communicator) {}

  // Sets `rows` of the last dimension where its places are alike: on a switch, and on a level of a
  // graph of rails, leaves and spines or a fat tree. Groups of a few bytes take any graph.
  // REQUIRES: the last dimension is the outermost one, positions go through row after row.
  void set(GroupLayout& layout);

 private:
  bool any_order(int level);

  const Topology& topology_;
  const Communicator& communicator_;
  std::map<int, bool> equally_far_;  // by level, as far as it was asked
};

}  // namespace orrery
