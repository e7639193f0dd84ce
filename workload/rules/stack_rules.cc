#include <fmt/format.h>

#include <algorithm>

#include "workload/problems.h"
#include "workload/rank_claims.h"

namespace orrery {

namespace {

// The sums of a layer stay below 2^63.
bool sums_fit(const StackTraining& training) {
  const auto batch = static_cast<long double>(training.batch);
  long double parameters = 0, work = 0;
  for (const StackLayer& layer : training.layers) {
    const auto elements = static_cast<long double>(layer.inputs + layer.outputs) * batch;
    parameters += static_cast<long double>(layer.parameters);
    work = std::max({work, elements, static_cast<long double>(layer.multiply_adds) * batch});
  }
  constexpr long double most = 1e17L;  // with room for the bytes and passes
  return std::max(parameters, work) <= most;
}

void check_servers(SpecProblems& problems, const StackTraining& training, std::int32_t npus) {
  RankClaims claims(npus, {"rank", "list"});
  std::vector<Rank> servers;
  for (const Rank rank : training.servers)
    if (const auto taken = claims.claim("servers", {rank, rank}, 0, servers))
      return problems.push_back(*taken);
  if (static_cast<std::int32_t>(servers.size()) >= npus)
    problems.push_back(
        {"servers", fmt::format("all {} ranks are servers", npus), "leave some that train"});
}

}  // namespace

SpecProblems problems_of(const StackTraining& training, const PlatformFacts& platform) {
  SpecProblems problems;
  check_at_least(problems, "batch", training.batch, 1);
  if (!problems.empty()) return problems;
  if (!training.servers.empty() && platform.known) check_servers(problems, training, platform.npus);
  if (!sums_fit(training))
    problems.push_back(
        {"batch", "the sums of a layer do not fit into 64 bits", "choose a smaller batch"});
  return problems;
}

}  // namespace orrery
