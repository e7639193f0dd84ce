#include "report/training_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "core/units/unit_text.h"
#include "report/numbers.h"
#include "report/text_table.h"

namespace orrery {

namespace {

// Of what would have been waited for if nothing had been computed beside it.
std::string overlapped(const TrafficRow& row) {
  return percentage(row.hidden, row.hidden + (row.exposed - row.late));
}

std::string throughput(const RunResult& result) {
  const TrainingResult& training = *result.training;
  return fmt::format(
      "\ntraining: {} samples of {} tokens an iteration; {} samples/s, {} tokens/s, {} tokens/s a "
      "NPU\n",
      training.samples, training.tokens / training.samples, short_number(training.samples_per_s),
      short_number(training.tokens_per_s), short_number(training.tokens_per_s_npu));
}

std::string parts(const RunResult& result) {
  const StageRow& stage = result.training->last_stage();
  const std::vector<TrainingPart> all = training_parts(stage);
  std::vector<Duration> times;
  for (const TrainingPart& part : all) times.push_back(part.time);
  const std::vector<std::string> shares = percentages(times);
  TextTable table({{"time goes into", left_aligned},
                   {"time"},
                   {"share"},
                   {"for late\nranks"},
                   {"hidden"},
                   {"over-\nlapped"}});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const TrafficRow* traffic = traffic_of(stage, all[i].name);
    if (all[i].time == Duration{} && traffic == nullptr) continue;
    const bool in_bubble =
        traffic != nullptr && is_between_stages(*traffic) && stage.bubble > Duration{};
    table.add_row({all[i].name, to_text(all[i].time), shares[i],
                   traffic == nullptr || in_bubble ? "" : to_text(traffic->late),
                   traffic == nullptr ? "" : to_text(traffic->hidden),
                   traffic == nullptr ? "" : overlapped(*traffic)});
  }
  return fmt::format("\n{}(rank {}, stage {}, which finishes last)\n", table.text(), stage.rank,
                     stage.stage);
}

// A single stage needs no table: the one before has its numbers.
std::string stages(const RunResult& result) {
  const TrainingResult& training = *result.training;
  if (training.stages.size() == 1) return "";
  std::vector<std::string> names;
  for (const StageRow& stage : training.stages)
    for (const TrainingPart& part : training_parts(stage))
      if (part.time > Duration{} && std::ranges::find(names, part.name) == names.end())
        names.push_back(part.name);
  Duration longest;
  for (const StageRow& stage : training.stages) longest = std::max(longest, stage.finish);
  const TimeUnit unit = common_unit(longest);
  std::vector<TextTable::Column> columns{{"stage"}};
  for (const std::string& name : names) columns.push_back({name});
  columns.push_back({"finish"});
  if (!result.memory.empty()) columns.push_back({"memory"});
  TextTable table(columns);
  for (const StageRow& stage : training.stages) {
    const std::vector<TrainingPart> parts = training_parts(stage);
    std::vector<std::string> cells{std::to_string(stage.stage)};
    for (const std::string& name : names) {
      const auto part = std::ranges::find(parts, name, &TrainingPart::name);
      cells.push_back(part == parts.end() ? "-" : in_unit(part->time, unit));
    }
    cells.push_back(in_unit(stage.finish, unit));
    if (!result.memory.empty())
      cells.push_back(to_text(result.memory[static_cast<std::size_t>(stage.stage)].total));
    table.add_row(cells);
  }
  return fmt::format("\nstages, times in {}\n", unit.name) + table.text();
}

struct Convention {
  const char *name, *measure, *text;
  const char* with_adapters = text;
};
constexpr Convention conventions[] = {
    {"model", "MFU", "all attention: Megatron-LM, SC'21 eq. 3"},
    {"causal", "MFU", "half of the attention"},
    {"palm", "MFU", "6N + 12LHQT: PaLM", "4N frozen, 6N of adapters, + 12LHQT: PaLM"},
    {"six_n", "MFU", "6N", "4N frozen, 6N of adapters"},
    {"recomputed", "HFU", "all attention, and what is recomputed: SC'21 eq. 3"},
    {"executed", "HFU", "the operations that were simulated"}};

std::string utilisations(const RunResult& result) {
  const TrainingResult& training = *result.training;
  const std::string of = training.peak == FlopRate{} ? "" : "of " + to_text(training.peak);
  TextTable table({{"", left_aligned}, {"counts", left_aligned}, {"TFLOP/s\na NPU"}, {of}});
  for (const UtilisationRow& row : training.utilisation) {
    const Convention& convention = *std::ranges::find_if(
        conventions, [&](const Convention& c) { return c.name == row.convention; });
    table.add_row({convention.measure,
                   training.freezes ? convention.with_adapters : convention.text,
                   fmt::format("{:.1f}", row.flops_per_s_npu * 1e-12),
                   row.utilisation ? fmt::format("{:.1f} %", 100 * *row.utilisation) : "-"});
  }
  return '\n' + table.text();
}

// Beside the simulation the closed form says what is due to overlap, uneven stages, latency, ...
std::string closed_form(const RunResult& result) {
  const TrainingResult& training = *result.training;
  if (training.estimate.empty())
    return fmt::format("\nno closed form to compare with: {}\n", training.no_estimate);
  TextTable table({{"closed form", left_aligned},
                   {"estimated"},
                   {"simulated"},
                   {"differ-\nence"},
                   {"hidden by\ncomputing"}});
  for (const EstimateRow& row : training.estimate) {
    if (row.estimated == Duration{} && row.simulated == Duration{}) continue;
    const auto estimated = static_cast<double>(row.estimated.value);
    const double difference = static_cast<double>(row.simulated.value) / estimated - 1;
    table.add_row({row.part, to_text(row.estimated), to_text(row.simulated),
                   estimated > 0 ? fmt::format("{:+.1f} %", 100 * difference) : "-",
                   row.hidden > Duration{} ? to_text(row.hidden) : ""});
  }
  return '\n' + table.text() + "(of an iteration, on the first stage)\n";
}

bool has_training(const RunResult& result) { return result.training && !result.partial; }

}  // namespace

std::string training_text(const RunResult& result) {
  if (!has_training(result)) return "";
  return throughput(result) + utilisations(result) + parts(result) + stages(result) +
         closed_form(result);
}

std::string tokens_per_second_text(const RunResult& result) {
  if (!has_training(result)) return "";
  return short_number(result.training->tokens_per_s_npu);
}

namespace {

std::optional<double> utilisation_by(const RunResult& result, std::string_view convention) {
  if (!has_training(result)) return std::nullopt;
  const auto& rows = result.training->utilisation;
  const auto row = std::ranges::find(rows, convention, &UtilisationRow::convention);
  return row != rows.end() ? row->utilisation : std::nullopt;
}

}  // namespace

std::string model_utilisation_text(const RunResult& result) {
  const std::optional<double> share = utilisation_by(result, "model");
  if (!share) return "";
  return fmt::format("{:.1f} %", 100 * *share);
}

std::string dropped_copies_text(const RunResult& result) {
  constexpr double shown = 0.0005;  // as 0.1 %
  if (!has_training(result) || result.training->dropped < shown) return "";
  return fmt::format("{:.1f} %", 100 * result.training->dropped);
}

std::string causal_utilisation_text(const RunResult& result) {
  constexpr double much_less = 0.8;
  const std::optional<double> all = utilisation_by(result, "model");
  const std::optional<double> half = utilisation_by(result, "causal");
  return all && half && *half < much_less * *all ? fmt::format("{:.1f}", 100 * *half) : "";
}

}  // namespace orrery
