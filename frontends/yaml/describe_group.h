// The keys of `over: {...}`: which ranks call a collective together, where levels do not say it.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/yaml/platform_facts.h"
#include "frontends/yaml/reader.h"
#include "system/job.h"

namespace orrery::yaml {

// One of these is given, `stride` beside `count`.
struct GroupText {
  OneOrMore<RankRuns> ranks;
  std::vector<RankRuns> groups;
  OneOrMore<std::int32_t> count, stride;
};

// Reports what is wrong, and then says nothing of use.
Grouping grouping_of(Reader& keys, const GroupText& text, const PlatformFacts& platform);

inline void describe_group(Keys& keys, GroupText& text) {
  keys.exactly_one({"ranks", "groups", "count"}, "who takes part is said in one of these ways");
  keys.optional("ranks", text.ranks, "the ranks of a single group: \"0-3,5\" or a list");
  keys.optional("groups", text.groups, "several groups, each as \"0-3,5\"; no rank is in two");
  keys.optional("count", text.count,
                "ranks of a group, of which there are as many as fit: every `stride`-th rank; or, "
                "as a list, the counts of nested runs, innermost first",
                positive);
  keys.optional("stride", text.stride,
                "distance of neighbours in a group, one for each count; without it 1", positive);
  keys.only_with({"count"}, "stride");
}

}  // namespace orrery::yaml
