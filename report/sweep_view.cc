#include "report/sweep_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "core/base/io_error.h"
#include "core/units/unit_text.h"
#include "report/numbers.h"
#include "report/result_path.h"

namespace orrery {

namespace {

std::string last_step(const std::string& key) { return key.substr(key.rfind('.') + 1); }

std::string words_of(const std::string& metric) {
  if (metric == "finish_ps") return "time";
  if (metric == "mean_ps") return "mean time of a flow";
  if (metric == "npus") return "number of NPUs";
  if (metric == "memory_bytes") return "memory of a rank";
  for (const std::string_view unit : {"_ps", "_bytes"})
    if (metric.ends_with(unit)) return metric.substr(0, metric.size() - unit.size());
  return metric;
}

std::string quantity_of(const std::string& metric) {
  if (metric.ends_with("_ps")) return "ps";
  if (metric.ends_with("_bytes")) return "bytes";
  return is_sweep_column(metric) ? "" : unit_of_path(metric);
}

// Which of a key's values each row has; "experiment" and the varied keys but the seed.
struct RawKey {
  std::string name;
  std::vector<std::string> texts;  // of each row
};

// By their names without folder, if these tell them apart.
std::vector<std::string> experiment_names(const std::vector<SweepRow>& rows) {
  std::vector<std::string> paths, names;
  std::set<std::string> all_paths, all_names;
  for (const SweepRow& row : rows) {
    paths.push_back(row.point.experiment);
    names.push_back(std::filesystem::path(row.point.experiment).stem().string());
    all_paths.insert(paths.back());
    all_names.insert(names.back());
  }
  return all_names.size() == all_paths.size() ? names : paths;
}

std::vector<RawKey> raw_keys(const std::vector<SweepRow>& rows) {
  std::vector<RawKey> keys{{"experiment", experiment_names(rows)}};
  for (std::size_t i = 0; !rows.empty() && i < rows.front().point.varied.size(); ++i) {
    if (rows.front().point.varied[i].key == "seed") continue;
    keys.push_back({rows.front().point.varied[i].key, {}});
    for (const SweepRow& row : rows) keys.back().texts.push_back(row.point.varied[i].value);
  }
  return keys;
}

SweepKey key_of(const RawKey& raw) {
  SweepKey key{.name = raw.name, .short_name = last_step(raw.name), .values = {}};
  std::set<std::string> known;
  for (const std::string& text : raw.texts)
    if (known.insert(text).second) key.values.push_back(sweep_value(text));
  const SweepValueKind kind = key.values.front().kind;
  key.is_numeric =
      kind != SweepValueKind::text &&
      std::ranges::all_of(key.values, [&](const SweepValue& value) { return value.kind == kind; });
  if (key.is_numeric) std::ranges::stable_sort(key.values, {}, &SweepValue::number);
  return key;
}

std::vector<std::size_t> indices_of(const RawKey& raw, const SweepKey& key) {
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < key.values.size(); ++i) index[key.values[i].text] = i;
  std::vector<std::size_t> indices;
  for (const std::string& text : raw.texts) indices.push_back(index.at(text));
  return indices;
}

// Values of a key in rows.
struct KeyColumn {
  std::vector<std::size_t> indices;
  std::size_t values;
  bool is_numeric;
};

// Whether the keys change together. Numbers drawn by chance tell each other too, if no two samples
// share one; of those that are given together, both rise, or one falls.
bool are_alike(const KeyColumn& one, const KeyColumn& other) {
  if (one.values != other.values) return false;
  std::map<std::size_t, std::size_t> forth, back;
  bool both_rise = true, one_falls = true;
  for (std::size_t i = 0; i < one.indices.size(); ++i) {
    const std::size_t a = one.indices[i], b = other.indices[i];
    if (forth.emplace(a, b).first->second != b || back.emplace(b, a).first->second != a)
      return false;
    both_rise = both_rise && a == b;
    one_falls = one_falls && a + b + 1 == one.values;
  }
  return both_rise || one_falls || !one.is_numeric || !other.is_numeric;
}

void shorten_names(std::vector<SweepKey>& keys) {
  for (SweepKey& key : keys) {
    const auto alike = std::ranges::count_if(
        keys, [&](const SweepKey& other) { return last_step(other.name) == last_step(key.name); });
    if (alike > 1) key.short_name = key.name;
  }
}

}  // namespace

std::string SweepMetric::text_of(double value) const {
  if (quantity == "ps") return to_text(Duration{static_cast<std::int64_t>(value)});
  if (quantity == "bytes") return to_text(Bytes{static_cast<std::int64_t>(value)});
  return std::abs(value) < 1e5 ? fmt::format("{:.4g}", value) : short_number(value);
}

std::string SweepView::value_of(const SweepCell& cell, std::size_t key) const {
  return keys[key].values[cell.at[key]].text;
}

std::string SweepView::text_of(const SweepCell& cell) const {
  std::string text;
  for (std::size_t key = 0; key < keys.size(); ++key)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", keys[key].short_name,
                        value_of(cell, key));
  return text.empty() ? "the only point" : text;
}

std::optional<std::size_t> SweepView::find(const std::vector<std::size_t>& at) const {
  const auto found = std::ranges::find(cells, at, &SweepCell::at);
  if (found == cells.end()) return std::nullopt;
  return static_cast<std::size_t>(found - cells.begin());
}

std::optional<double> metric_of(const SweepRow& row, const std::string& metric) {
  if (row.status != "ok") return std::nullopt;
  for (const auto& [name, time] : sweep_times)
    if (metric == name && (time == &SweepRow::finish || !row.has_flows))
      return static_cast<double>((row.*time).value);
  const auto found = row.numbers.find(metric);
  if (found == row.numbers.end()) return std::nullopt;
  double value = 0;
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

SweepMetric metric_in(const std::vector<SweepRow>& rows, const std::string& name) {
  SweepMetric metric;
  metric.name = name;
  metric.words = words_of(name);
  metric.quantity = quantity_of(name);
  metric.more_is_better = name == "mfu" || name.find("_per_s") != std::string::npos;
  double most = 0;
  for (const SweepRow& row : rows) most = std::max(most, metric_of(row, name).value_or(0));
  if (metric.quantity == "ps") metric.unit = axis_unit(Duration{static_cast<std::int64_t>(most)});
  if (metric.quantity == "bytes") metric.unit = axis_unit(Bytes{static_cast<std::int64_t>(most)});
  return metric;
}

SweepMetric metric_named(const SweepManifest& sweep, const std::string& name) {
  const auto has = [&](const SweepRow& row) { return metric_of(row, name).has_value(); };
  if (!name.empty() && std::ranges::none_of(sweep.rows, has))
    throw IoError(
        fmt::format("no point of {} has the metric \"{}\": name a column of its runs.csv, npus, "
                    "memory_bytes or "
                    "a number of its results by its path, such as training.samples_per_s",
                    sweep.name, name));
  const bool only_flows =
      !sweep.rows.empty() && std::ranges::all_of(sweep.rows, &SweepRow::has_flows);
  return metric_in(sweep.rows, !name.empty() ? name : only_flows ? "mean_ps" : "finish_ps");
}

namespace {

void add_cells(SweepView& view, const SweepManifest& sweep, const std::vector<KeyColumn>& columns) {
  std::map<std::vector<std::size_t>, std::size_t> known;
  for (std::size_t row = 0; row < sweep.rows.size(); ++row) {
    std::vector<std::size_t> at;
    for (const KeyColumn& column : columns) at.push_back(column.indices[row]);
    const auto [place, is_new] = known.emplace(at, view.cells.size());
    if (is_new)
      view.cells.push_back({.at = at, .results = {}, .rows = {}, .link = sweep.rows[row].page});
    SweepCell& cell = view.cells[place->second];
    cell.rows.push_back(row);
    if (const auto value = metric_of(sweep.rows[row], view.metric.name))
      cell.results.push_back(*value);
    else if (sweep.rows[row].status == "failed")
      ++cell.failed;
    else
      ++cell.missing;
  }
}

}  // namespace

SweepView view_of(const SweepManifest& sweep, const std::string& metric) {
  SweepView view;
  view.name = sweep.name;
  view.metric = metric_named(sweep, metric);
  std::vector<KeyColumn> columns;
  for (const RawKey& raw : raw_keys(sweep.rows)) {
    if (raw.texts.empty()) continue;
    SweepKey key = key_of(raw);
    if (key.values.size() < 2) continue;
    KeyColumn column{indices_of(raw, key), key.values.size(), key.is_numeric};
    const bool is_known = std::ranges::any_of(
        columns, [&](const KeyColumn& other) { return are_alike(column, other); });
    if (is_known) continue;
    view.keys.push_back(std::move(key));
    columns.push_back(std::move(column));
  }
  shorten_names(view.keys);
  add_cells(view, sweep, columns);
  double combinations = 1;
  for (const SweepKey& key : view.keys) combinations *= static_cast<double>(key.values.size());
  view.is_grid = static_cast<double>(view.cells.size()) * 3 >= combinations;
  for (const SweepCell& cell : view.cells) {
    view.has_repeats = view.has_repeats || cell.rows.size() > 1;
    GridCost cost{cell.at, std::nullopt};
    if (!cell.results.empty())
      cost.cost = quantile(cell.results, 0.5) * (view.metric.more_is_better ? -1 : 1);
    view.costs.push_back(std::move(cost));
  }
  view.best = best_of(view.costs);
  return view;
}

}  // namespace orrery
