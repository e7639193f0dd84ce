// The parser of the program, and the command that it chose. Implementation of command_line.h.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/log.h"
#include "frontends/cli/astra.h"
#include "frontends/cli/command_line.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/common_options.h"
#include "frontends/cli/export.h"
#include "frontends/cli/help.h"
#include "frontends/cli/log_options.h"

namespace orrery::cli {

class CommandLine {
 public:
  CommandLine(const Build& build, const Terminal& terminal, std::optional<log::Session>& messages);

  ExitCode run(std::vector<std::string> arguments);

 private:
  // commands_that_simulate.cc
  void add_simulations();
  void add_collectives();
  void add_traffic();
  void add_reports();
  void add_sweeps();
  void add_sharing(CLI::App* exec, CLI::App* slurm);
  void add_limits(CLI::App* one);
  void add_batch();
  void add_search();
  void add_astra();
  void add_calibration();
  void add_simulation_options(CLI::App* command);
  // Of SimulationOptions and the like.
  template <class Options>
  void add_output_options(CLI::App* command, Options& options, const char* format_help);
  template <class Options>
  void add_result_options(CLI::App* command, Options& options, const char* format_help);

  // commands_that_tell.cc
  void add_imports();
  void add_exports();
  void add_astra_options(CLI::App* command);
  void add_topologies();
  void add_execution_traces();
  void add_checks();
  void add_information();
  void add_pages();

  CLI::App* add(const char* name, const help::Text& text, std::function<ExitCode()> command);
  void add_overrides(CLI::App* command);
  std::vector<Override> overrides() const;
  Terminal shown() const;

  std::string version_;  // for people
  Invocation invocation_;
  Terminal terminal_;
  std::optional<log::Session>& messages_;
  LogOptions log_;
  CLI::App app_{help::program, "orrery"};
  std::function<ExitCode()> command_;

  SimulationOptions simulation_;
  CollectiveOptions collectives_;
  TrafficRunOptions traffic_;
  PageOptions page_;
  SweepCommandOptions sweep_;
  std::size_t shard_jobs_ = 1;
  ValidateOptions validate_;
  BatchOptions batch_;
  ImportOptions import_;
  AstraOptions astra_;
  ExportOptions export_;
  SearchOptions search_;
  CalibrateOptions calibrate_;
  TopologyOptions topology_;
  TraceOptions execution_trace_;
  SchemaOptions schema_;
  std::vector<std::string> files_, sets_;
  std::string seed_, topic_, shell_;
};

}  // namespace orrery::cli
