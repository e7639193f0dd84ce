#include "report/search_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/units/unit_text.h"
#include "report/backend_text.h"
#include "report/csv_report.h"
#include "report/numbers.h"
#include "report/text_table.h"

namespace orrery {

namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

std::string configuration_of(const SearchRow& row) {
  return text_of(row.found.choice, row.found.training.data);
}

std::string difference(const SearchRow& row) {
  if (!row.simulated) return "";
  return fmt::format(
      "{:+.1f} %",
      (static_cast<double>(row.estimate.value) / static_cast<double>(row.simulated->value) - 1) *
          100);
}

// As in `compare`: the simulated time leaves something out.
std::string mark_of(const SearchRow& row) { return row.ignored.empty() ? "" : " *"; }

struct Ranked {
  std::size_t place;
  const SearchRow& row;
};

// `all_pareto`: the title says it, so there is no column. Nor is there one for simulated times if
// there are none.
std::string table_of(const std::vector<Ranked>& ranking, TimeUnit unit, bool all_pareto) {
  const bool has_simulated =
      std::ranges::any_of(ranking, [](const Ranked& of) { return of.row.simulated.has_value(); });
  std::vector<TextTable::Column> columns = {{""},
                                            {"configuration", Align::left},
                                            {"memory of\na rank"},
                                            {fmt::format("estimate\n({})", unit.name)}};
  if (has_simulated) {
    columns.push_back({fmt::format("simulated\n({})", unit.name)});
    columns.push_back({"estimate is\noff by"});
  }
  if (!all_pareto) columns.push_back({"Pareto"});
  TextTable table(columns);
  for (const auto& [place, row] : ranking) {
    std::vector<std::string> cells = {std::to_string(place), configuration_of(row),
                                      to_text(row.found.memory), in_unit(row.estimate, unit)};
    if (has_simulated) {
      cells.push_back((row.simulated ? in_unit(*row.simulated, unit) : "-") + mark_of(row));
      cells.push_back(difference(row));
    }
    if (!all_pareto) cells.push_back(row.pareto ? "yes" : "");
    table.add_row(std::move(cells));
  }
  return table.text();
}

std::int64_t refused_of(const FittingChoices& choices) {
  std::int64_t refused = 0;
  for (const auto& [key, some] : choices.refused) refused += some.count;
  return refused;
}

std::string counts_text(const SearchResult& result) {
  const FittingChoices& choices = result.choices;
  std::string text = fmt::format("{}: {} configurations of {} NPUs\n", result.name,
                                 choices.enumerated, result.npus);
  text += chosen_efficiency(result.efficiency) + chosen_protocols(result.protocols);
  if (!result.assumed.empty()) text += "training: " + result.assumed + "\n";
  if (result.partial) text += "PARTIAL RESULT (interrupted): what follows is what was reached\n";
  TextTable table({{""}, {"", Align::left}});
  if (choices.unchecked > 0)
    table.add_row({std::to_string(choices.unchecked), "more were not reached"});
  table.add_row({std::to_string(refused_of(choices)), "are not allowed:"});
  for (const auto& [key, some] : choices.refused)
    table.add_row({"", fmt::format("{:>7} {}, such as: {}", some.count, key, some.example)});
  table.add_row({std::to_string(choices.too_large),
                 choices.room ? "do not fit into " + to_text(*choices.room)
                              : "do not fit: platform.npu.memory is not known"});
  if (choices.uneven > 0)
    table.add_row({std::to_string(choices.uneven),
                   "fit, and are left out: their groups lie on the nodes in unequal ways"});
  table.add_row({std::to_string(result.rows.size()),
                 choices.only_uneven ? "are estimated as if their groups lay on the nodes in equal "
                                       "ways, which those of none do"
                                     : "are estimated"});
  if (result.not_estimated > 0)
    table.add_row({std::to_string(result.not_estimated), "fit, and were not reached"});
  const EstimateQuality quality = quality_of(result.rows);
  if (quality.rows > 0)
    table.add_row(
        {std::to_string(quality.rows),
         fmt::format(
             "of them simulated, on the {} backend: estimates are off by "
             "{:+.1f} to {:+.1f} %{}",
             result.backend, quality.least * 100, quality.most * 100,
             quality.rows > 1 ? fmt::format(", rank correlation {:.2f}", quality.spearman) : "")});
  text += table.text();
  for (const SearchRow& row : result.rows)
    if (!row.ignored.empty())  // of all that are simulated the same: they have one platform
      return text + "* " + ignored_text(result.backend, "", row.ignored);
  return text;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json row_json(const SearchRow& row) {
  const ParallelChoice& choice = row.found.choice;
  return {{"tensor", choice.tensor},
          {"pipeline", choice.pipeline},
          {"data", row.found.training.data},
          {"context", choice.context},
          {"expert", choice.expert},
          {"micro_batch", choice.micro_batch},
          {"schedule", name_of(choice.schedule)},
          {"chunks", choice.chunks},
          {"sharding", name_of(choice.sharding)},
          {"recompute", name_of(choice.recompute)},
          {"recompute_layers",
           choice.recompute_layers > 0 ? Json(choice.recompute_layers) : Json(nullptr)},
          {"overlap_tensor", row.found.training.overlap_tensor},
          {"overlap_experts", row.found.training.experts.overlap_batches},
          {"memory_bytes", row.found.memory.value},
          {"estimate_ps", row.estimate.value},
          {"simulated_ps", row.simulated ? Json(row.simulated->value) : Json(nullptr)},
          {"ignored", row.ignored},
          {"pareto", row.pareto}};
}

}  // namespace

std::string what_fits_text(const FittingChoices& choices) {
  TextTable table({{"tensor"},
                   {"pipeline"},
                   {"data"},
                   {"context"},
                   {"expert"},
                   {"micro_\nbatch"},
                   {"schedule", Align::left},
                   {"chunks"},
                   {"sharding", Align::left},
                   {"recompute", Align::left},
                   {"memory of\na rank"}});
  std::vector<const FittingChoice*> sorted;
  for (const FittingChoice& choice : choices.fitting) sorted.push_back(&choice);
  std::ranges::stable_sort(sorted, {}, &FittingChoice::memory);
  constexpr std::size_t listed_at_most = 30;
  const std::size_t left_out = sorted.size() - std::min(sorted.size(), listed_at_most);
  sorted.resize(sorted.size() - left_out);
  for (const FittingChoice* fitting : sorted) {
    const ParallelChoice& choice = fitting->choice;
    table.add_row(
        {std::to_string(choice.tensor), std::to_string(choice.pipeline),
         std::to_string(fitting->training.data), std::to_string(choice.context),
         std::to_string(choice.expert), std::to_string(choice.micro_batch),
         std::string(name_of(choice.schedule)) + (choice.overlap_experts ? " overlap-experts" : ""),
         std::to_string(choice.chunks), std::string(name_of(choice.sharding)), recompute_of(choice),
         to_text(fitting->memory)});
  }
  std::string text = table.empty() ? "" : table.text() + '\n';
  if (left_out > 0)
    text += fmt::format("{} more need more memory; `orrery search` ranks all of them by time\n\n",
                        left_out);
  text += fmt::format("{} of {} configurations fit", choices.fitting.size(), choices.enumerated);
  if (choices.room) text += " into " + to_text(*choices.room);
  text += fmt::format("; {} are not allowed, {} are too large\n", refused_of(choices),
                      choices.too_large);
  if (choices.fitting.empty() && choices.smallest_too_large)
    text += fmt::format(
        "the smallest, {}, needs {}\n",
        text_of(choices.smallest_too_large->choice, choices.smallest_too_large->training.data),
        to_text(choices.smallest_too_large->memory));
  return text;
}

std::string search_text(const SearchResult& result, std::size_t top) {
  std::string text = counts_text(result);
  if (result.rows.empty()) return text;
  const TimeUnit unit = common_unit(result.rows.front().time());
  std::vector<Ranked> best, pareto;
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    if (i < top) best.push_back({i + 1, result.rows[i]});
    if (i >= top && result.rows[i].pareto) pareto.push_back({i + 1, result.rows[i]});
  }
  text += "\nthe fastest\n" + table_of(best, unit, false);
  if (!pareto.empty())
    text += "\nslower ones that no other beats in both time and memory\n" +
            table_of(pareto, unit, true);
  return text;
}

std::string search_json(const SearchResult& result, std::size_t top) {
  Json json{
      {"name", result.name},
      {"backend", result.backend},
      {"efficiency", text_or_null(result.efficiency.name)},
      {"efficiency_because", text_or_null(result.efficiency.because)},
      {"efficiency_error",
       result.efficiency.error ? Json(*result.efficiency.error) : Json(nullptr)},
      {"assumed", text_or_null(result.assumed)},
      {"protocols", text_or_null(result.protocols.name)},
      {"protocols_because", text_or_null(result.protocols.because)},
      {"protocols_error", result.protocols.error ? Json(*result.protocols.error) : Json(nullptr)},
      {"npus", result.npus},
      {"partial", result.partial},
      {"npu_memory_bytes", result.choices.room ? Json(result.choices.room->value) : Json(nullptr)},
      {"enumerated", result.choices.enumerated},
      {"not_allowed", refused_of(result.choices)},
      {"too_large", result.choices.too_large},
      {"uneven", result.choices.uneven},
      {"estimated", result.rows.size()},
      {"not_reached", result.choices.unchecked + static_cast<std::int64_t>(result.not_estimated)},
      {"simulated", quality_of(result.rows).rows}};
  Json& refused = json["rules"] = Json::array();
  for (const auto& [key, some] : result.choices.refused)
    refused.push_back({{"key", key}, {"count", some.count}, {"example", some.example}});
  Json &fastest = json["fastest"] = Json::array(), pareto = Json::array();
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    if (i < top) fastest.push_back(row_json(result.rows[i]));
    if (result.rows[i].pareto) pareto.push_back(row_json(result.rows[i]));
  }
  json["pareto"] = std::move(pareto);
  return json.dump(2) + '\n';
}

std::string search_csv(const SearchResult& result) {
  std::string csv =
      "tensor,pipeline,data,context,expert,micro_batch,schedule,chunks,sharding,recompute,"
      "recompute_layers,overlap_tensor,overlap_experts,memory_bytes,estimate_ps,simulated_ps,"
      "ignored,pareto\n";
  for (const SearchRow& row : result.rows) {
    const ParallelChoice& choice = row.found.choice;
    csv +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", choice.tensor,
                    choice.pipeline, row.found.training.data, choice.context, choice.expert,
                    choice.micro_batch, name_of(choice.schedule), choice.chunks,
                    name_of(choice.sharding), name_of(choice.recompute),
                    choice.recompute_layers > 0 ? std::to_string(choice.recompute_layers) : "",
                    row.found.training.overlap_tensor, row.found.training.experts.overlap_batches,
                    row.found.memory.value, row.estimate.value,
                    row.simulated ? std::to_string(row.simulated->value) : "",
                    csv_field(fmt::format("{}", fmt::join(row.ignored, "; "))), row.pareto ? 1 : 0);
  }
  return csv;
}

}  // namespace orrery
