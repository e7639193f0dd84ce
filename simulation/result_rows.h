// The rows of a result. Each is declared here once (columns.h); its fields and columns are a
// contract.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/total.h"
#include "core/units/units.h"
#include "simulation/columns.h"
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
        "down; 0 without a collective",
        {.text = {"raw\nmean"}, .text_if = communicates});
    row.column("raw_max_ps", &LayerRow::raw_max, "the same, of the rank where it took longest",
               {.text = {"raw\nmax"}, .text_if = communicates});
    row.column("raw_bound_ps", &LayerRow::raw_bound,
               "the bytes of the collective at the full bandwidth of the ports that its algorithm "
               "uses, without latency; raw_ps is never less",
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

struct LevelRow {
  std::string name;
  std::string collective;
  TotalBytes bytes;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("name", &LevelRow::name, "name of the level", {.csv = {"level"}, .text = {"level"}});
    row.column("collective", &LevelRow::collective, "the kind of traffic, or point_to_point",
               {.text = {"collective"}});
    row.column("bytes", &LevelRow::bytes, "bytes sent over the level by all ranks",
               {.text = {"bytes sent\nby all ranks"}});
  }
};

struct LinkRow {
  std::string source, target;  // "npu 3", "switch 128"
  std::string level;
  TotalBytes bytes;
  double utilisation = 0;

  std::string name() const { return source + " -> " + target; }

  template <class Columns>
  static void describe(Columns& row) {
    row.column("name", &LinkRow::name, "name of the link, like npu 3 -> switch 128",
               {.csv = no_column, .text = {"busiest links"}});
    row.column("source", &LinkRow::source, "the end that sends, like npu 3");
    row.column("target", &LinkRow::target, "the end that receives, like switch 128");
    row.column("level", &LinkRow::level, "the level that the link belongs to", {.text = {"level"}});
    row.column(
        "bytes", &LinkRow::bytes,
        "bytes sent over the link by all ranks; of a partial result also those that it did not "
        "carry yet; on backends with packets those on the wire",
        {.text = {"bytes"}});
    row.column(
        "utilisation", &LinkRow::utilisation,
        "bytes / (bandwidth x finish), 0 to 1; over 1 only on the analytical backend, with a "
        "notice; of a partial result at most 1",
        {.text = {"busy"}});
  }
};

// What held the messages of a kind of collective back, on backends that know.
struct BottleneckRow {
  std::string collective;
  std::string level;
  TotalBytes bytes;
  std::string link;
  TotalBytes link_bytes;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("collective", &BottleneckRow::collective, "the kind of traffic, or point_to_point",
               {.text = {"held back by"}});
    row.column("level", &BottleneckRow::level,
               "the level whose links were the bottleneck of the most bytes when their messages "
               "ended",
               {.text = {"level"}});
    row.column("bytes", &BottleneckRow::bytes, "those bytes", {.text = {"bytes"}});
    row.column("link", &BottleneckRow::link, "the one link of that level for the most bytes",
               {.text = {"most by"}});
    row.column("link_bytes", &BottleneckRow::link_bytes, "how many those are", {.text = {"bytes"}});
  }
};

// What one rank sent to another for one group, of a run that was asked for it.
struct MatrixRow {
  std::string group;
  std::int32_t source = 0, target = 0;
  TotalBytes bytes;
  std::int64_t messages = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("group", &MatrixRow::group,
               "the communicator with its levels; none for point to point",
               {.null_if_empty = true});
    row.column("source", &MatrixRow::source, "the rank that sent");
    row.column("target", &MatrixRow::target, "the rank that received");
    row.column("bytes", &MatrixRow::bytes, "bytes of all messages of this pair for the group");
    row.column("messages", &MatrixRow::messages, "number of those messages");
  }
};

// What was under way on a level in an interval of time, of a run that was asked for it.
struct ActivityRow {
  std::string level;
  Duration begin, end;
  TotalBytes bytes;
  double share = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("level", &ActivityRow::level, "name of the level");
    row.column("begin_ps", &ActivityRow::begin, "start of the interval");
    row.column("end_ps", &ActivityRow::end, "end of the interval");
    row.column(
        "bytes", &ActivityRow::bytes,
        "bytes of the messages under way in the interval, each spread evenly from its send to its "
        "delivery");
    row.column(
        "share", &ActivityRow::share,
        "those bytes as a share of what all NPUs together can send on the level in that time");
  }
};

// What entered one of the busiest links in an interval of time, of a run that was asked for it.
struct LinkActivityRow {
  std::string source, target, level;
  Duration begin, end;
  TotalBytes bytes;
  double utilisation = 0;

  std::string link() const { return source + " -> " + target; }

  template <class Columns>
  static void describe(Columns& row) {
    row.column("link", &LinkActivityRow::link, "name of the link", {.csv = no_column});
    row.column("source", &LinkActivityRow::source, "the end that sends");
    row.column("target", &LinkActivityRow::target, "the end that receives");
    row.column("level", &LinkActivityRow::level, "the level that the link belongs to");
    row.column("begin_ps", &LinkActivityRow::begin, "start of the interval");
    row.column("end_ps", &LinkActivityRow::end, "end of the interval");
    row.column(
        "bytes", &LinkActivityRow::bytes,
        "bytes that entered the link in the interval; the intervals of a link add up to its bytes "
        "in links[]");
    row.column(
        "utilisation", &LinkActivityRow::utilisation,
        "share of what its nominal bandwidth allows; it exceeds 1 where the analytical backend "
        "lets messages overlap inside the fabric, and in short intervals of the fluid "
        "backend, which books the mean rate of a message");
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

  template <class Columns>
  static void describe(Columns& row) {
    row.column("name", &JobRow::name, "name of the job", {.csv = {"job"}, .text = {"job"}});
    row.column("ranks", &JobRow::ranks, "number of its ranks", {.text = {"ranks"}});
    row.column("iterations", &JobRow::iterations, "number of its iterations",
               {.text = {"iterations", "finish"}});
    row.column("start_ps", &JobRow::start, "when it starts", {.text = {"start"}});
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
  Bytes total, parameters, gradients, optimizer, buffers, activations, again;
  std::int32_t in_flight = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("stage", &MemoryRow::stage, "number of the stage, from 0");
    row.column("total", &MemoryRow::total, "bytes at the peak; what follows adds up to it");
    row.column("parameters", &MemoryRow::parameters, "bytes of the weights");
    row.column("gradients", &MemoryRow::gradients, "bytes of their gradients");
    row.column("optimizer", &MemoryRow::optimizer, "bytes of the states of the optimizer");
    row.column("buffers", &MemoryRow::buffers, "bytes of communication buffers");
    row.column("activations", &MemoryRow::activations, "bytes kept for the backward pass");
    row.column("again", &MemoryRow::again, "bytes of a layer whose forward pass is repeated");
    row.column("in_flight", &MemoryRow::in_flight, "passes through a chunk, at the peak");
  }
};

// Nodes of the network that are equal, and the links between them; only for pages.
struct EqualNodesRow {
  std::string name;  // "64 NPUs: npu 0, ..."
  std::string kind;
  std::int64_t count = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("name", &EqualNodesRow::name, "how many, of what, and the first of them");
    row.column("kind", &EqualNodesRow::kind, "npu, nic or switch");
    row.column("count", &EqualNodesRow::count, "how many are equal");
  }
};

struct EqualLinksRow {
  std::int64_t source = 0, target = 0;  // rows of EqualNodesRow
  std::string level;
  double bandwidth = 0;  // GB/s
  std::int64_t count = 0;
  TotalBytes bytes;
  double least = 0, median = 0, most = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("source", &EqualLinksRow::source, "number of the row of equal_nodes that sends");
    row.column("target", &EqualLinksRow::target, "number of the row that receives");
    row.column("level", &EqualLinksRow::level, "the level that the links belong to");
    row.column("bandwidth_GBps", &EqualLinksRow::bandwidth, "of each link, in 1e9 bytes a second");
    row.column("count", &EqualLinksRow::count, "how many links are equal");
    row.column("bytes", &EqualLinksRow::bytes, "bytes sent over all of them");
    row.column("least_utilisation", &EqualLinksRow::least,
               "utilisation of the one with fewest bytes");
    row.column("median_utilisation", &EqualLinksRow::median, "of the one in the middle");
    row.column("most_utilisation", &EqualLinksRow::most, "of the one with most bytes");
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
  std::string inputs;
  std::vector<Setting> configuration;

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
