#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "workload/problems.h"

namespace orrery {

namespace {

// The work of the widest layer and the bytes of the embedding rows, of all samples together.
bool sums_fit(const DlrmSpec& spec) {
  const auto real = [](std::int64_t value) { return static_cast<long double>(value); };
  const long double vectors = real(spec.sparse_features) + 1;
  // More than either interaction makes: vectors * dimension, or vectors^2 / 2 + dimension.
  long double input = vectors * (vectors + real(spec.embedding_dimension));
  input = std::max(input, real(spec.dense_features));
  long double output = 1;
  if (spec.interaction == Interaction::cross) output = std::max(output, real(spec.cross_rank));
  for (const auto* widths : {&spec.bottom_mlp, &spec.top_mlp})
    for (const std::int64_t width : *widths) output = std::max(output, real(width));
  const long double layer = std::max(input, output) * output;
  const long double lookups = std::max(vectors * real(spec.pooling), real(spec.lookups));
  const long double rows = real(spec.embedding_dimension) * lookups;
  constexpr long double most = 4.6e18L;  // half of 2^63
  return 8 * real(spec.global_batch) * std::max(layer, rows) < most;
}

SpecProblems sizes_out_of_range(const DlrmSpec& spec) {
  SpecProblems problems;
  check_at_least(problems, "global_batch", spec.global_batch, 1);
  check_at_least(problems, "sparse_features", spec.sparse_features, 1);
  check_at_least(problems, "embedding_dimension", spec.embedding_dimension, 1);
  check_at_least(problems, "dense_features", spec.dense_features, 1);
  for (const auto& [key, widths] :
       {std::pair{"bottom_mlp", &spec.bottom_mlp}, {"top_mlp", &spec.top_mlp}}) {
    if (widths->empty()) problems.push_back({key, "there are no layers", "give their widths"});
    for (std::size_t i = 0; i < widths->size(); ++i)
      check_at_least(problems, item_key(key, i), (*widths)[i], 1);
  }
  return problems;
}

}  // namespace

SpecProblems problems_of(const DlrmSpec& spec, const PlatformFacts& platform) {
  SpecProblems problems = sizes_out_of_range(spec);
  if (!problems.empty()) return problems;
  if (spec.bottom_mlp.back() != spec.embedding_dimension)
    problems.push_back(
        {"bottom_mlp",
         fmt::format("the last width is {}, but the embedding dimension is {}",
                     spec.bottom_mlp.back(), spec.embedding_dimension),
         "the bottom MLP's output is combined with embedding rows: make them equal"});
  if (spec.interaction == Interaction::cross && (spec.cross_layers == 0 || spec.cross_rank == 0))
    problems.push_back({"interaction", "cross layers have no number or no rank",
                        "give cross_layers and cross_rank"});
  if (spec.embedding_traffic && (spec.embedding_lookup_time || spec.embedding_update_time))
    problems.push_back({"embedding_traffic", "the time of the tables is given already",
                        "remove it, or embedding_lookup_time and embedding_update_time"});
  if (spec.embedding_traffic && spec.pooling == 0 && spec.lookups == 0)
    problems.push_back({"pooling", "nobody says how many rows a sample looks up in a table",
                        "write it, or embedding_traffic: false"});
  if (platform.known && spec.global_batch % platform.npus != 0)
    problems.push_back(
        {"global_batch",
         fmt::format("{} samples do not divide among {} NPUs", spec.global_batch, platform.npus),
         fmt::format("write a multiple of {}, for example {}", platform.npus,
                     (spec.global_batch / platform.npus + 1) * platform.npus)});
  if (!sums_fit(spec))
    problems.push_back(
        {"", "the sizes multiply to more than 9.2e18 operations", "check for a digit too many"});
  return problems;
}

SpecProblems idle_settings(const DlrmSpec& spec) {
  if (spec.interaction == Interaction::cross) return {};
  return {{"cross_layers", "this interaction has none", "write interaction: cross"}};
}

}  // namespace orrery
