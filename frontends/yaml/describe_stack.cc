#include "frontends/yaml/describe_stack.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/yaml/rank_claims.h"

namespace orrery::yaml {

void check_layers(Reader& keys, const StackTraining& training) {
  const auto batch = static_cast<long double>(training.batch);
  long double parameters = 0, work = 0;
  for (const StackLayer& layer : training.layers) {
    const auto elements = static_cast<long double>(layer.inputs + layer.outputs) * batch;
    parameters += static_cast<long double>(layer.parameters);
    work = std::max({work, elements, static_cast<long double>(layer.multiply_adds) * batch});
  }
  constexpr long double most = 1e17L;  // 2^63 with room for the bytes and passes
  if (std::max(parameters, work) > most)
    keys.wrong("batch", "the sums of a layer do not fit into 64 bits", "choose a smaller batch");
}

void check_data_parallel(Reader& keys, StackTraining& training, const OneOrMore<RankRuns>& servers,
                         bool asynchronous, const PlatformFacts& platform) {
  if (asynchronous && keys.given("staleness"))
    keys.wrong("staleness", "servers that answer at once bound nothing",
               "remove it, or asynchronous");
  if (asynchronous) training.staleness.reset();
  if (!keys.given("servers") || !platform.known || !keys.clean()) return;
  RankClaims claims(platform.npus, {"rank", "list"});
  claims.claim(keys, "servers", servers, 0, training.servers);
  std::ranges::sort(training.servers);
  if (static_cast<std::int32_t>(training.servers.size()) >= platform.npus)
    keys.wrong("servers", fmt::format("all {} ranks are servers", platform.npus),
               "leave some that train");
}

}  // namespace orrery::yaml
