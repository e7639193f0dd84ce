#include "frontends/report/json_report.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "frontends/report/packet_report.h"
#include "frontends/report/provenance_json.h"
#include "frontends/report/training_report.h"

namespace orrery {

namespace {

using Json = nlohmann::ordered_json;

Json optional_text(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json optional_time(std::optional<Duration> time) {
  return time ? Json(time->value) : Json(nullptr);
}

Json layers(const RunResult& result) {
  Json rows = Json::array();
  for (const LayerRow& row : result.layers) {
    rows.push_back({{"name", row.name},
                    {"iteration", row.iteration},
                    {"pass", name_of(row.pass)},
                    {"compute_ps", row.compute.value},
                    {"raw_ps", row.raw.value},
                    {"raw_max_ps", row.raw_max.value},
                    {"raw_bound_ps", row.raw_bound.value},
                    {"exposed_ps", row.exposed.value},
                    {"bytes", row.bytes.value},
                    {"collective", optional_text(row.collective)}});
  }
  return rows;
}

Json selected(const RunResult& result) {
  Json rows = Json::array();
  for (const SelectedRow& row : result.selected) {
    rows.push_back({{"collective", row.collective},
                    {"group", row.group},
                    {"bytes", row.bytes.value},
                    {"chosen", row.chosen},
                    {"predicted_ps", optional_time(row.predicted)},
                    {"candidates", row.candidates}});
  }
  return rows;
}

Json levels(const RunResult& result) {
  Json rows = Json::array();
  for (const LevelRow& row : result.levels) {
    rows.push_back(
        {{"name", row.name}, {"collective", row.collective}, {"bytes", row.bytes.value}});
  }
  return rows;
}

Json links(const RunResult& result, const ReportOptions& options) {
  Json rows = Json::array();
  for (const LinkRow& row : shown_links(result, options)) {
    rows.push_back({{"name", row.name()},
                    {"source", row.source},
                    {"target", row.target},
                    {"level", row.level},
                    {"bytes", row.bytes.value},
                    {"utilisation", row.utilisation}});
  }
  return rows;
}

Json ranks(const RunResult& result) {
  Json rows = Json::array();
  for (const RankRow& row : result.ranks) {
    rows.push_back({{"rank", row.rank},
                    {"multiplicity", row.multiplicity},
                    {"finish_ps", row.finish.value},
                    {"compute_ps", row.compute.value},
                    {"exposed_ps", row.exposed.value},
                    {"idle_ps", row.idle.value},
                    {"stolen_ps", row.stolen.value}});
  }
  return rows;
}

Json jobs(const RunResult& result) {
  Json rows = Json::array();
  for (const JobRow& row : result.jobs) {
    rows.push_back({{"name", row.name},
                    {"ranks", row.ranks},
                    {"iterations", row.iterations},
                    {"start_ps", row.start.value},
                    {"finish_ps", row.finish.value},
                    {"compute_ps", row.compute.value},
                    {"exposed_ps", row.exposed.value},
                    {"idle_ps", row.idle.value}});
  }
  return rows;
}

Json endpoint(const RunResult& result) {
  if (!result.endpoint) return nullptr;
  const EndpointRow& row = *result.endpoint;
  return {{"sent", row.sent},
          {"received", row.received},
          {"overhead_ps", row.overhead.value},
          {"copy_ps", row.copy.value},
          {"waited_ps", row.waited.value}};
}

Json bottlenecks(const RunResult& result) {
  Json rows = Json::array();
  for (const BottleneckRow& row : result.bottlenecks) {
    rows.push_back({{"collective", row.collective},
                    {"level", row.level},
                    {"bytes", row.bytes.value},
                    {"link", row.link},
                    {"link_bytes", row.link_bytes.value}});
  }
  return rows;
}

Json activity(const RunResult& result) {
  Json rows = Json::array();
  for (const ActivityRow& row : result.activity) {
    rows.push_back({{"level", row.level},
                    {"begin_ps", row.begin.value},
                    {"end_ps", row.end.value},
                    {"bytes", row.bytes.value},
                    {"share", row.share}});
  }
  return rows;
}

Json link_activity(const RunResult& result) {
  Json rows = Json::array();
  for (const LinkActivityRow& row : result.link_activity) {
    rows.push_back({{"link", row.link()},
                    {"source", row.source},
                    {"target", row.target},
                    {"level", row.level},
                    {"begin_ps", row.begin.value},
                    {"end_ps", row.end.value},
                    {"bytes", row.bytes.value},
                    {"utilisation", row.utilisation}});
  }
  return rows;
}

Json matrix(const RunResult& result) {
  Json rows = Json::array();
  for (const MatrixRow& row : result.matrix) {
    rows.push_back({{"group", optional_text(row.group)},
                    {"source", row.source},
                    {"target", row.target},
                    {"bytes", row.bytes.value},
                    {"messages", row.messages}});
  }
  return rows;
}

Json exposed_by(const RunResult& result) {
  Json kinds = Json::object();
  for (const ExposedBy& row : result.exposed_by) kinds[row.kind] = row.exposed.value;
  return kinds;
}

Json memory(const RunResult& result) {
  Json rows = Json::array();
  for (const MemoryRow& row : result.memory) {
    rows.push_back({{"stage", row.stage},
                    {"total", row.total.value},
                    {"parameters", row.parameters.value},
                    {"gradients", row.gradients.value},
                    {"optimizer", row.optimizer.value},
                    {"buffers", row.buffers.value},
                    {"activations", row.activations.value},
                    {"again", row.again.value},
                    {"in_flight", row.in_flight}});
  }
  return rows;
}

Json run_object(const RunResult& result, const ReportOptions& options) {
  Json run = {{"schema", "orrery.run/1"},
              {"name", result.name},
              {"backend", result.backend},
              {"seed", result.seed},
              {"fingerprint", result.fingerprint},
              {"partial", result.partial},
              {"partial_reason", optional_text(result.partial_reason)},
              {"iterations", iteration_count(result)},
              {"iteration_ps", optional_time(iteration_time(result))},
              {"finish_ps", result.finish.value},
              {"compute_ps", result.compute.value},
              {"exposed_ps", result.exposed.value},
              {"idle_ps", result.idle.value},
              {"stolen_ps", result.stolen.value},
              {"endpoint", endpoint(result)},
              {"exposed_by", exposed_by(result)},
              {"bound_ps", result.bound.value},
              {"bound_by", result.bound_by},
              {"layers", layers(result)},
              {"selected", selected(result)},
              {"levels", levels(result)},
              {"links", links(result, options)},
              {"link_count", result.links.size()},
              {"bottlenecks", bottlenecks(result)},
              {"ranks", ranks(result)},
              {"folded", result.folded},
              {"unfolded_because", optional_text(result.unfolded_because)},
              {"events", result.events},
              {"messages", result.messages},
              {"notices", result.notices},
              {"provenance", provenance_json(result.provenance)},
              {"host",
               {{"wall_s", result.host.wall_s},
                {"cpu_s", result.host.cpu_s},
                {"peak_rss_bytes", result.host.peak_rss_bytes}}}};
  if (!result.unreceived.empty()) run["unreceived"] = result.unreceived;
  if (result.packets) run["packets"] = packet_json(*result.packets, options);
  if (result.training) run["training"] = training_json(result);
  if (!result.jobs.empty()) run["jobs"] = jobs(result);
  if (!result.memory.empty()) run["memory"] = memory(result);
  if (!result.memory.empty() && result.npu_memory) run["npu_memory"] = result.npu_memory->value;
  if (!result.activity.empty()) run["activity"] = activity(result);
  if (!result.link_activity.empty()) run["link_activity"] = link_activity(result);
  if (!result.matrix.empty()) run["matrix"] = matrix(result);
  return run;
}

// Names come from the user; what is not UTF-8 in them must not lose the results.
std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string run_json(const RunResult& result, const ReportOptions& options) {
  return text_of(run_object(result, options));
}

std::string comparison_json(std::span<const RunResult> results, const ReportOptions& options) {
  const std::vector<std::optional<double>> ratios = ratios_to_fastest(results);
  Json systems = Json::array();
  for (std::size_t i = 0; i < results.size(); ++i) {
    Json system = run_object(results[i], options);
    system["ratio_to_fastest"] = ratios[i] ? Json(*ratios[i]) : Json(nullptr);
    if (results[i].predicted_speedup) system["predicted_speedup"] = *results[i].predicted_speedup;
    systems.push_back(std::move(system));
  }
  return text_of({{"schema", "orrery.compare/1"}, {"systems", std::move(systems)}});
}

}  // namespace orrery
