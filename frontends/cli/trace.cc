#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/config_error.h"
#include "core/units/unit_text.h"
#include "formats/chakra/rank_trace.h"
#include "formats/chakra/trace_check.h"
#include "formats/chakra/trace_dot.h"
#include "formats/chakra/trace_workload.h"
#include "formats/input/byte_stream.h"
#include "formats/input/file_identity.h"
#include "formats/input/input_texts.h"
#include "formats/input/unpacked_file.h"
#include "formats/kineto/kineto_events.h"
#include "formats/kineto/kineto_profile.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/kineto_text.h"
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
    for (const auto& rank : chakra::files_of_ranks(options.files)) {
      const std::string& name = rank.name;
      chakra::TraceFile& file = files.emplace_back(chakra::TraceFile{name, {}, {}});
      if (rank.is_missing) continue;
      file.open = [this, name] { return texts.open(name); };
      file.identity = identity_of_linked_file(name);
    }
    if (!options.groups.empty())
      groups = chakra::read_groups(options.groups, texts.read(options.groups));
    settings.files = files.size() == 1 ? files.front().name : fmt::format("{} files", files.size());
    settings.groups_key = "--groups FILE";
    // One file does not say how many ranks there are; two show what its collectives are.
    if (files.size() == 1) settings.replicate = 2;
  }

  NamedTrace(const NamedTrace&) = delete;
  NamedTrace& operator=(const NamedTrace&) = delete;

  chakra::TraceInspection inspection(bool needs_sizes) const {
    return chakra::inspect_trace(settings, files, groups, needs_sizes);
  }
};

std::string counted(std::size_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

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
std::string table_of(const chakra::TraceSums& sums) {
  TextTable table({{"", left_aligned}, {"nodes"}, {"recorded"}});
  for (const auto& [role, name] : kRoles)
    if (const auto& sum = sums.roles[static_cast<std::size_t>(role)]; sum.nodes > 0)
      table.add_row({name, std::to_string(sum.nodes), to_text(sum.time)});
  for (const auto& [stream, sum] : sums.streams)
    table.add_row({fmt::format("{} {}", stream.host ? "thread" : "stream", stream.number),
                   std::to_string(sum.nodes), to_text(sum.time)});
  return table.text();
}

// Calls and bytes of the first rank that has a graph, by collective and group.
std::string table_of_calls(const GraphWorkload& workload) {
  const auto& ranks = workload.graph_of_rank;
  const auto first = std::ranges::find_if(ranks, [](std::int32_t graph) { return graph >= 0; });
  if (first == ranks.end()) return "";
  struct Calls {
    std::int64_t number = 0, bytes = 0;
  };
  std::map<std::string, Calls> calls;
  for (const Operation& operation : workload.graphs[static_cast<std::size_t>(*first)]->operations())
    if (const auto* call = std::get_if<CollectiveCall>(&operation.what)) {
      Calls& sum = calls[workload.labels[static_cast<std::size_t>(operation.label)].layer];
      ++sum.number;
      sum.bytes += call->size.value;
    }
  if (calls.empty()) return "";
  TextTable table({{fmt::format("calls of rank {}", first - ranks.begin()), left_aligned},
                   {"number"},
                   {"bytes"}});
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
  return chakra::read_rank_trace(file, texts.open(file));
}

// A profile of PyTorch, if the file is one.
std::optional<kineto::Profile> profile_in(const std::string& file) {
  const auto begin = unpacked(file, bytes_of_file(file));
  if (!kineto::is_profile(begin->next())) return std::nullopt;
  return kineto::read_profile(file, *unpacked_file(file));
}

// What graphs take, and for each node of a rank what it still waits for.
Bytes memory_of(const GraphWorkload& workload) {
  std::size_t sum = 0;
  for (const auto& graph : workload.graphs) sum += graph->bytes_of_memory();
  for (const std::int32_t graph : workload.graph_of_rank)
    if (graph >= 0)
      sum += workload.graphs[static_cast<std::size_t>(graph)]->size() * sizeof(std::int32_t);
  return bytes(static_cast<std::int64_t>(sum));
}

// Of a trace with a file for each rank; "" if the platform has as many NPUs.
std::string against_platform(std::size_t ranks, const TraceOptions& options) {
  const Topology topology(load_cluster(options.platform, {}, std::nullopt).topology);
  const std::int64_t npus = topology.npu_count();
  const auto count = static_cast<std::int64_t>(ranks);
  if (count > npus)
    return fmt::format("ranks {} to {} are outside {}, which has {} NPUs", npus, count - 1,
                       options.platform, npus);
  if (count < npus)
    return fmt::format("{} has {} NPUs: there is no file for ranks {} to {}", options.platform,
                       npus, count, npus - 1);
  return "";
}

ExitCode chakra_info(const TraceOptions& options, const Terminal& terminal) {
  const NamedTrace trace(options);
  chakra::TraceInspection found = trace.inspection(false);
  const GraphWorkload& workload = found.workload;
  const chakra::TraceSums& sums = found.sums;
  if (workload.graphs.empty() && !found.problems.empty())
    throw ConfigError(std::move(found.problems));
  terminal.out << fmt::format("{} of version {}, {}\n", counted(options.files.size(), "file"),
                              sums.version.empty() ? "none" : sums.version,
                              counted(workload.graphs.size(), "distinct rank"))
               << fmt::format("{} data dependencies, {} control dependencies\n", sums.data,
                              sums.control)
               << fmt::format("{} of memory to simulate them, beside that of the network\n\n",
                              to_text(memory_of(workload)))
               << table_of(sums) << table_of_calls(workload);
  for (const std::string& notice : workload.notices) terminal.out << '\n' << notice << '\n';
  if (!found.problems.empty()) throw ConfigError(std::move(found.problems));
  return ok;
}

}  // namespace

ExitCode trace_info(const TraceOptions& options, const Terminal& terminal) {
  std::vector<std::pair<std::string, kineto::Profile>> profiles;
  for (const std::string& file : options.files)
    if (auto profile = profile_in(file)) profiles.emplace_back(file, std::move(*profile));
  for (const auto& [file, profile] : profiles) {
    constexpr std::int32_t kKernels = 20;
    terminal.out << fmt::format("{}{}: a profile of PyTorch, {} events, {} of them kernels\n\n",
                                file == profiles.front().first ? "" : "\n", file, profile.events,
                                profile.kernels)
                 << text_of(profile, kKernels);
  }
  TraceOptions others = options;
  std::erase_if(others.files, [&](const std::string& file) {
    return std::ranges::find(profiles, file, &decltype(profiles)::value_type::first) !=
           profiles.end();
  });
  return others.files.empty() ? ok : chakra_info(others, terminal);
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
  chakra::TraceInspection found = trace.inspection(true);
  std::vector<std::string> lines = chakra::contradictions_in(found.workload);
  if (!options.platform.empty()) {
    const std::string line = against_platform(trace.files.size(), options);
    if (!line.empty()) lines.push_back(line);
  }
  for (const std::string& line : lines) terminal.out << line << '\n';
  if (!found.problems.empty()) throw ConfigError(std::move(found.problems));
  if (!lines.empty()) return simulation_failed;
  terminal.out << fmt::format("ok: {}, {}\n", counted(trace.files.size(), "file"),
                              counted(found.workload.graphs.size(), "distinct rank"));
  return ok;
}

}  // namespace orrery::cli
