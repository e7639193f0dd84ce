// Rules of single operations of a program: of one that is written (frontends) as of one that is
// built.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/spec_problem.h"
#include "system/job.h"
#include "workload/platform_facts.h"

namespace orrery {

// Members of the smallest of the groups.
std::int32_t smallest_group(const Grouping& grouping, const PlatformFacts& platform);

// The other rank of a message. `itself`: it is among those that do this operation.
std::optional<SpecProblem> problem_of_partner(std::string_view key, Rank partner, bool itself,
                                              const PlatformFacts& platform);

// The position of a root among so many members.
std::optional<SpecProblem> problem_of_root(std::int32_t root, std::int32_t members);

// Ascending by stride.
std::optional<SpecProblem> problem_of(std::span<const Extent> extents,
                                      const PlatformFacts& platform);

}  // namespace orrery
