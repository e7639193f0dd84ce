// What algorithms can do on the levels of a platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "network/topology/topology.h"
#include "system/system_spec.h"

namespace orrery {

// How many algorithms there are to choose: a flat schedule has one for all levels, which stands at
// level 0.
std::size_t algorithm_choices(HierarchicalSchedule schedule, const TopologySpec& topology);

// Ranks that run the algorithm of a level together.
int ranks_at(HierarchicalSchedule schedule, const TopologySpec& topology, std::size_t level);

// The first thing that `algorithm` cannot do on a level, as the name of a collective; "" if it can
// do all that a collective of that kind needs there.
std::string_view first_unsupported(const NamedAlgorithm& algorithm, Collective kind,
                                   HierarchicalSchedule schedule, const TopologySpec& topology,
                                   std::size_t level);

// Whether an algorithm that is named for all kinds is meant for this one. A ring passes every byte
// of an all-to-all on through half of the group, which no library does: there it is used only where
// the kind itself names it.
bool suits(const NamedAlgorithm& algorithm, Collective kind);

// The algorithms that `auto` tries for a kind; on a ring level also ring:2. pat takes as few steps
// and bytes as halving and doubling, for any number of ranks, and its far jumps carry least.
// in_network is not among them: it models a switch without limits. NVLink SHARP reaches 480 GB/s of
// bus bandwidth among 8 H100 (tests/validation/data/nccl_h100_8_all_reduce.csv), the model 787.
std::span<const std::string_view> algorithms_tried(Collective kind);

// Whether it tries one of them among so many. Without a root only plans in which all ranks do the
// same: their time is a closed form, and they fold. `direct` opens n-1 connections at each rank,
// `linear` at the root, and a ring from a root sends n pieces to each of n ranks: for sums, gathers
// and broadcasts among up to kMostPeers.
bool is_tried(const NamedAlgorithm& algorithm, Collective kind, std::int32_t members);
inline constexpr std::int32_t kMostPeers = 128;

// Whether communication libraries do such a sum or gather with it: NCCL has rings, and between
// nodes trees and pat (src/graph/tuning.cc and the release notes of 2.23). Trees sum up and pass
// down: 2 log2 n steps, of which a port carries the buffer twice. pat stands for them, which takes
// as many steps and bytes, and for a few bytes recursive_doubling. Exchanges, kinds with a root:
// all but `linear`. Inside a node of more NPUs than servers have (kLargestServer), as in a rack of
// NVLink, NCCL has NVLS and trees too.
bool is_in_libraries(const NamedAlgorithm& algorithm, Collective kind, bool inside_server);

// The schedules that `auto` tries on such levels.
std::vector<HierarchicalSchedule> schedules_tried(Collective kind,
                                                  const std::vector<LevelSpec>& levels);

// For a kind for which what is named for all does not suit: one for each level.
std::vector<NamedAlgorithm> suitable_algorithms(Collective kind, HierarchicalSchedule schedule,
                                                const TopologySpec& topology);

}  // namespace orrery
