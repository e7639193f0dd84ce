#include "formats/import/astra_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "core/base/config_error.h"
#include "formats/chakra/trace_groups.h"
#include "formats/chakra/trace_nodes.h"

namespace orrery {

namespace {

std::string file_of(const std::string& prefix, std::int32_t npu) {
  return fmt::format("{}.{}.et", prefix, npu);
}

// Files of a custom algorithm lie beside the system JSON that names them; as ASTRA-sim takes them,
// from the working directory, where none lie there.
void place_custom_algorithms(AstraSetUp& set_up, InputTexts& texts) {
  const std::filesystem::path folder = std::filesystem::path(set_up.system.file).parent_path();
  for (std::string& prefix : set_up.system.custom) {
    if (prefix.empty()) continue;
    if (std::string beside = folder / prefix; texts.can_read(file_of(beside, 0))) prefix = beside;
  }
}

// A custom algorithm does not say how large a collective it was made for: as large as those called.
void find_sizes(AstraSetUp& set_up, InputTexts& texts) {
  const std::string file = file_of(set_up.workload, 0);
  const auto& custom = set_up.system.custom;
  if (set_up.is_text || std::ranges::all_of(custom, &std::string::empty)) return;
  chakra::read_nodes(file, texts.open(file), [&](const chakra::Node& node) {
    constexpr std::array<std::int64_t, 4> numbers = {0, 2, 7, 6};  // of astra::kinds in Chakra
    const auto* found = std::ranges::find(numbers, node.number("comm_type").value_or(-1));
    if (node.type != chakra::NodeType::collective || found == numbers.end()) return;
    std::int64_t& size = set_up.first_sizes[static_cast<std::size_t>(found - numbers.begin())];
    if (size == 0) size = node.number("comm_size").value_or(0);
  });
}

}  // namespace

AstraSetUp read_set_up(const AstraFiles& files, InputTexts& texts) {
  AstraSetUp set_up;
  set_up.network = astra::read_network(files.network, texts.read(files.network));
  set_up.system =
      astra::read_system(files.system, texts.read(files.system), set_up.network.dimensions.size());
  if (!files.memory.empty())
    set_up.memory = astra::read_memory(files.memory, texts.read(files.memory));
  set_up.workload = files.workload;
  set_up.is_text = !texts.can_read(file_of(files.workload, 0)) && texts.can_read(files.workload);
  // ASTRA-sim takes any name with this word for no file.
  if (files.groups.find("empty") == std::string::npos) set_up.groups = files.groups;
  set_up.shares_links = files.shares_links;
  set_up.queues = files.queues;
  set_up.injection_scale = files.injection_scale;
  set_up.rendezvous = files.rendezvous;
  place_custom_algorithms(set_up, texts);
  find_sizes(set_up, texts);
  return set_up;
}

void check_files(const AstraSetUp& set_up, InputTexts& texts) {
  const auto missing = [](const char* flag, const std::string& what, std::string remedy) {
    throw ConfigError({.path = flag, .what = what, .remedy = std::move(remedy)});
  };
  if (!set_up.groups.empty() && !texts.can_read(set_up.groups))
    missing("--comm-group-configuration", set_up.groups + " is not there",
            "name a file of groups, or \"empty\"");
  for (std::size_t kind = 0; kind < astra::kinds.size(); ++kind)
    if (const std::string& prefix = set_up.system.custom[kind];
        !prefix.empty() && !texts.can_read(file_of(prefix, 0)))
      throw ConfigError({.file = set_up.system.file,
                         .path = fmt::format("{}-custom", astra::key_of(kind)),
                         .what = fmt::format("{} is neither beside this file nor in the working "
                                             "directory",
                                             file_of(prefix, 0)),
                         .remedy = "name the files up to their \".0.et\", \".1.et\", ..."});
  for (std::int32_t npu = 0; npu < set_up.network.npus() && !set_up.is_text; ++npu)
    if (const std::string file = file_of(set_up.workload, npu); !texts.can_read(file))
      missing("--workload-configuration", file + " is not there",
              fmt::format("{} has {} NPUs: give a trace for each, from {} on", set_up.network.file,
                          set_up.network.npus(), file_of(set_up.workload, 0)));
}

astra::EmulatedJob emulated_job(const AstraSetUp& set_up, InputTexts& texts) {
  if (set_up.is_text)
    throw ConfigError({.file = set_up.workload,
                       .what = "is a text, which ASTRA-sim 2 does not read",
                       .remedy = "run it without --compat"});
  astra::EmulatedJob job{.network = set_up.network,
                         .system = set_up.system,
                         .memory = set_up.memory,
                         .groups = {},
                         .traces = {},
                         .shares_links = set_up.shares_links,
                         .queues = set_up.queues,
                         .injection_scale = set_up.injection_scale};
  if (!set_up.groups.empty())
    job.groups = chakra::read_groups(set_up.groups, texts.read(set_up.groups));
  for (std::int32_t npu = 0; npu < set_up.network.npus(); ++npu) {
    const std::string file = file_of(set_up.workload, npu);
    job.traces.push_back(chakra::read_rank_trace(file, texts.open(file)));
  }
  return job;
}

}  // namespace orrery
