// Options with their texts and rules: those that several commands have, and the files of `run`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <map>
#include <string>

#include "frontends/cli/commands.h"

namespace orrery::cli {

// Of files and folders: "" would mean that none is wanted.
CLI::Validator a_name();

void add_seed(CLI::App* command, std::string& seed);
void add_fold(CLI::App* command, bool& fold);  // --no-fold; REQUIRES: outlives the command
void add_format(CLI::App* command, Format& format, const std::map<std::string, Format>& known,
                const char* help);

void add_spans(CLI::App* run, SimulationOptions& options);  // --spans, --message-spans
void add_trace(CLI::App* run, SimulationOptions& options);  // --trace, --trace-ranks, ...

// Sets `jobs` to one for each core. `what` is done side by side.
void add_jobs(CLI::App* command, std::size_t& jobs, const std::string& what);

}  // namespace orrery::cli
