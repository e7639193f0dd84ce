#include "formats/import/import_astra.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/config_error.h"
#include "core/base/quoted.h"
#include "core/units/unit_text.h"

namespace orrery {

namespace {

using astra::Algorithm;

// As YAML and JSON both read it.
std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

std::string name_of_kind(std::size_t kind) { return std::string(name_of(astra::kinds[kind])); }

std::string name_of(const Algorithm& algorithm) {
  switch (algorithm.kind) {
    case Algorithm::Kind::ring:
      return "ring";
    case Algorithm::Kind::halving_doubling:
      return "halving_doubling";
    case Algorithm::Kind::double_binary_tree:
      return "double_binary_tree";
    case Algorithm::Kind::direct:
      break;
  }
  return algorithm.window == 0 ? "direct" : fmt::format("direct:{}", algorithm.window);
}

std::string_view kind_of(astra::Shape shape) {
  switch (shape) {
    case astra::Shape::ring:
      return "ring";
    case astra::Shape::fully_connected:
      return "fully_connected";
    case astra::Shape::switched:
      break;
  }
  return "switch";
}

// 50 of them is "50 GiB/s"; what is no whole number of bytes is rounded.
std::string rate_of(double binary_gigabytes) {
  const double bytes = binary_gigabytes * (1 << 30);
  if (binary_gigabytes == std::floor(binary_gigabytes) && binary_gigabytes < 1e6)
    return fmt::format("{} GiB/s", static_cast<std::int64_t>(binary_gigabytes));
  return exact_text(Bandwidth{std::max<std::int64_t>(1, std::llround(bytes))});
}

std::string time_of(double ns) { return exact_text(picoseconds(std::llround(ns * 1000))); }

class Writer {
 public:
  explicit Writer(const AstraSetUp& set_up) : set_up_(set_up) {}

  Imported imported() {
    add("# From an ASTRA-sim set-up by `orrery import astra`. A comment says what ASTRA-sim "
        "ignores");
    add("# or reads differently; `orrery astra --compat astra-sim` computes what it computes.");
    write_platform();
    write_network();
    write_system();
    write_workload();
    for (const auto* remarks : {&set_up_.network.remarks, &set_up_.memory.remarks}) note(*remarks);
    return std::move(imported_);
  }

 private:
  void add(const std::string& line) { imported_.yaml += line + '\n'; }
  void field(const std::string& line) {
    ++imported_.read;
    add(line);
  }
  void assume(std::string sentence) { imported_.assumed.push_back(std::move(sentence)); }

  void note(const std::vector<astra::Remark>& remarks) {
    for (const astra::Remark& remark : remarks) {
      if (remark.sentence.starts_with("is missing"))
        assume(remark.key + ": " + remark.sentence);
      else
        imported_.ignored.push_back(
            remark.meant.empty() ? remark.key
                                 : fmt::format("{} (did you mean {}?)", remark.key, remark.meant));
    }
  }

  void write_platform() {
    add("platform:");
    if (set_up_.system.roofline)
      field(fmt::format("  npu: {{peak: {}, memory_bandwidth: {}}}  # peak-perf, local-mem-bw",
                        exact_text(FlopRate{std::llround(set_up_.system.peak * 1e12)}),
                        exact_text(memory_rate(1))));
    add("  topology:");
    add("    # GB/s in ASTRA-sim's networks are 2^30 bytes a second.");
    if (set_up_.network.dimensions.size() > 1) {
      add("    # In ASTRA-sim a message whose ends differ in several dimensions goes through the");
      add("    # first of them only; here it goes through all.");
    }
    add("    levels:");
    int number = 0;
    for (const astra::Dimension& dimension : set_up_.network.dimensions) {
      imported_.read += 4;
      add(fmt::format("      - {{name: dim{}, kind: {}, size: {}, bandwidth: {}, latency: {}}}",
                      number++, kind_of(dimension.shape), dimension.size,
                      rate_of(dimension.bandwidth), time_of(dimension.latency)));
    }
  }

  void write_network() {
    add("network:");
    if (set_up_.shares_links) {
      add("  # As ASTRA-sim's congestion_aware: messages take links in turn, whole at each stop.");
      add("  backend: queue");
      return;
    }
    add("  # ASTRA-sim's congestion_unaware lets any number of messages have a link at its full");
    add("  # rate; here a port carries one after the other.");
    add("  backend: analytical");
  }

  Bandwidth memory_rate(int passes) const {
    return Bandwidth{
        std::max<std::int64_t>(1, std::llround(set_up_.system.memory_bandwidth * 1e9 / passes))};
  }

  void write_system() {
    const astra::SystemFile& system = set_up_.system;
    add("system:");
    write_scheduling();
    field(fmt::format("  schedule: {}",
                      system.bandwidth_aware ? "local_bandwidth_aware" : "baseline"));
    field(fmt::format("  chunks: {}  # preferred-dataset-splits", system.splits));
    add("  # ASTRA-sim enlarges smaller chunks to a byte for each NPU.");
    add(fmt::format("  minimum_chunk: {} B", set_up_.network.npus()));
    const std::int64_t limit = (system.active_chunks + set_up_.queues - 1) / set_up_.queues;
    add("  # active-chunks-per-dimension; here phases up and down have queues of their own.");
    field(fmt::format("  queue_limit: {}", limit));
    if (set_up_.queues > 1) {
      add("  # Half of --num-queues-per-dim: here as many again are for phases down.");
      field(fmt::format("  queues_per_level: {}", std::max(1, set_up_.queues / 2)));
    }
    add("  overlap_limit: 1  # an NPU of ASTRA-sim has one communication at a time");
    write_endpoint();
    if (system.memory_bandwidth > 0)
      field(fmt::format("  reduction_bandwidth: {}  # local-mem-bw / 3: two reads and a write",
                        exact_text(memory_rate(3))));
    write_remote_memory();
    for (std::size_t kind = 0; kind < astra::kinds.size(); ++kind) write_algorithms(kind);
    for (const astra::Remark& remark : system.remarks)
      add(fmt::format("  # {}: {}", printable(remark.key, 60), remark.sentence));
    note(system.remarks);
  }

  void write_scheduling() {
    switch (set_up_.system.order) {
      case astra::Order::lifo:
        return field("  scheduling: lifo");
      case astra::Order::fifo:
        return field("  scheduling: fifo");
      case astra::Order::by_priority:
        return field("  scheduling: priority  # EXPLICIT");
    }
  }

  // ASTRA-sim takes the delay once for each message that arrives, and once as a phase begins.
  void write_endpoint() {
    const double delay =
        static_cast<double>(set_up_.system.endpoint_delay) * set_up_.injection_scale / 2;
    ++imported_.read;
    add("  # endpoint-delay: ASTRA-sim takes it once for a message, here each end takes half.");
    add(fmt::format("  injection_latency: {}", time_of(delay)));
    add(fmt::format("  local_injection_latency: {}", time_of(delay)));
  }

  void write_algorithms(std::size_t kind) {
    const std::string& custom = set_up_.system.custom[kind];
    if (!custom.empty()) {
      add("  # ASTRA-sim sends the sizes of the file, whatever the call's; here they are scaled.");
      const std::int64_t size = std::max<std::int64_t>(1, set_up_.first_sizes[kind]);
      return field(fmt::format("  {}: {{custom: {}, custom_size: {} B}}", name_of_kind(kind),
                               quoted(custom + ".et"), size));
    }
    const std::vector<Algorithm>& algorithms = set_up_.system.algorithms[kind];
    if (algorithms.empty()) return;
    if (algorithms.front().flat)
      return field(fmt::format("  {}: {{schedule: flat, algorithms: {}}}  # {}", name_of_kind(kind),
                               name_of(algorithms.front()), algorithms.front().word));
    std::vector<std::string> names;
    for (const Algorithm& algorithm : algorithms) names.push_back(name_of(algorithm));
    field(fmt::format("  {}: {{algorithms: [{}]}}", name_of_kind(kind), fmt::join(names, ", ")));
  }

  void write_remote_memory() {
    const astra::MemoryFile& memory = set_up_.memory;
    if (memory.kind == astra::MemoryKind::none) return;
    const std::int32_t sharing = memory.kind == astra::MemoryKind::per_npu    ? 1
                                 : memory.kind == astra::MemoryKind::per_node ? memory.npus_per_node
                                                                              : 0;
    add("  # remote-mem-latency, remote-mem-bw (bytes/ns), memory-type");
    field(fmt::format("  remote_memory: {{latency: {}, bandwidth: {}, npus: {}}}",
                      time_of(static_cast<double>(memory.latency)),
                      exact_text(Bandwidth{memory.bandwidth * 1'000'000'000}), sharing));
  }

  void write_workload() {
    add("workload:");
    if (set_up_.is_text) return field(fmt::format("  text: {}", quoted(set_up_.workload)));
    add("  trace:");
    field(fmt::format("    files: {}", quoted(set_up_.workload + ".%d.et")));
    if (!set_up_.groups.empty()) field(fmt::format("    groups: {}", quoted(set_up_.groups)));
    add("    lanes: two  # host and processor do one thing at a time, as in ASTRA-sim");
    field(fmt::format("    durations: {}",
                      set_up_.system.roofline && !set_up_.system.replay ? "roofline" : "recorded"));
    if (set_up_.system.replay) field("    collectives: recorded  # replay-only");
  }

  const AstraSetUp& set_up_;
  Imported imported_;
};

}  // namespace

Imported import_astra(const AstraSetUp& set_up) {
  if (set_up.rendezvous)
    throw ConfigError({.path = "--rendezvous-protocol",
                       .what = "is not modelled",
                       .remedy = "leave it out: a send does not wait for its receive"});
  return Writer(set_up).imported();
}

}  // namespace orrery
