// The rows of a result; those of the network are in network_rows.h. Each is declared once
// (columns.h); its fields and columns are a contract.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/total.h"
#include "core/units/units.h"
#include "simulation/columns.h"
#include "simulation/network_rows.h"
#include "system/job.h"

namespace orrery {

struct LayerRow {
  std::string name;
  std::int32_t iteration = 0;
  Pass pass = Pass::none;
  std::string collective, algorithms;
  std::int64_t ranks = 0;
  Bytes bytes;
  Duration compute, raw, raw_max, raw_bound, exposed;

  bool communicates() const { return !collective.empty(); }

  template <class Columns>
  static void describe(Columns& row) {
    constexpr auto communicates = [](const LayerRow& layer) { return layer.communicates(); };
    row.column("name", &LayerRow::name, "name of the layer",
               {.csv = {"layer", "iteration"}, .text = {"layer", "iteration"}});
    row.column("iteration", &LayerRow::iteration, "number of the iteration, from 1",
               {.text = {"iteration"}});
    row.column("pass", &LayerRow::pass, "forward, input_gradient, weight_gradient or none",
               {.text = {"pass"}});
    row.column("compute_ps", &LayerRow::compute, "time computed, by the rank that finishes last",
               {.text = {"compute"}});
    row.column(
        "raw_ps", &LayerRow::raw,
        "time from the issue of the collective to its completion, mean over the ranks, rounded "
        "down; of the largest where the row's calls differ in size; 0 without a collective",
        {.text = {"raw\nmean"}, .text_if = communicates});
    row.column("raw_max_ps", &LayerRow::raw_max, "the same, of the rank where it took longest",
               {.text = {"raw\nmax"}, .text_if = communicates});
    row.column("raw_bound_ps", &LayerRow::raw_bound,
               "the bytes of the collective at the full bandwidth of the ports that its algorithm "
               "uses, without latency; raw_max_ps is never less",
               {.text = {"raw\nbound"}, .text_if = communicates});
    row.column(
        "exposed_ps", &LayerRow::exposed,
        "time waited for the collective of this row, wherever the wait was, by the rank that "
        "finishes last",
        {.text = {"exposed"}});
    row.column("bytes", &LayerRow::bytes, "the buffer of one rank, as nccl-tests counts it",
               {.csv = {"", "collective"},
                .text = {"bytes\nper rank", "collective"},
                .text_if = communicates});
    row.column("collective", &LayerRow::collective,
               "all_reduce, all_to_all, ..., send, receive; none if the pass communicates nothing",
               {.csv = {"", "pass"}, .text = {"collective", "compute"}, .null_if_empty = true});
    row.column("ranks", &LayerRow::ranks, "members of the group of the collective; else 0");
    row.column(
        "algorithms", &LayerRow::algorithms,
        "algorithm on each level, protocol, and the schedule of several levels; none without "
        "a collective",
        {.null_if_empty = true});
  }
};

// What a rank did while it neither computed nor waited for communication, in a job with lanes.
struct LaneTimes {
  Duration memory, host;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("memory_ps", &LaneTimes::memory,
               "time that only its memory worked, or its host too");
    row.column("host_ps", &LaneTimes::host, "time that only its host worked");
  }
};

struct RankRow {
  std::int32_t rank = 0, multiplicity = 1;
  Duration finish, compute, exposed, idle, stolen;
  std::optional<LaneTimes> lanes = {};

  template <class Columns>
  static void describe(Columns& row) {
    row.column("rank", &RankRow::rank, "number of the rank");
    row.column("multiplicity", &RankRow::multiplicity, "how many ranks the row stands for");
    row.column("finish_ps", &RankRow::finish, "when its last operation is finished");
    row.column("compute_ps", &RankRow::compute, "time that its processor worked");
    row.column("exposed_ps", &RankRow::exposed,
               "time that it computed nothing and waited for communication");
    row.column("idle_ps", &RankRow::idle, "time that it did neither");
    row.column("stolen_ps", &RankRow::stolen,
               "the part of compute_ps that collectives beside it took (system.sm_tax)");
    row.part("lanes", &RankRow::lanes, "time of the other lanes, of a job that is a trace",
             {.omit_if_none = true});
  }
};

// What the messages of a rank spent in its endpoints, summed: busy and waiting overlap with
// whatever the rank does, and with each other.
struct EndpointRow {
  std::int64_t sent = 0, received = 0;
  TotalTime overhead, copy, waited;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("sent", &EndpointRow::sent, "messages that the rank sent");
    row.column("received", &EndpointRow::received, "messages that it received");
    row.column("overhead_ps", &EndpointRow::overhead, "time that its processor spent on them");
    row.column("copy_ps", &EndpointRow::copy, "time of copies between user and network buffers");
    row.column("waited_ps", &EndpointRow::waited,
               "time that messages waited for the processor, the copy or the gap");
  }
};

// Two steps of one rank are done together where their schedule says so (DualPipe).
enum class StageStep : std::uint8_t {
  forward,
  backward,
  input_gradient,
  weight_gradient,
  together,
  optimizer
};
std::string_view name_of(StageStep kind);

// A step of a stage of a pipeline, in the first iteration: from the first operation that the
// processor begins to the last that it ends.
struct StepRow {
  std::int32_t stage = 0, rank = 0;
  StageStep kind = StageStep::forward;
  std::int32_t micro_batch = 0;
  std::int32_t chunk = 0;
  Duration begin, end;
  Duration exposed;  // waited for communication, within

  bool is_of_micro_batch() const { return kind != StageStep::optimizer; }

  template <class Columns>
  static void describe(Columns& row) {
    row.column("stage", &StepRow::stage, "number of the stage, from 0");
    row.column("rank", &StepRow::rank, "the rank of the stage that is shown, its first");
    row.column("step", &StepRow::kind,
               "forward, backward, input_gradient, weight_gradient, together (two steps beside "
               "each other) or optimizer");
    row.column(
        "micro_batch",
        [](const StepRow& step) {
          return step.is_of_micro_batch() ? std::optional(step.micro_batch) : std::nullopt;
        },
        "number of the micro-batch, from 0; of steps done together that of the first");
    row.column(
        "chunk",
        [](const StepRow& step) {
          return step.is_of_micro_batch() ? std::optional(step.chunk) : std::nullopt;
        },
        "number of the chunk of layers of the stage, from 0");
    row.column("begin_ps", &StepRow::begin, "when the processor begins with it");
    row.column("end_ps", &StepRow::end, "when the processor ends it");
    row.column("exposed_ps", &StepRow::exposed, "time waited for communication in between");
  }
};

// One of several jobs, times from the start of the run.
struct JobRow {
  std::string name;
  std::int32_t ranks = 0, iterations = 1;
  Duration start, finish;
  Duration compute, exposed, idle;
  // Of a transformer that has finished: what TrainingResult and MemoryRow say of one alone.
  std::optional<std::int64_t> tokens_per_s_npu = std::nullopt;
  std::optional<double> utilisation = std::nullopt;  // none if the peak is not stated
  std::optional<Bytes> memory = std::nullopt;        // finished or not

  template <class Columns>
  static void describe(Columns& row) {
    row.column("name", &JobRow::name, "name of the job", {.csv = {"job"}, .text = {"job"}});
    row.column("ranks", &JobRow::ranks, "number of its ranks", {.text = {"ranks"}});
    row.column("iterations", &JobRow::iterations, "number of its iterations",
               {.text = {"iterations", "finish"}});
    row.column("start_ps", &JobRow::start, "when it starts");
    row.column(
        "start",
        [](const JobRow& job) {
          return job.start > Duration{} ? std::optional(job.start) : std::nullopt;
        },
        "the same, if it is not 0",
        {.csv = no_column, .text = {"start", "ranks"}, .json = false, .text_without = "0 s"});
    row.column("finish_ps", &JobRow::finish,
               "when its slowest rank finishes, whose times follow: finish = start + compute + "
               "exposed + idle",
               {.text = {"finish"}});
    row.column(
        "iteration_ps",
        [](const JobRow& job) { return Duration{(job.finish - job.start).value / job.iterations}; },
        "mean over its iterations",
        {.csv = no_column, .text = {"iteration\nmean", "iterations"}, .json = false});
    row.column("compute_ps", &JobRow::compute, "time computed", {.text = {"compute"}});
    row.column("exposed_ps", &JobRow::exposed, "time waited for communication",
               {.text = {"exposed"}});
    row.column("idle_ps", &JobRow::idle, "time of neither, from its start on", {.text = {"idle"}});
    row.column("tokens_per_s_npu", &JobRow::tokens_per_s_npu,
               "tokens of a second and rank, of its own time. Only of a transformer that finished",
               {.text = {"tokens/s\na NPU"}});
    row.column("utilisation", &JobRow::utilisation,
               "its MFU, with the operations of all attention (training.utilisation[], model)",
               {.text = {"MFU"}});
    row.column("memory", &JobRow::memory,
               "bytes at the peak of an NPU of its fullest stage. Only of a transformer",
               {.text = {"memory"}});
  }
};

struct ExposedBy {
  std::string kind;
  Duration exposed;  // of the rank that finishes last

  template <class Columns>
  static void describe(Columns& row) {
    row.column("kind", &ExposedBy::kind,
               "a collective, send or receive; activations and their gradients name the direction: "
               "all_to_all forward, all_to_all backward. Of a transformer the exposed parts_ps of "
               "the stage that finishes last: TP, PP, ..., bubble");
    row.column("exposed_ps", &ExposedBy::exposed, "time waited by the rank that finishes last");
  }
};

// What each rank of a pipeline stage keeps (workload/memory/stage_memory.h).
struct MemoryRow {
  std::int32_t stage = 0;
  Bytes total, parameters, gradients, optimizer, buffers, activations, loss, again;
  std::int32_t in_flight = 0;
  Bytes reserved;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("stage", &MemoryRow::stage, "number of the stage, from 0");
    row.column("total", &MemoryRow::total, "bytes at the peak; what follows adds up to it");
    row.column("parameters", &MemoryRow::parameters, "bytes of the weights");
    row.column("gradients", &MemoryRow::gradients, "bytes of their gradients");
    row.column("optimizer", &MemoryRow::optimizer, "bytes of the states of the optimizer");
    row.column("buffers", &MemoryRow::buffers, "bytes of communication buffers");
    row.column("activations", &MemoryRow::activations, "bytes kept for the backward pass");
    row.column("loss", &MemoryRow::loss, "bytes of the loss beside those, if that is the peak");
    row.column("again", &MemoryRow::again,
               "bytes of a layer whose forward pass is repeated, if that is the peak");
    row.column("in_flight", &MemoryRow::in_flight, "passes through a chunk, at the peak");
    row.column("reserved", &MemoryRow::reserved,
               "bytes that an allocator has then: total and platform.npu.fragmentation of it");
  }
};

// What was chosen for calls whose settings depend on their size or are `auto`.
struct SelectedRow {
  std::string collective;
  std::vector<std::int32_t> group;
  Bytes bytes;
  std::string chosen;  // "direct+ring/ll, local_bandwidth_aware"
  std::optional<Duration> predicted;
  std::int64_t candidates = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("collective", &SelectedRow::collective, "kind of the call",
               {.text = {"selected for"}});
    row.column("group", &SelectedRow::group, "sizes of the group along the levels, innermost first",
               {.text = {"group"}});
    row.column("bytes", &SelectedRow::bytes, "buffer of a rank", {.text = {"bytes\nper rank"}});
    row.column("chosen", &SelectedRow::chosen, "algorithm, protocol and schedule",
               {.text = {"algorithm"}});
    row.column("predicted_ps", &SelectedRow::predicted,
               "time of the call alone, on the analytical backend; none if a range of sizes chose",
               {.text = {"predicted\nalone"}, .text_without = "by size range"});
    row.column("candidates", &SelectedRow::candidates, "number of candidates that were predicted");
  }
};

// What a result is the result of.
struct Provenance {
  struct Setting {
    std::string key, value;  // "system.chunks", "128"

    template <class Columns>
    static void describe(Columns& row) {
      row.column("key", &Setting::key, "a key of the experiment, or KEY contents");
      row.column("value", &Setting::value, "its value, or the hash of the data file that it names");
    }
  };
  std::string version, commit;
  std::string command;
  struct Origin {
    std::string key, origin;  // "system.chunks", "job.yaml:7"

    template <class Columns>
    static void describe(Columns& row) {
      row.column("key", &Origin::key, "a key of the experiment");
      row.column("origin", &Origin::origin,
                 "where its value comes from: FILE:LINE, a preset, --set");
    }
  };
  std::string inputs;
  std::vector<Setting> configuration;
  std::vector<Origin> origins = {};

  template <class Columns>
  static void describe(Columns& row) {
    row.column("version", &Provenance::version, "version of the program",
               {.csv = {"", "peak_rss_bytes"}});
    row.column("commit", &Provenance::commit,
               "commit of the program, with + and a hash of the changes if its tree had changes; "
               "unknown outside of a checkout",
               {.csv = {"", "version"}});
    row.column("command", &Provenance::command, "the command, as a shell takes it",
               {.csv = no_column});
    row.column("inputs", &Provenance::inputs,
               "hash of the configuration and of the data files that it names: runs of one program "
               "with equal inputs have equal results",
               {.csv = {"", "commit"}});
    row.rows("configuration", &Provenance::configuration,
             "key of the experiment, also those that have their default values", {.keyed = true});
    row.rows("origins", &Provenance::origins, "key that does not have its default value",
             {.keyed = true});
  }
};

// When a run finishes over several orders of the events of one picosecond (Ties), the order of
// calls among them.
struct TieRange {
  std::int32_t orders = 0;
  Duration least, most;

  bool overlaps(const TieRange& other) const { return least <= other.most && other.least <= most; }

  template <class Columns>
  static void describe(Columns& row) {
    row.column("orders", &TieRange::orders, "number of orders that were drawn");
    row.column("least_ps", &TieRange::least, "least finish over these orders");
    row.column("most_ps", &TieRange::most, "greatest finish over these orders");
  }
};

// Of the machine that simulated: different every time.
struct HostUse {
  double wall_s = 0, cpu_s = 0;
  std::int64_t peak_rss_bytes = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("wall_s", &HostUse::wall_s, "elapsed time in seconds");
    row.column("cpu_s", &HostUse::cpu_s, "processor time in seconds");
    row.column("peak_rss_bytes", &HostUse::peak_rss_bytes, "peak memory of the process");
  }
};

}  // namespace orrery
