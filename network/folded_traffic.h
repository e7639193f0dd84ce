// What a backend is told of a job, and answers, when NPUs are to be folded (fold.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "network/fold.h"
#include "network/topology/topology.h"

namespace orrery {

// Who sends to whom. The k-th target of an NPU and the k-th of its representative are those of
// corresponding messages, which are sent at the same time; each NPU of the targets' class is the
// k-th target of one NPU.
class FoldedTraffic {
 public:
  struct Target {
    NodeId npu;
    std::uint32_t kind = 0;  // messages of different kinds do not correspond
  };
  // Appends the targets of an NPU.
  virtual void targets(NodeId source, std::vector<Target>& targets) const = 0;

 protected:
  ~FoldedTraffic() = default;
};

struct FoldAnswer {
  std::string why_not = {};          // a clause; "" if the fold is exact
  std::optional<Digit> uneven = {};  // without this digit another answer is possible
  bool folds() const { return why_not.empty(); }
};

}  // namespace orrery
