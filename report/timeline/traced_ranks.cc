#include "report/timeline/traced_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "core/base/config_error.h"
#include "workload/parallelism/transformer_ranks.h"

namespace orrery {

namespace {

constexpr std::size_t most_by_default = 64, few = 8;

[[noreturn]] void refuse(std::string_view part, const std::string& why) {
  throw ConfigError(Diagnostic{.path = "--trace-ranks",
                               .what = fmt::format("\"{}\" {}", part, why),
                               .remedy = "write all, or ranks like 0,8,16-23"});
}

Rank parse_rank(std::string_view text, std::string_view part, std::int32_t ranks) {
  Rank rank = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc() || end != text.data() + text.size()) refuse(part, "is not a rank");
  if (rank < 0 || rank >= ranks) refuse(part, fmt::format("is not among {} ranks", ranks));
  return rank;
}

std::set<Rank> parse_ranks(std::string_view list, std::int32_t ranks) {
  std::set<Rank> chosen;
  while (true) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view part = list.substr(0, comma);
    const std::size_t dash = std::min(part.find('-'), part.size());
    const Rank first = parse_rank(part.substr(0, dash), part, ranks);
    const Rank last = dash == part.size() ? first : parse_rank(part.substr(dash + 1), part, ranks);
    if (last < first) refuse(part, "ends before it begins");
    for (Rank rank = first; rank <= last; ++rank) chosen.insert(rank);
    if (comma == list.size()) return chosen;
    list.remove_prefix(comma + 1);
  }
}

std::set<Rank> first_of_jobs(const WorkloadSpec& workload, std::int32_t ranks) {
  std::set<Rank> chosen;
  if (const auto* several = std::get_if<JobsSpec>(&workload.what)) {
    const std::size_t each = std::max<std::size_t>(1, few / several->jobs.size());
    for (const PlacedWorkload& job : several->jobs)
      chosen.insert(job.npus.begin(), job.npus.begin() + static_cast<std::ptrdiff_t>(
                                                             std::min(each, job.npus.size())));
    return chosen;
  }
  for (Rank rank = 0; rank < std::min<Rank>(few, ranks); ++rank) chosen.insert(rank);
  return chosen;
}

std::set<Rank> all_of(std::int32_t ranks) {
  std::set<Rank> all;
  for (Rank rank = 0; rank < ranks; ++rank) all.insert(rank);
  return all;
}

std::string name_of(Rank rank, std::int32_t ranks, std::optional<std::int32_t> stage,
                    std::int32_t stands_for) {
  std::string remarks;
  if (stage) remarks = fmt::format("stage {}", *stage);
  if (stands_for > 1)
    remarks += fmt::format("{}stands for {} ranks", remarks.empty() ? "" : ", ", stands_for);
  const std::size_t digits = fmt::format("{}", ranks - 1).size();
  return fmt::format("rank {:0{}}{}", rank, digits,
                     remarks.empty() ? "" : fmt::format(" ({})", remarks));
}

}  // namespace

RankChoice choose_traced_ranks(std::string_view wanted, const Experiment& experiment,
                               const Fold& fold, std::int32_t ranks) {
  std::optional<TransformerRanks> places;
  if (const auto* transformer = std::get_if<TransformerWorkload>(&experiment.workload.what))
    places.emplace(transformer->training);
  RankChoice choice;
  std::set<Rank> chosen;
  if (wanted == "all") {
    chosen = all_of(ranks);
  } else if (!wanted.empty()) {
    chosen = parse_ranks(wanted, ranks);
  } else if (places) {
    choice.by = "one of each pipeline stage";
    for (std::int32_t stage = 0; stage < places->pipeline; ++stage)
      chosen.insert(stage * places->pipeline_stride);
  } else {
    choice.by = "the first ones";
    chosen = first_of_jobs(experiment.workload, ranks);
  }
  std::set<Rank> simulated;
  for (const Rank rank : chosen) simulated.insert(fold.representative(rank));
  for (const Rank rank : simulated) {
    if (wanted.empty() && choice.ranks.size() == most_by_default) break;
    const std::optional<std::int32_t> stage =
        places && places->pipeline > 1 ? std::optional(places->stage_of(rank)) : std::nullopt;
    choice.ranks.push_back({rank, name_of(rank, ranks, stage, fold.multiplicity())});
  }
  return choice;
}

}  // namespace orrery
