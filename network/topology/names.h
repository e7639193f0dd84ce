// The nodes and links of a topology as users write them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "network/topology/topology.h"

namespace orrery {

class Names {
 public:
  explicit Names(const Topology& topology);  // REQUIRES: it outlives this

  // By its name or its index.
  std::optional<NodeId> node(std::string_view text) const;
  std::vector<LinkIndex> links(NodeId from, NodeId to) const;
  // "a -> b", "a - b" (both ways), either without blanks where they say what is meant, or an index;
  // empty if there is none.
  std::vector<LinkIndex> links(const std::string& text) const;

 private:
  const Topology& topology_;
  std::map<std::string, NodeId> nodes_;
  std::multimap<std::pair<NodeId, NodeId>, LinkIndex> links_;
};

// What to do where a name is unknown.
inline constexpr const char* names_remedy =
    "orrery topo export --format dot shows the names of all nodes";

}  // namespace orrery
