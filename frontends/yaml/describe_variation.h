// The keys of `platform.npu.jitter` and `platform.npu.stragglers`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "frontends/yaml/reader.h"
#include "system/compute/variation.h"
#include "system/problems.h"

namespace orrery::yaml {

// Those beyond any platform are left out but the first.
std::vector<Rank> ranks_of(const OneOrMore<RankRuns>& runs);

inline void describe_variation(Keys& npu, VariationSpec& variation) {
  npu.optional_map("jitter", "compute times vary at random", [&](Keys& keys) {
    JitterSpec& jitter = variation.jitter.emplace();
    keys.required("relative", jitter.relative, "scale of the variation, as a share of the time");
    keys.optional("distribution", jitter.distribution,
                  "uniform (0 to `relative` slower), exponential (slower by `relative` on average) "
                  "or normal (this standard deviation, both ways)");
    keys.optional("draw", jitter.draw,
                  "whether a rank draws for each operation or for each iteration");
  });
  npu.optional_items(
      "stragglers", variation.stragglers, "ranks that are slower than the others",
      [&](Keys& keys, StragglerSpec& straggler, std::size_t) {
        keys.exactly_one({"ranks", "fraction"}, "which ranks are slow");
        OneOrMore<RankRuns> runs;
        keys.optional("ranks", runs, "these NPUs, such as 0-3,8");
        straggler.ranks = ranks_of(runs);
        keys.optional("fraction", straggler.fraction,
                      "share of all ranks, rounded up; the seed decides which", positive);
        keys.required("slowdown", straggler.slowdown, "factor by which their work takes longer");
        keys.optional("from", straggler.from, "operations that begin earlier are not slowed down",
                      not_negative);
        keys.check([&](Reader& reader) {
          if (reader.clean()) reader.report(problems_of(straggler));
        });
      });
}

}  // namespace orrery::yaml
