// The rules of the system layer and of devices, whoever filled the specs: problems_of(spec) names
// those that it breaks.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/spec_problem.h"
#include "network/topology/topology.h"
#include "system/compute/roofline.h"
#include "system/compute/variation.h"
#include "system/system_spec.h"

namespace orrery {

// Of queues_per_level: each rank holds them all, for each level.
inline constexpr std::int32_t queues_at_most = 1024;

// The algorithms under `key`: one name or, unless the schedule is flat, one for each level; auto
// alone.
SpecProblems problems_of_count(std::string_view key, const std::vector<NamedAlgorithm>& algorithms,
                               HierarchicalSchedule schedule, const TopologySpec& topology);
// The same, each able to do what is asked of its level; and the protocol has costs for them. The
// ranges of `spec` are not looked at.
SpecProblems problems_of_algorithms(std::string_view key, Collective kind,
                                    const CollectiveSpec& spec, const SystemSpec& system,
                                    const TopologySpec& topology);
// Keys of system.all_reduce, ...: the ranges ascend, and only the last one may be open.
SpecProblems problems_of(const std::vector<SizeRange>& ranges);
SpecProblems problems_of(const CollectiveSpec& spec, Collective kind, const SystemSpec& system,
                         const TopologySpec& topology);

// Keys of system.protocols[i].
SpecProblems problems_of(const ProtocolCost& cost);

SpecProblems problems_of(const ChannelSpec& channels);
// The key sm_tax: ranks go on computing, however slowly.
SpecProblems problems_of_tax(Share tax);

// Keys of `system:`. Of collectives, only the kinds that a job calls are looked at: what is chosen
// for the others holds for nothing.
SpecProblems problems_of(const SystemSpec& system, const TopologySpec& topology,
                         std::span<const Collective> called);

// Keys of platform.npu.efficiency: shares of at least a hundredth.
SpecProblems problems_of(const EfficiencySpec& efficiency);

// Keys of platform.npu.stragglers[i], and of platform.npu with so many NPUs.
SpecProblems problems_of(const StragglerSpec& straggler);
SpecProblems problems_of(const VariationSpec& variation, std::int32_t npus);

}  // namespace orrery
