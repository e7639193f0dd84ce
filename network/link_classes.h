// Which links carry corresponding loads where NPUs are folded (fold.h), whatever the wires are: a
// graph of any kind, with any routes that do not change.
//
// Corresponding messages, one of each NPU of a class, make one flow class. Two links are of one
// class if they are alike (bandwidth, latency, level, distance from the NPUs) and each flow class
// crosses both in the same way: as many of its flows, with the same shares. That is the coarsest
// division of the links that can be exact. It is exact if all flows of a class cross the same
// links, class by class: then rates that are fair among classes are fair among all (an equitable
// partition; docs/decisions/0013). If they do not, the fold is refused, with the digit in which
// the paths differ.
//
// The flow classes between two sets of leaves cross the links among the leaves' switches in the
// same way, those of each pair of hosts. So these links are looked at once for all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "network/folded_traffic.h"

namespace orrery {

// Of a link by a flow. What is the same number is the same way: shares, queues joined.
struct LinkCrossing {
  LinkIndex link;
  std::uint64_t way;
};

struct LinkClasses {
  std::vector<LinkIndex> like;     // of each link, the first one of its class
  std::vector<std::int32_t> size;  // of each first link's class; of the others nothing
};

// Crossings that many flows have: those from one leaf to another one.
struct SharedCrossings {
  std::uint32_t number;  // of these crossings; counted from 0
  std::vector<LinkCrossing> crossings;
};

struct FlowCrossings {
  std::vector<LinkCrossing> own;
  const SharedCrossings* shared = nullptr;  // beside its own
};

// Appends the crossings of the flow from one NPU to another, or points to those that are shared,
// which stay where they are. Returns why it cannot be folded, whatever the others are like, or "".
using CrossingsOf = std::function<std::string(NodeId from, NodeId to, FlowCrossings&)>;

// Fills `classes` if the answer is that the fold is exact.
FoldAnswer find_link_classes(const Topology& topology, const Fold& fold,
                             const FoldedTraffic& traffic, const CrossingsOf& crossings_of,
                             LinkClasses& classes);

}  // namespace orrery
