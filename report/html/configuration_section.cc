// What was simulated: enough to repeat it.
#include <fmt/format.h>

#include "core/units/unit_text.h"
#include "report/html/sections.h"

namespace orrery {

namespace {

std::string word_of(const ResultJson& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void add(FigureTable& table, const std::string& key, const std::string& value) {
  if (!value.empty()) table.rows.push_back({cell(key), cell(value)});
}

void add_all(FigureTable& table, const std::string& key, const ResultJson& texts) {
  for (const ResultJson& text : texts) add(table, key, word_of(text));
}

Figure head_figure(const ReportedRun& run) {
  const ResultJson& result = run.result;
  const ResultJson& provenance = rows_of(result, "provenance");
  Figure figure{.caption = text_of(result, "name")};
  figure.answer = fmt::format("{} ran on the {} backend with seed {}.", text_of(result, "name"),
                              text_of(result, "backend"), count_of(result, "seed"));
  FigureTable& table = figure.table;
  table.columns = {"what", "value"};
  if (provenance.is_object()) {
    add(table, "command", text_of(provenance, "command"));
    add(table, "version of Orrery", text_of(provenance, "version"));
    add(table, "commit", text_of(provenance, "commit"));
    add(table, "hash of the inputs", text_of(provenance, "inputs"));
  }
  add(table, "seed", fmt::format("{}", count_of(result, "seed")));
  add(table, "fingerprint", text_of(result, "fingerprint"));
  add(table, "backend, because", text_of(result, "backend_because"));
  add(table, "network, chosen", text_of(result, "network_chosen"));
  add(table, "parallel configuration, chosen", text_of(result, "parallelism_chosen"));
  add(table, "efficiency", text_of(result, "efficiency"));
  add(table, "protocols", text_of(result, "protocols"));
  add(table, "ended early", text_of(result, "partial_reason"));
  add_all(table, "notice", rows_of(result, "notices"));
  add_all(table, "left out by this model of the network", rows_of(result, "ignored"));
  return figure;
}

Figure configuration_figure(const ReportedRun& run) {
  Figure figure{
      .caption = fmt::format("{}: every value of the configuration", text_of(run.result, "name"))};
  const ResultJson& provenance = rows_of(run.result, "provenance");
  if (!provenance.is_object()) return figure;
  const ResultJson& origins = rows_of(provenance, "origins");
  figure.table.columns = {"key", "value", "from"};
  for (const auto& [key, value] : rows_of(provenance, "configuration").items()) {
    // Results of versions that did not tell have none.
    std::string from = origins.is_object() ? text_of(origins, key.c_str()) : "-";
    if (from.empty()) from = "default";
    figure.table.rows.push_back({cell(key), cell(word_of(value)), cell(from)});
  }
  figure.note = fmt::format(
      "{} values{}; `orrery explain KEY` says what a key means.", figure.table.rows.size(),
      origins.is_object() ? fmt::format(", {} of them not by default", origins.size()) : "");
  figure.is_long = true;
  return figure;
}

}  // namespace

Section what_was_simulated(ReportedRuns runs) {
  Section section{"configuration", "What did I simulate?", {}};
  for (const ReportedRun& run : runs) {
    section.figures.push_back(head_figure(run));
    section.figures.push_back(configuration_figure(run));
  }
  return section;
}

}  // namespace orrery
