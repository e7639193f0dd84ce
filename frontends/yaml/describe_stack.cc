#include "frontends/yaml/describe_stack.h"

#include <algorithm>

#include "frontends/yaml/claimed_ranks.h"
#include "workload/problems.h"

namespace orrery::yaml {

void check_data_parallel(Reader& keys, StackTraining& training, const OneOrMore<RankRuns>& servers,
                         bool asynchronous, const PlatformFacts& platform) {
  if (asynchronous && keys.given("staleness"))
    keys.wrong("staleness", "asynchronous servers answer at once, so nothing bounds the staleness",
               "remove it, or asynchronous");
  if (asynchronous) training.staleness.reset();
  if (keys.given("servers") && platform.known && keys.clean()) {
    RankClaims claims(platform.npus, {"rank", "list"});
    claim(keys, claims, "servers", servers, 0, training.servers);
    std::ranges::sort(training.servers);
  }
  if (keys.clean()) keys.report(problems_of(training, platform));
}

}  // namespace orrery::yaml
