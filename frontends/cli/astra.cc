#include "frontends/cli/astra.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/units/unit_text.h"
#include "formats/astra/emulation.h"
#include "formats/input/input_texts.h"
#include "frontends/cli/log_options.h"
#include "report/text_table.h"
#include "simulation/run_result.h"

namespace orrery::cli {

namespace {

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
  TextTable table({{"", TextTable::Align::left}, {"finish"}, {"against ASTRA-sim"}});
  const auto row = [&](const std::string& what, Duration finish) {
    table.add_row({what, to_text(finish), signed_text(finish - emulated)});
  };
  table.add_row({"ASTRA-sim", to_text(emulated), ""});
  bool parts_matter = false;
  for (const auto& [what, rule] : astra::changed_rules) {
    astra::Rules rules;
    rules.*rule = false;
    const Duration finish = slowest(emulate(job, rules));
    const bool is_of_parts = rule == &astra::Rules::parts_alone;
    parts_matter = is_of_parts && finish != emulated;
    if (!is_of_parts || parts_matter) row(what, finish);
  }
  row("Orrery", ours);
  return table.text() + told_differences(job, parts_matter);
}

}  // namespace

ExitCode import_astra(const AstraOptions& options, const Terminal& terminal) {
  InputTexts texts;
  const Imported imported = import_astra(read_set_up(options.files, texts));
  terminal.out << imported.yaml;
  print_notices(imported, options);
  return ok;
}

ExitCode astra(const AstraOptions& options, const SimulationOptions& simulation,
               const Terminal& terminal) {
  InputTexts texts;
  const AstraSetUp set_up = read_set_up(options.files, texts);
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
