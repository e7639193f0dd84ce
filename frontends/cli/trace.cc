#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/config_error.h"
#include "core/units/unit_text.h"
#include "formats/chakra/trace_check.h"
#include "formats/chakra/trace_dot.h"
#include "formats/chakra/trace_scan.h"
#include "formats/chakra/trace_workload.h"
#include "formats/input/input_texts.h"
#include "frontends/cli/commands.h"
#include "report/text_table.h"
#include "workload/graph/graph.h"

namespace orrery::cli {

namespace {

using chakra::Role;

// The files of ranks 0, 1, ... as they are named.
struct NamedTrace {
  InputTexts texts;
  std::vector<chakra::TraceFile> files;
  chakra::GroupRanks groups;
  chakra::TraceSettings settings;

  explicit NamedTrace(const TraceOptions& options) {
    // A shell names 10 before 2.
    std::vector<std::string> names = options.files;
    std::ranges::sort(names, {},
                      [](const std::string& name) { return std::pair(name.size(), name); });
    for (const std::string& file : names) files.push_back({file, texts.read(file)});
    if (!options.groups.empty())
      groups = chakra::read_groups(options.groups, texts.read(options.groups));
    settings.files = files.size() == 1 ? files.front().name : fmt::format("{} files", files.size());
    // One file does not say how many ranks there are; two show what its collectives are.
    if (files.size() == 1) settings.replicate = 2;
  }

  GraphWorkload workload() const { return chakra::trace_workload(settings, files, groups, 1); }
};

constexpr std::array<std::pair<Role, const char*>, 7> kRoles = {{
    {Role::processor, "compute"},
    {Role::host, "host"},
    {Role::memory, "memory"},
    {Role::collective, "collective"},
    {Role::send, "send"},
    {Role::receive, "receive"},
    {Role::structure, "metadata"},
}};

// Nodes and recorded time, over all files, by what does them.
struct Sums {
  struct Sum {
    std::int64_t nodes = 0;
    Duration time;
  };
  std::map<Role, Sum> roles;
  std::map<chakra::StreamName, Sum> streams;
  std::int64_t data = 0, control = 0;

  void add(const chakra::RankTrace& trace) {
    for (const chakra::Node& node : trace.nodes) {
      add(roles[chakra::role_of(node)], node);
      if (const auto stream = chakra::stream_of(node)) add(streams[*stream], node);
      data += static_cast<std::int64_t>(node.data_dependencies.size());
      control += static_cast<std::int64_t>(node.control_dependencies.size());
    }
  }

 private:
  static void add(Sum& sum, const chakra::Node& node) {
    ++sum.nodes;
    sum.time += node.duration;
  }
};

std::string table_of(const Sums& sums) {
  TextTable table({{"", left_aligned}, {"nodes"}, {"recorded"}});
  for (const auto& [role, name] : kRoles)
    if (const auto found = sums.roles.find(role); found != sums.roles.end())
      table.add_row({name, std::to_string(found->second.nodes), to_text(found->second.time)});
  for (const auto& [stream, sum] : sums.streams)
    table.add_row({fmt::format("{} {}", stream.host ? "thread" : "stream", stream.number),
                   std::to_string(sum.nodes), to_text(sum.time)});
  return table.text();
}

// Calls and bytes of rank 0, by collective and group.
std::string table_of_calls(const GraphWorkload& workload) {
  struct Calls {
    std::int64_t number = 0, bytes = 0;
  };
  std::map<std::string, Calls> calls;
  for (const Operation& operation : workload.graphs[workload.graph_of_rank[0]]->operations())
    if (const auto* call = std::get_if<CollectiveCall>(&operation.what)) {
      Calls& sum = calls[workload.labels[static_cast<std::size_t>(operation.label)].layer];
      ++sum.number;
      sum.bytes += call->size.value;
    }
  if (calls.empty()) return "";
  TextTable table({{"calls of rank 0", left_aligned}, {"number"}, {"bytes"}});
  for (const auto& [name, sum] : calls)
    table.add_row({name, std::to_string(sum.number), std::to_string(sum.bytes)});
  return '\n' + table.text();
}

chakra::RankTrace one_trace(const TraceOptions& options, const char* command) {
  if (options.files.size() != 1)
    throw ConfigError({.path = command,
                       .what = fmt::format("{} files are named", options.files.size()),
                       .remedy = "name one"});
  InputTexts texts;
  const std::string& file = options.files.front();
  return chakra::read_rank_trace(file, texts.read(file));
}

}  // namespace

ExitCode trace_info(const TraceOptions& options, const Terminal& terminal) {
  const NamedTrace trace(options);
  Sums sums;
  std::string version;
  for (const chakra::TraceFile& file : trace.files) {
    const chakra::RankTrace rank = chakra::read_rank_trace(file.name, file.bytes);
    if (version.empty()) version = rank.version.empty() ? "none" : rank.version;
    sums.add(rank);
  }
  const GraphWorkload workload = trace.workload();
  terminal.out << fmt::format("{} file{} of version {}, {} distinct rank{}\n", trace.files.size(),
                              trace.files.size() == 1 ? "" : "s", version, workload.graphs.size(),
                              workload.graphs.size() == 1 ? "" : "s")
               << fmt::format("{} data dependencies, {} control dependencies\n\n", sums.data,
                              sums.control)
               << table_of(sums) << table_of_calls(workload);
  for (const std::string& notice : workload.notices) terminal.out << '\n' << notice << '\n';
  return ok;
}

ExitCode trace_json(const TraceOptions& options, const Terminal& terminal) {
  terminal.out << chakra::json_text(one_trace(options, "trace json"));
  return ok;
}

ExitCode trace_dot(const TraceOptions& options, const Terminal& terminal) {
  terminal.out << chakra::dot_text(one_trace(options, "trace dot"),
                                   {.around = options.around, .steps = options.steps});
  return ok;
}

ExitCode trace_check(const TraceOptions& options, const Terminal& terminal) {
  const NamedTrace trace(options);
  const GraphWorkload workload = trace.workload();
  const std::vector<std::string> lines = chakra::contradictions_in(workload);
  for (const std::string& line : lines) terminal.out << line << '\n';
  if (!lines.empty()) return simulation_failed;
  terminal.out << fmt::format("ok: {} file{}, {} distinct rank{}\n", trace.files.size(),
                              trace.files.size() == 1 ? "" : "s", workload.graphs.size(),
                              workload.graphs.size() == 1 ? "" : "s");
  return ok;
}

}  // namespace orrery::cli
