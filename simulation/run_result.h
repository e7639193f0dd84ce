// What a simulation found, as plain data: the source of every report. Its fields are declared here,
// those of its rows in result_rows.h, packet_result.h and training_result.h (columns.h says how).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "network/fold.h"
#include "simulation/columns.h"
#include "simulation/expected_error.h"
#include "simulation/experiment.h"
#include "simulation/packet_result.h"
#include "simulation/result_rows.h"
#include "simulation/time_part.h"
#include "simulation/training_result.h"

namespace orrery {

struct RunResult;

std::int64_t rank_count(const RunResult& result);

// The number of training iterations that the layers speak of, at least 1.
std::int32_t iteration_count(const RunResult& result);

// finish / iterations, rounded down to the picosecond. Nothing for a partial run.
std::optional<Duration> iteration_time(const RunResult& result);

// iteration_time() times UndeliveredRow::rounds: what stands for an iteration without losses, where
// network.transport.rounds says what losses cost. Else nothing.
std::optional<Duration> iteration_with_rounds(const RunResult& result);

// Of the iteration times: how many times that of the fastest complete run. Nothing for a partial
// one. REQUIRES: the result is one of `all`.
std::optional<double> ratio_to_fastest(const RunResult& result, std::span<const RunResult> all);

// Whether a result is as fast as that of the fastest complete run, as far as the order of events of
// one picosecond decides: their ranges overlap. Nothing for the fastest itself, and where one of
// the two was not simulated in several orders. REQUIRES: the result is one of `all`.
std::optional<bool> is_as_fast_as_the_fastest(const RunResult& result,
                                              std::span<const RunResult> all);

struct RunResult {
  std::string name, backend;
  std::string backend_because;       // it was chosen, as a clause; "" if the user named it
  std::vector<std::string> ignored;  // by the backend: settings, and clauses
  std::vector<std::string> faults;   // of the network, while the run lasted
  std::string in_packets;            // "14 TB would take some 5 CPU hours"; "" if none is ignored
  std::string network_chosen, parallelism_chosen;  // as in Experiment
  EfficiencyInForce efficiency;                    // of kernels
  ProtocolsInForce protocols;                      // of collectives
  std::optional<ExpectedError> expected_error;     // of the iteration time
  std::uint64_t seed = 0;
  std::string fingerprint;
  bool partial = false;
  std::string partial_reason;
  Duration finish;                    // of the slowest rank
  Duration compute, exposed, idle;    // of the rank that finishes last (the lowest such rank)
  std::optional<LaneTimes> lanes;     // of that rank, of a job with lanes
  Duration stolen;                    // of compute: by collectives that ran beside it (sm_tax)
  std::optional<TieRange> over_ties;  // of finish; none unless asked for
  Duration bound;                     // max of compute and of bytes over bandwidth per level
  std::string bound_by;
  std::vector<TimePart> why;               // the longest first; only of a complete run
  std::vector<PartDifference> difference;  // from the fastest of a comparison
  std::vector<WhatIfRow> what_if;          // empty unless asked for
  std::vector<ExposedBy> exposed_by;
  std::optional<double> predicted_speedup;  // from the profile of another run (speedup.h)
  std::optional<TrainingResult> training;   // only of a transformer, and of a complete run
  std::vector<LayerRow> layers;
  std::vector<SelectedRow> selected;
  std::vector<LevelRow> levels;
  std::vector<LinkRow> links;  // busiest first
  std::vector<BottleneckRow> bottlenecks;
  std::vector<RankRow> ranks;           // of each rank, or of each class of ranks that are alike
  std::vector<JobRow> jobs;             // empty unless there are several
  std::optional<std::int64_t> samples;  // of an iteration, by all ranks; not of transformers
  std::vector<MemoryRow> memory;        // by stage; only of transformers
  std::optional<Bytes> npu_memory;      // less what is reserved
  Fold fold;  // which ranks a row of `ranks` stands for; not of a result that was read from a file
  bool folded = false;
  std::string unfolded_because;                // a clause; "" if folded
  std::vector<ActivityRow> activity;           // by level and time; empty unless asked for
  std::vector<LinkActivityRow> link_activity;  // by link and time; empty unless asked for
  std::vector<EqualNodesRow> equal_nodes;      // empty unless asked for
  std::vector<EqualLinksRow> equal_links;      // likewise
  std::vector<StepRow> steps;           // of the stages of a pipeline; empty unless asked for
  std::vector<MatrixRow> matrix;        // by group, source and target; empty unless asked for
  std::int32_t node_ranks = 0;          // of a node; 0 unless there is a matrix
  std::optional<EndpointRow> endpoint;  // of the rank that finishes last; none if it costs nothing
  std::optional<PacketResult> packets;
  std::uint64_t events = 0, messages = 0;
  Provenance provenance;
  HostUse host;
  std::vector<std::string> notices;
  std::vector<std::string> told;  // of them, before the run began
  std::vector<std::string> unreceived;

  // The row of its class. REQUIRES: the result is that of a run in this process.
  const RankRow& row_of(Rank rank) const {
    return ranks[static_cast<std::size_t>(fold.index_of(fold.representative(rank)))];
  }

  template <class Columns>
  static void describe(Columns& run) {
    describe_summary(run);
    describe_times(run);
    describe_tables(run);
    describe_program(run);
    describe_extras(run);
    describe_recordings(run);
    describe_alternatives(run);
    describe_tables_of_parts(run);
  }

 private:
  template <class Columns>
  static void describe_summary(Columns& run) {
    run.column("schema", [](const RunResult&) { return std::string("orrery.run/1"); },
               "name and number of this format: a change that breaks it changes the number",
               {.csv = no_column});
    run.column("name", &RunResult::name, "name of the experiment", {.csv = {"system"}});
    run.column("backend", &RunResult::backend, "the model of the network");
    run.column("backend_because", &RunResult::backend_because,
               "why this model of the network was chosen, as a clause; none if the file names it",
               {.csv = no_column, .null_if_empty = true});
    run.column("ignored", &RunResult::ignored,
               "what the file says and this model of the network leaves out: settings by their "
               "keys, contention inside the fabric as a clause",
               {.csv = no_column});
    run.column("faults",
               [](const RunResult& r) {
                 return r.faults.empty() ? std::nullopt : std::optional(r.faults);
               },
               "links and nodes that network.faults took down or slowed down while the run lasted; "
               "only where there were any",
               {.csv = no_column, .omit_if_none = true});
    run.column("in_packets", &RunResult::in_packets,
               "where what only packets have is ignored: what the run would cost with them",
               {.csv = no_column, .null_if_empty = true});
    run.column("network_chosen", &RunResult::network_chosen,
               "the network that was chosen for servers; none if the file names one",
               {.csv = no_column, .null_if_empty = true});
    run.column(
        "parallelism_chosen", &RunResult::parallelism_chosen,
        "the parallel configuration that was chosen, as in `orrery search`, and of how many; "
        "none if the file names one, or the memory of the devices is not known",
        {.csv = no_column, .null_if_empty = true});
    describe_efficiency(run);
    run.column("seed", &RunResult::seed, "seed of all random choices");
    run.column("fingerprint", &RunResult::fingerprint,
               "32 hex digits: a hash of what every rank did, with start, finish and bytes");
    run.column("partial", &RunResult::partial, "whether the run did not come to its end");
    run.column(
        "partial_reason", &RunResult::partial_reason,
        "interrupted, stuck, or network (a connection was given up, or two NPUs have no path "
        "any more); none of a complete run",
        {.null_if_empty = true});
    run.column("ranks", rank_count, "number of ranks", {.json = false});
    run.column("iterations", iteration_count, "number of iterations of the job");
    run.column("iteration_ps", iteration_time,
               "finish / iterations, rounded down; none for a partial run",
               {.csv = {"", "finish_ps"}});
    run.column("iteration_with_rounds_ps", iteration_with_rounds,
               "iteration_ps times the rounds that missing gradients cost more, by "
               "network.transport.rounds; only with that key",
               {.csv = no_column, .omit_if_none = true});
    run.part("expected_error", &RunResult::expected_error,
             "of iteration_ps, by the nearest measured iterations (docs/validation.md); none "
             "unless a transformer runs at an efficiency that was measured",
             {.omit_if_none = true});
  }

  template <class Columns>
  static void describe_efficiency(Columns& run) {
    run.column("efficiency", [](const RunResult& r) { return r.efficiency.name; },
               "the measured efficiency that kernels have; \"none\" if the file wants the data "
               "sheet; none if it gives numbers of its own, or if nothing is computed",
               {.csv = no_column, .null_if_empty = true});
    run.column("efficiency_because", [](const RunResult& r) { return r.efficiency.because; },
               "why this efficiency was chosen, as a clause; none if the file names it",
               {.csv = no_column, .null_if_empty = true});
    run.column("efficiency_error", [](const RunResult& r) { return r.efficiency.error; },
               "its mean absolute error, as a fraction, over published iterations to which it was "
               "not fitted (docs/validation.md); none if that is not known",
               {.csv = no_column});
    run.column("protocols", [](const RunResult& r) { return r.protocols.name; },
               "the library whose measured protocols collectives pay for; \"none\" if the file "
               "wants none; none if it gives costs of its own, or if none was measured on such a "
               "device",
               {.csv = no_column, .null_if_empty = true});
    run.column("protocols_because", [](const RunResult& r) { return r.protocols.because; },
               "why this library was chosen, as a clause; none if the file names it",
               {.csv = no_column, .null_if_empty = true});
    run.column("protocols_error", [](const RunResult& r) { return r.protocols.error; },
               "its mean absolute error, as a fraction, over sizes of a measured all-reduce to "
               "which it was not fitted (docs/validation.md); none on another device",
               {.csv = no_column});
  }

  template <class Columns>
  static void describe_times(Columns& run) {
    run.column("finish_ps", &RunResult::finish, "when the slowest rank finishes");
    run.column("compute_ps", &RunResult::compute, "time computed, by the rank that finishes last");
    run.column("exposed_ps", &RunResult::exposed, "time waited for communication, by that rank");
    run.column("idle_ps", &RunResult::idle, "time of neither, of that rank");
    run.column("stolen_ps", &RunResult::stolen,
               "the part of compute_ps that collectives beside it took (system.sm_tax)",
               {.csv = no_column});
    run.part("lanes", &RunResult::lanes,
             "of that rank: time of its other lanes; finish_ps is compute_ps, exposed_ps, idle_ps "
             "and these. Only of a job that is a trace",
             {.omit_if_none = true});
    run.part(
        "endpoint", &RunResult::endpoint,
        "of the rank that finishes last, summed over its messages; none unless system.endpoint "
        "or system.local_endpoint cost something");
    run.rows("exposed_by", &RunResult::exposed_by, "kind of exposed time",
             {.keyed = true, .csv_file = "exposed.csv"});
    run.column(
        "bound_ps", &RunResult::bound,
        "no run that computes and sends this can be faster, where the backend has contention");
    run.column("bound_by", &RunResult::bound_by, "compute, or the level that sets the bound");
    run.rows("why", &RunResult::why,
             "part of the time of the rank that finishes last (of a pipeline: of the stage that "
             "waits least for others), the longest first; none of a partial run",
             {.csv_file = "why.csv"});
  }

  template <class Columns>
  static void describe_tables(Columns& run) {
    run.rows("layers", &RunResult::layers, "layer, iteration and pass", {.csv_file = "layers.csv"});
    run.rows("selected", &RunResult::selected,
             "call whose settings depend on its size or are auto, in the order of the choices");
    run.rows("levels", &RunResult::levels, "level and kind of traffic", {.csv_file = "levels.csv"});
    run.rows("links", &RunResult::links,
             "link, busiest first; the first 10, or all with --all-links",
             {.busiest_only = true, .csv_file = "links.csv"});
    run.column("link_count", [](const RunResult& result) { return result.links.size(); },
               "number of links that carried anything", {.csv = no_column});
    run.rows("bottlenecks", &RunResult::bottlenecks,
             "kind of traffic, on backends that can tell (fluid)");
    run.rows("ranks", &RunResult::ranks, "rank, or class of ranks that are alike if folded",
             {.csv_file = "ranks.csv"});
    run.column("folded", &RunResult::folded,
               "whether one rank was simulated for all; all but events is as with --no-fold",
               {.csv = no_column});
    run.column("unfolded_because", &RunResult::unfolded_because,
               "why every rank was simulated, as a clause; none if folded",
               {.csv = no_column, .null_if_empty = true});
  }

  template <class Columns>
  static void describe_program(Columns& run) {
    run.column("events", &RunResult::events, "number of events that were executed",
               {.csv = {"", "ratio_to_fastest"}});
    run.column("messages", &RunResult::messages,
               "number of messages that all ranks sent through the network",
               {.csv = {"", "events"}});
    run.column("notices", &RunResult::notices,
               "settings that had no effect, a model that does not fit into memory, ..., as "
               "sentences",
               {.csv = no_column});
    run.part("provenance", &RunResult::provenance, "what the result is the result of",
             {.in_csv = true});
    run.part("host", &RunResult::host, "the machine that simulated, different every time",
             {.in_csv = true});
  }

  template <class Columns>
  static void describe_extras(Columns& run) {
    run.column(
        "unreceived",
        [](const RunResult& result) {
          return result.unreceived.empty() ? std::nullopt : std::optional(result.unreceived);
        },
        "messages that were sent and that no rank received, as sentences: the job contradicts "
        "itself, and the exit code is 1",
        {.csv = no_column, .omit_if_none = true});
    run.part("ties", &RunResult::over_ties,
             "range of finish_ps over several orders of the events of one picosecond; only if they "
             "were asked for",
             {.omit_if_none = true});
    run.part("packets", &RunResult::packets,
             "counts of packets; only of backends that have packets", {.omit_if_none = true});
    run.part("training", &RunResult::training,
             "the training of a transformer, of a complete run (docs/models/training-report.md)",
             {.omit_if_none = true});
    run.column("samples", &RunResult::samples,
               "samples of an iteration, by all ranks; only of `model` and `layers` "
               "(of transformers: training.samples)",
               {.csv = no_column, .omit_if_none = true});
    run.rows("jobs", &RunResult::jobs, "job; only of a workload of several jobs",
             {.omit_if_empty = true, .csv_file = "jobs.csv", .csv_if = [](const RunResult& result) {
                return !result.jobs.empty();
              }});
    run.rows("memory", &RunResult::memory,
             "stage of a transformer: bytes of a rank at its peak (docs/models/memory.md)",
             {.omit_if_empty = true});
    run.column("npu_memory",
               [](const RunResult& result) {
                 return result.memory.empty() ? std::nullopt : result.npu_memory;
               },
               "memory of an NPU, less its reserve; only of a transformer, if it is known",
               {.csv = no_column, .omit_if_none = true});
  }

  template <class Columns>
  static void describe_recordings(Columns& run) {
    run.rows("activity", &RunResult::activity,
             "level and interval, at most 256 a level; only with --activity",
             {.omit_if_empty = true,
              .csv_file = "activity.csv",
              .csv_if = [](const RunResult& result) { return !result.activity.empty(); }});
    run.rows("link_activity", &RunResult::link_activity,
             "interval of each of the 10 busiest links, at most 256 a link; only with --activity",
             {.omit_if_empty = true,
              .csv_file = "link_activity.csv",
              .csv_if = [](const RunResult& result) { return !result.link_activity.empty(); }});
    run.rows("steps", &RunResult::steps,
             "step of a stage of a pipeline in the first iteration, at most 8,192 of all stages; "
             "only with --report",
             {.omit_if_empty = true,
              .csv_file = "steps.csv",
              .csv_if = [](const RunResult& result) { return !result.steps.empty(); }});
    run.rows("equal_nodes", &RunResult::equal_nodes,
             "nodes of the network that are equal, if at most 24 are different; only with --report",
             {.omit_if_empty = true});
    run.rows("equal_links", &RunResult::equal_links,
             "links between equal nodes; only with --report",
             {.omit_if_empty = true,
              .csv_file = "equal_links.csv",
              .csv_if = [](const RunResult& result) { return !result.equal_links.empty(); }});
    run.rows("matrix", &RunResult::matrix,
             "group and pair of ranks that sent something; only with --matrix",
             {.omit_if_empty = true,
              .csv_file = "matrix.csv",
              .csv_if = [](const RunResult& result) { return !result.matrix.empty(); }});
    run.column("node_ranks",
               [](const RunResult& result) {
                 return result.node_ranks == 0 ? std::nullopt : std::optional(result.node_ranks);
               },
               "ranks of a node; only with --matrix", {.csv = no_column, .omit_if_none = true});
    run.compared("ratio_to_fastest", ratio_to_fastest,
                 "iteration time over that of the fastest complete system; none for a partial run; "
                 "in JSON only of a comparison",
                 {.csv = {"", "bound_by"}});
  }

  template <class Columns>
  static void describe_alternatives(Columns& run) {
    run.rows("what_if", &RunResult::what_if,
             "thing that is changed, the largest gain first; only with --what-if",
             {.omit_if_empty = true,
              .csv_file = "what_if.csv",
              .csv_if = [](const RunResult& result) { return !result.what_if.empty(); }});
    run.rows("difference", &RunResult::difference,
             "part of an iteration that differs from the fastest system; only of a comparison",
             {.omit_if_empty = true,
              .csv_file = "difference.csv",
              .csv_if = [](const RunResult& result) { return !result.difference.empty(); }});
    run.compared("as_fast", is_as_fast_as_the_fastest,
                 "whether the range of ties overlaps that of the fastest system; only of a "
                 "comparison, not of the fastest itself",
                 {.csv = no_column, .omit_if_none = true});
    run.compared(
        "predicted_speedup",
        [](const RunResult& result, std::span<const RunResult>) {
          return result.predicted_speedup;
        },
        "speed-up over the first system, predicted from its profile; only of a comparison with "
        "--predict, where there is one",
        {.csv = no_column, .omit_if_none = true});
  }

  // Rows of a part that are a table of their own.
  template <class Columns>
  static void describe_tables_of_parts(Columns& run) {
    constexpr auto is_training = [](const RunResult& result) {
      return result.training.has_value();
    };
    run.rows("stages",
             [](const RunResult& result) {
               return result.training ? stage_parts(*result.training) : std::vector<StagePartRow>();
             },
             "stage and part of its time, as in training.stages[]; only of transformers",
             {.json = false, .csv_file = "stages.csv", .csv_if = is_training});
    run.rows("utilisation",
             [](const RunResult& result) {
               return result.training ? result.training->utilisation
                                      : std::vector<UtilisationRow>();
             },
             "way to count operations, as in training.utilisation[]; only of transformers",
             {.json = false, .csv_file = "utilisation.csv", .csv_if = is_training});
    run.rows("flows",
             [](const RunResult& result) {
               return result.packets ? flow_samples(*result.packets) : std::vector<FlowSampleRow>();
             },
             "sample of a connection; only with network.transport.watch",
             {.json = false, .csv_file = "flows.csv", .csv_if = [](const RunResult& result) {
                return result.packets && !result.packets->flows.empty();
              }});
    run.rows("depth_times",
             [](const RunResult& result) {
               return result.packets ? depth_bins(*result.packets) : std::vector<DepthBinRow>();
             },
             "bytes that waited of a class before a link; only with network.switch.watch",
             {.json = false, .csv_file = "depth_times.csv", .csv_if = [](const RunResult& result) {
                return result.packets && !result.packets->depth_times.empty();
              }});
    run.rows("depths",
             [](const RunResult& result) {
               return result.packets ? depth_peaks(*result.packets) : std::vector<DepthPeakRow>();
             },
             "interval of the queue before a link; only with network.switch.watch",
             {.json = false, .csv_file = "depths.csv", .csv_if = [](const RunResult& result) {
                return result.packets && !result.packets->depths.empty();
              }});
  }
};

}  // namespace orrery
