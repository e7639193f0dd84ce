// How the members of a group share nodes, which is what a plan may know of where its ranks sit.
// Positions go node by node: those of node k are first(k) .. first(k) + members(k) - 1.
//
// A node is what the local levels of the topology join; if all levels are of one scope, the
// innermost level is taken for it (system/collective/group.h).
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

namespace orrery {

using Position = std::int32_t;  // of a rank inside its group, 0 .. size-1

class GroupShape {
 public:
  // Everyone in one node. Not explicit: a group size is the simplest shape.
  GroupShape(std::int32_t size) : GroupShape(size, 1) {}
  // The same number in every node.
  GroupShape(std::int32_t members_of_node, std::int32_t nodes)
      : size_(members_of_node * nodes), nodes_(nodes), members_(members_of_node) {}
  // REQUIRES: at least one node, and at least one member in each.
  explicit GroupShape(const std::vector<std::int32_t>& members_of_nodes) {
    nodes_ = static_cast<std::int32_t>(members_of_nodes.size());
    first_.push_back(0);
    for (const std::int32_t members : members_of_nodes) first_.push_back(first_.back() + members);
    size_ = first_.back();
    const bool even = std::all_of(members_of_nodes.begin(), members_of_nodes.end(),
                                  [&](std::int32_t members) { return members == first_[1]; });
    if (!even) return;
    members_ = first_[1];
    first_.clear();
  }

  std::int32_t size() const { return size_; }
  std::int32_t nodes() const { return nodes_; }
  // Where inside and between nodes is not all there is: some node has several members, and there
  // are several nodes.
  bool spans_nodes() const { return nodes_ > 1 && nodes_ < size_; }

  bool even() const { return members_ > 0; }  // all nodes have as many members

  Position first(std::int32_t node) const { return members_ > 0 ? node * members_ : first_[node]; }
  std::int32_t members(std::int32_t node) const {
    return members_ > 0 ? members_ : first_[node + 1] - first_[node];
  }
  std::int32_t node_of(Position position) const {
    if (members_ > 0) return position / members_;
    const auto after = std::upper_bound(first_.begin(), first_.end(), position);
    return static_cast<std::int32_t>(after - first_.begin()) - 1;
  }

  // The same nodes, counted from another one on.
  GroupShape counted_from(std::int32_t node) const {
    if (members_ > 0) return *this;
    std::vector<std::int32_t> members;
    for (std::int32_t i = 0; i < nodes_; ++i) members.push_back(this->members((node + i) % nodes_));
    return GroupShape(members);
  }

  auto operator<=>(const GroupShape&) const = default;

 private:
  std::int32_t size_ = 0, nodes_ = 0;
  std::int32_t members_ = 0;         // of each node; 0 = they differ
  std::vector<std::int32_t> first_;  // of each node, and the end; only if they differ
};

}  // namespace orrery
