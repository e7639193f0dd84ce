// Folded Clos networks of any number of tiers: fat trees and leaf-spine.
//
// Tier by tier, every switch has `down` links to as many subtrees and `up` links to switches above;
// a subtree of tier t has up_1 x ... x up_(t-1) switches at its top, each joined once to every
// subtree below. These are the extended generalised fat trees of S. Ohring et al., "On generalized
// fat trees", IPPS 1995. With down = up = k/2 below and down = k at the top, three tiers are the
// k-ary fat tree of M. Al-Fares et al., SIGCOMM 2008: k^3/4 hosts, 5k^2/4 switches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "network/topology/builders/cluster_graph.h"

namespace orrery {

struct TreeTier {
  std::string name;       // of its switches: "leaf"
  std::int32_t down = 2;  // links to what is below, one to each subtree; the lowest: to plugs
  std::int32_t up = 1;    // links to what is above; the topmost has none: ignored
  Wire wire;              // of the links below it
};

struct TreeSpec {
  NodeSpec node;
  std::vector<TreeTier> tiers;  // from the plugs upwards; at least one
  // So many servers of those that fit; 0: all. Leaves without any are not built.
  std::int32_t nodes = 0;
};

// The tiers of switches with `radix` ports each: in tier t of all but the topmost,
// `oversubscription [t]` times as many ports lead down as up (1 where none is given). REQUIRES:
// radix divides so.
std::vector<TreeTier> tiers_by_radix(std::int32_t radix, std::int32_t count,
                                     const std::vector<std::int32_t>& oversubscription,
                                     const Wire& wire);

std::int64_t plugs_of(const std::vector<TreeTier>& tiers);
TopologySpec build_tree(const TreeSpec& spec);  // REQUIRES: problem_of() finds none
std::optional<SpecProblem> problem_of(const TreeSpec& spec);

// --- As they are sold ---

inline constexpr std::int32_t ports_at_most = 4096;  // of a switch
// Of switches that are sold: NVIDIA Quantum-2 and Spectrum-4, Broadcom Tomahawk 5 (64 of 800 Gb/s).
inline constexpr std::int32_t usual_ports = 64;

// Switches with `radix` ports each.
struct FatTreeSpec {
  NodeSpec node;
  std::int32_t radix = usual_ports, tiers = 3;
  std::int32_t nodes = 0;                      // as in TreeSpec
  std::vector<std::int32_t> oversubscription;  // as in tiers_by_radix()
  std::vector<Bandwidth> bandwidth;            // one for all tiers, or one for each
  Duration latency;
};
std::optional<SpecProblem> problem_of(const FatTreeSpec& spec);
TopologySpec build_fat_tree(const FatTreeSpec& spec);  // REQUIRES: problem_of() finds none

// Two tiers, every leaf joined to every spine.
struct LeafSpineSpec {
  NodeSpec node;
  std::int32_t nodes = 0;              // as in TreeSpec
  std::optional<std::int32_t> leaves;  // none: as few as have ports for `nodes` and their uplinks
  std::int32_t radix = usual_ports;    // ports of a leaf, where `leaves` is none
  std::optional<std::int32_t> plugs;   // of a leaf, towards servers; none: as `nodes` need
  std::optional<std::int32_t> spines;  // none: as many as `oversubscription` needs
  // Bandwidth of a leaf towards servers for each towards the spines; none: 1. REQUIRES: > 0
  std::optional<double> oversubscription;
  Wire wire;
  std::optional<Bandwidth> uplink;  // between leaf and spine; none: that of the wire
};
std::optional<SpecProblem> problem_of(const LeafSpineSpec& spec);
TopologySpec build_leaf_spine(const LeafSpineSpec& spec);  // REQUIRES: problem_of() finds none

}  // namespace orrery
