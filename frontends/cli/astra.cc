#include "frontends/cli/astra.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/config_error.h"
#include "core/units/unit_text.h"
#include "formats/astra/emulation.h"
#include "formats/chakra/trace_groups.h"
#include "formats/import/import_astra.h"
#include "formats/input/input_texts.h"
#include "frontends/cli/log_options.h"
#include "report/text_table.h"
#include "simulation/run_result.h"

namespace orrery::cli {

namespace {

std::string file_of(const std::string& prefix, std::int32_t npu) {
  return fmt::format("{}.{}.et", prefix, npu);
}

// A custom algorithm does not say how large a collective it was made for: as large as those called.
void find_sizes(AstraSetUp& set_up, InputTexts& texts) {
  const std::string file = file_of(set_up.workload, 0);
  const auto& custom = set_up.system.custom;
  if (set_up.is_text || std::ranges::all_of(custom, &std::string::empty)) return;
  for (const chakra::Node& node : chakra::read_rank_trace(file, texts.read(file)).nodes) {
    constexpr std::array<std::int64_t, 4> numbers = {0, 2, 7, 6};  // of astra::kinds in Chakra
    const auto* found = std::ranges::find(numbers, node.number("comm_type").value_or(-1));
    if (node.type != chakra::NodeType::collective || found == numbers.end()) continue;
    std::int64_t& size = set_up.first_sizes[static_cast<std::size_t>(found - numbers.begin())];
    if (size == 0) size = node.number("comm_size").value_or(0);
  }
}

AstraSetUp set_up_of(const AstraOptions& options, InputTexts& texts) {
  AstraSetUp set_up;
  set_up.network = astra::read_network(options.network, texts.read(options.network));
  set_up.system = astra::read_system(options.system, texts.read(options.system),
                                     set_up.network.dimensions.size());
  if (!options.memory.empty())
    set_up.memory = astra::read_memory(options.memory, texts.read(options.memory));
  set_up.workload = options.workload;
  set_up.is_text =
      !texts.can_read(file_of(options.workload, 0)) && texts.can_read(options.workload);
  // ASTRA-sim takes any name with this word for no file.
  if (options.groups.find("empty") == std::string::npos) set_up.groups = options.groups;
  set_up.shares_links = options.shares_links;
  set_up.queues = options.queues;
  set_up.injection_scale = options.injection_scale;
  set_up.rendezvous = options.rendezvous;
  find_sizes(set_up, texts);
  return set_up;
}

// What is not there is said by the name of its flag.
void check_files(const AstraSetUp& set_up, InputTexts& texts) {
  const auto missing = [](const char* flag, const std::string& what, std::string remedy) {
    throw ConfigError({.path = flag, .what = what, .remedy = std::move(remedy)});
  };
  if (!set_up.groups.empty() && !texts.can_read(set_up.groups))
    missing("--comm-group-configuration", set_up.groups + " is not there",
            "name a file of groups, or \"empty\"");
  for (std::int32_t npu = 0; npu < set_up.network.npus() && !set_up.is_text; ++npu)
    if (const std::string file = file_of(set_up.workload, npu); !texts.can_read(file))
      missing("--workload-configuration", file + " is not there",
              fmt::format("{} has {} NPUs: give a trace for each, from {} on", set_up.network.file,
                          set_up.network.npus(), file_of(set_up.workload, 0)));
}

void print_notices(const Imported& imported, const AstraOptions& options) {
  say(fmt::format("import: {} fields read, {} ignored, {} assumed", imported.read,
                  imported.ignored.size(), imported.assumed.size()));
  if (!imported.ignored.empty()) say(fmt::format("ignored: {}", fmt::join(imported.ignored, ", ")));
  for (const std::string& sentence : imported.assumed) say("assumed: " + sentence);
  const auto unused = [](const char* flag, const char* why) {
    say(fmt::format("{} changes nothing: {}", flag, why));
  };
  if (options.compute_scale != 1) unused("--compute-scale", "ASTRA-sim does not use it either");
  if (options.communication_scale != 1) unused("--comm-scale", "ASTRA-sim does not use it either");
  if (!options.logging.empty()) unused("--logging-configuration", "-v and --log-file are the like");
  if (!options.logging_folder.empty()) unused("--logging-folder", "--log-file is the like");
}

// As ASTRA-sim's log has it; a cycle is 1 ns.
std::string line_of(std::int32_t npu, Duration finish, Duration exposed) {
  return fmt::format("sys[{}] finished, {} cycles, exposed communication {} cycles.\n", npu,
                     (finish.value + 500) / 1000, (exposed.value + 500) / 1000);
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
    job.traces.push_back(chakra::read_rank_trace(file, texts.read(file)));
  }
  return job;
}

Duration slowest(const std::vector<astra::EmulatedNpu>& npus) {
  Duration slowest;
  for (const astra::EmulatedNpu& npu : npus) slowest = std::max(slowest, npu.finish);
  return slowest;
}

std::string signed_text(Duration difference) {
  if (difference.value < 0) return '-' + to_text(Duration{} - difference);
  return to_text(difference);
}

// What ASTRA-sim computes beside what Orrery computed, and what ASTRA-sim's rules make of it.
std::string comparison(const astra::EmulatedJob& job, Duration emulated, Duration ours) {
  struct Changed {
    const char* what;
    bool astra::Rules::*rule;
  };
  constexpr std::array<Changed, 4> changes = {{
      {"with GB/s of 10^9 bytes", &astra::Rules::binary_gigabytes},
      {"with delays of whole ps", &astra::Rules::whole_nanoseconds},
      {"without endpoint delays", &astra::Rules::endpoint_delay},
      {"without reductions", &astra::Rules::reductions},
  }};
  TextTable table({{"", TextTable::Align::left}, {"finish"}, {"against ASTRA-sim"}});
  const auto row = [&](const std::string& what, Duration finish) {
    table.add_row({what, to_text(finish), signed_text(finish - emulated)});
  };
  table.add_row({"ASTRA-sim", to_text(emulated), ""});
  for (const Changed& change : changes) {
    astra::Rules rules;
    rules.*change.rule = false;
    row(change.what, slowest(emulate(job, rules)));
  }
  row("Orrery", ours);
  std::string text = table.text();
  text +=
      "The rest is the network: here ports carry one message at a time, all dimensions of a way\n"
      "count, and phases up and down a dimension do not wait for each other.\n";
  return text;
}

}  // namespace

ExitCode import_astra(const AstraOptions& options, const Terminal& terminal) {
  InputTexts texts;
  const Imported imported = import_astra(set_up_of(options, texts));
  terminal.out << imported.yaml;
  print_notices(imported, options);
  return ok;
}

ExitCode astra(const AstraOptions& options, const SimulationOptions& simulation,
               const Terminal& terminal) {
  InputTexts texts;
  const AstraSetUp set_up = set_up_of(options, texts);
  check_files(set_up, texts);
  const Imported imported = import_astra(set_up);
  const std::string name = "set-up of ASTRA-sim";
  texts.put(name, imported.yaml);
  const Experiment experiment = load_experiment(name, simulation.overrides, texts);
  print_notices(imported, options);
  std::optional<astra::EmulatedJob> job;
  std::vector<astra::EmulatedNpu> emulated;
  if (!options.compatible.empty()) {
    job = emulated_job(set_up, texts);
    emulated = astra::emulate(*job);
  }
  for (std::size_t npu = 0; npu < emulated.size(); ++npu)
    if (!emulated[npu].finished)
      say(fmt::format(
          "sys[{}] does not finish in ASTRA-sim: something that it waits for never comes", npu));
  return run_loaded(experiment, simulation, terminal, [&](const RunResult& result) {
    if (simulation.format != Format::text || result.partial) return;
    for (std::int32_t npu = 0; npu < std::ssize(emulated); ++npu)
      if (emulated[npu].finished)
        terminal.out << line_of(npu, emulated[npu].finish, emulated[npu].exposed);
    for (std::int32_t npu = 0; emulated.empty() && npu < set_up.network.npus(); ++npu) {
      const RankRow& row = result.row_of(npu);
      terminal.out << line_of(npu, row.finish, row.finish - row.compute);
    }
    if (job) terminal.out << '\n' << comparison(*job, slowest(emulated), result.finish);
    terminal.out << '\n';
  });
}

}  // namespace orrery::cli
