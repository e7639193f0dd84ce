// The commands of the command line, as functions from parsed options to an exit code. What they
// cannot do they throw: ConfigError, IoError, ...; command_line.cc turns that into a message and a
// code.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "execution/exit_code.h"
#include "execution/sweep/sweep_options.h"
#include "execution/terminal.h"
#include "frontends/yaml/load_experiment.h"
#include "report/derived.h"
#include "simulation/provenance.h"

namespace CLI {
class App;
}

namespace orrery {
struct RunResult;          // simulation/run_result.h
struct TrafficExperiment;  // frontends/yaml/load_traffic.h
}  // namespace orrery

namespace orrery::cli {

enum class Format { text, json, csv };

struct SimulationOptions {
  Invocation invocation;
  std::vector<std::string> files;   // experiments; `run` takes one
  std::vector<Override> overrides;  // --set and --seed, for each of the files
  std::vector<std::string> vary;    // `compare`: variants_of()
  std::string output;               // folder; "" = none
  bool force = false;               // replace earlier results there
  Format format = Format::text;
  bool fold = true;                      // SimulateOptions::fold
  std::string spans;                     // `run`: file for a line per span; "" = none
  bool message_spans = false;            // a line for each message as well
  std::string trace;                     // `run`: file for a picture of the run; "" = none
  std::string trace_ranks;               // choose_traced_ranks()
  std::int64_t trace_limit = 1'000'000;  // slices
  bool trace_messages = false;           // also each message
  bool matrix = false;                   // also who sent how much to whom
  bool activity = false;                 // also what was under way when
  std::int32_t ties = 0;                 // orders of simultaneous events to draw besides
  bool what_if = false;                  // also the gain of changes, one at a time
  bool page = false;                     // `run`: also report.html in `output`
  std::string page_file;                 // `compare`: file of the report; "" = none
  std::string measured;                  // `run`: what an iteration took; "" = not known
  bool predict = false;  // `compare`: also what the first system's profile says of the others
  ReportOptions report;
};

ExitCode run(const SimulationOptions& options, const Terminal& terminal);
// The same of an experiment that is loaded already. `before`: is called before the report is
// printed.
ExitCode run_loaded(const Experiment& experiment, const SimulationOptions& options,
                    const Terminal& terminal,
                    const std::function<void(const RunResult&)>& before = {});
ExitCode compare(const SimulationOptions& options, const Terminal& terminal);

struct PageOptions {
  std::vector<std::string> results;  // folders of -o, or JSON files
  std::string output;                // file; "" = report.html, in the folder if there is one result
  std::string metric, against;       // of a sweep: sweep_page()
  bool png = false;                  // each chart also as PNG, by rsvg-convert
};

// Writes the page, and its name on terminal.out.
ExitCode report(const PageOptions& options, const Terminal& terminal);

struct ValidateOptions {
  std::vector<std::string> files;
  std::vector<Override> overrides;
  bool what_fits = false;  // also lists parallel configurations with room in memory
};

ExitCode validate(const ValidateOptions& options, const Terminal& terminal);
// `file` may be a key instead: explain_key().
ExitCode explain(const std::string& file, const std::vector<Override>& overrides,
                 const Terminal& terminal);

struct CollectiveOptions {
  Invocation invocation;
  std::string operation = "all_reduce", platform;
  std::string sizes;                    // "" = those of `measured`, or default_sizes
  std::vector<std::string> algorithms;  // a table each; "direct+ring": one for each level
  std::string chunks;                   // "" = as the platform says
  std::int32_t skew = 1;                // of all_to_allv: the first rank receives so many times
                                        // what each other one does
  std::optional<std::int32_t> ranks;    // none = all of the platform
  std::string measured;                 // file of measured times; "" = none
  std::string overhead;                 // of each measured time; "" = none
  std::vector<Override> overrides;
  std::string output;  // folder; "" = none
  bool force = false;
  Format format = Format::text;
  bool fold = true;
};
inline constexpr const char* default_sizes = "8:128M:x2";

ExitCode coll(const CollectiveOptions& options, const Terminal& terminal);

struct TopologyOptions {
  std::string platform;
  std::vector<Override> overrides;
  std::optional<std::int32_t> ranks;  // none = all of the platform
  std::string format = "dot";         // of export: dot, svg, hpcc
};

ExitCode topo_show(const TopologyOptions& options, const Terminal& terminal);
// Exit code 1 if something is suspicious.
ExitCode topo_check(const TopologyOptions& options, const Terminal& terminal);
ExitCode topo_export(const TopologyOptions& options, const Terminal& terminal);

struct TraceOptions {
  std::vector<std::string> files;       // of ranks 0, 1, ...
  std::string groups;                   // file; "" = as the traces say
  std::string platform;                 // `check`: whose NPUs the ranks are to be; "" = any
  std::optional<std::uint64_t> around;  // `dot`: the id of a node; none = all
  std::int32_t steps = 2;               // `dot`: how far from it
};

ExitCode trace_info(const TraceOptions& options, const Terminal& terminal);
// The nodes of one file, a line each.
ExitCode trace_json(const TraceOptions& options, const Terminal& terminal);
// The nodes of one file, or those near one of them, for Graphviz.
ExitCode trace_dot(const TraceOptions& options, const Terminal& terminal);
// Exit code 1 if ranks contradict each other.
ExitCode trace_check(const TraceOptions& options, const Terminal& terminal);

struct SweepCommandOptions : SweepOptions {
  Invocation invocation;
  bool dry_run = false;
  Format format = Format::text;
  bool probes = true;  // of `plan`
  std::string shard;   // of `exec`: "3/7"
};

ExitCode sweep(const SweepCommandOptions& options, const Terminal& terminal);
ExitCode sweep_plan(const SweepCommandOptions& options, const Terminal& terminal);
// Its shards on the hosts of the file `hosts`, by ssh and GNU parallel.
ExitCode sweep_on_hosts(const SweepCommandOptions& options, const Terminal& terminal);
// One shard: points of others may run at the same time, here or on another machine.
ExitCode sweep_exec(const SweepCommandOptions& options, const Terminal& terminal);
// Of the folder `output` alone.
ExitCode sweep_status(const SweepCommandOptions& options, const Terminal& terminal);
ExitCode sweep_collect(const SweepCommandOptions& options, const Terminal& terminal);
// Writes the script of an array, and how to submit it on terminal.out.
ExitCode sweep_slurm(const SweepCommandOptions& options, const Terminal& terminal);

struct SearchOptions {
  std::string file;
  std::vector<Override> overrides;
  std::size_t top = 10;       // rows to print
  std::size_t simulate = 10;  // of the fastest by estimate
  std::size_t jobs = 1;       // threads
  std::string output;         // folder; "" = none
  bool force = false;
  Format format = Format::text;
};

// Exit code 1 if nothing fits.
ExitCode search(const SearchOptions& options, const Terminal& terminal);

struct CalibrateOptions {
  std::string file;  // timed runs: formats/measured/measured_runs.h
  std::string npu;   // preset of the device; "" = as the experiments say
  std::string from;  // preset of the efficiency to begin with; "" = what is in force
  std::vector<std::string> free{"matrix", "memory", "launch"};  // parameters to fit
  std::string output;                                           // file; "" = none
  bool force = false;
};

ExitCode calibrate(const CalibrateOptions& options, const Terminal& terminal);

struct TrafficRunOptions {
  Invocation invocation;
  std::string file;
  std::vector<Override> overrides;
  std::string output;  // folder; "" = none
  bool force = false;
  bool flows = false;  // also files with a line for each flow
  ReportOptions report;
  Format format = Format::text;
};

ExitCode traffic(const TrafficRunOptions& options, const Terminal& terminal);
// The same of what was loaded already.
ExitCode traffic_loaded(const TrafficExperiment& loaded, const TrafficRunOptions& options,
                        const Terminal& terminal);

// `compare` of files with flows.
ExitCode compare_traffic(std::span<const TrafficExperiment> files, const SimulationOptions& options,
                         const Terminal& terminal);

struct BatchOptions {
  Invocation invocation;
  std::size_t jobs = 1;             // threads
  std::vector<Override> overrides;  // of every line
  bool fold = true;
};

// Experiments on standard input, a line each, as load_batch_line() takes them; a line of JSON for
// each on terminal.out, in their order: as of `run`, or {"error": failure_json(), "result": what
// was reached, if anything}. Exit code 1 if one failed.
ExitCode batch(const BatchOptions& options, const Terminal& terminal);

struct ImportOptions {
  std::string file;
  std::optional<std::int64_t> ranks, vocabulary;  // of Megatron-LM
  std::string platform;
  std::vector<std::string> variables;  // NAME=VALUE
  std::string npu, nic, nvlink, bus;   // of NCCL
  std::optional<std::int64_t> nodes;
  std::string as = "table";  // of Kineto: table, products or coll
  std::int32_t top = 20;     // of Kineto: rows of kernels; 0 = all
};

// An experiment's part on terminal.out; what was read, ignored and assumed as notices.
ExitCode import_megatron(const ImportOptions& options, const Terminal& terminal);
ExitCode import_nccl_topology(const ImportOptions& options, const Terminal& terminal);
// A table of times, or what of them becomes keys or measurements.
ExitCode import_kineto(const ImportOptions& options, const Terminal& terminal);

struct SchemaOptions {
  std::string kind = "experiment";  // one of schema_kinds()
  std::string format = "json";      // of experiment and result also markdown
};

std::vector<std::string> schema_kinds();
// REQUIRES: one of schema_kinds().
std::string schema_text(const std::string& kind);
ExitCode schema(const SchemaOptions& options, const Terminal& terminal);

// `topic`: "backends", "algorithms", "presets", "platforms", "examples" or "" for all of them.
ExitCode list(const std::string& topic, const Terminal& terminal);

// The script for bash or zsh.
ExitCode completion(const CLI::App& program, const std::string& shell, const Terminal& terminal);
// What the script asks for, a word a line: platforms, examples, keys, or with "KEY=" the names that
// its value may be.
ExitCode words(const std::string& kind, const Terminal& terminal);
// Man pages, the script and the schemas, as files that are installed.
ExitCode pages(const CLI::App& program, const std::string& version, const std::string& folder);

}  // namespace orrery::cli
