// The workload layer: nodes are issued in the order of their ids as soon as what they depend on is
// over and their slot is free. An NPU has one slot for the host, one for computing and one for
// communication; receives need none.
#include "formats/astra/emulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <memory>
#include <set>
#include <utility>

#include "core/base/config_error.h"
#include "formats/astra/emulation/npu.h"

namespace orrery::astra {

namespace {

using chakra::Node;
using chakra::NodeType;

// Of all NPUs, of a node's, or of one: a request after the other, but for those of one's own.
class RemoteMemory {
 public:
  RemoteMemory(EventQueue& queue, const MemoryFile& memory) : queue_(queue), memory_(memory) {}

  // Returns how long the request takes, with its wait.
  Duration request(std::int32_t npu, std::int64_t size) {
    const Duration time = nanoseconds(memory_.latency + size / memory_.bandwidth);
    if (memory_.kind == MemoryKind::per_npu) return time;
    const std::int32_t shared = memory_.kind == MemoryKind::pool ? 0 : npu / memory_.npus_per_node;
    Time& free = free_[shared];
    free = std::max(free, queue_.now()) + time;
    return free - queue_.now();
  }

 private:
  EventQueue& queue_;
  const MemoryFile& memory_;
  std::map<std::int32_t, Time> free_;
};

class Workload {
 public:
  Workload(std::int32_t id, EventQueue& queue, Network& network, RemoteMemory& memory,
           const EmulatedJob& job, const Rules& rules)
      : id_(id),
        queue_(queue),
        network_(network),
        memory_(memory),
        job_(job),
        trace_(job.traces[id]),
        npu_(id, queue, network, job, rules) {
    followers_.resize(trace_.nodes.size());
    open_.resize(trace_.nodes.size());
    for (std::size_t i = 0; i < trace_.nodes.size(); ++i) add_dependencies(i);
    for (std::size_t i = 0; i < trace_.nodes.size(); ++i)
      if (open_[i] == 0) free_.insert({trace_.nodes[i].id, i});
  }

  void fire() {
    issue_free();
    look_for_end();
  }
  EmulatedNpu result() const { return result_; }

 private:
  enum Slot : std::uint8_t { host, compute, communication, none };

  void add_dependencies(std::size_t index) {
    const Node& node = trace_.nodes[index];
    const auto add = [&](std::uint64_t before) {
      const auto found = trace_.index_of.find(before);
      if (found == trace_.index_of.end())
        trace_.refuse(node, fmt::format("it depends on node {}, which is not there", before),
                      "ASTRA-sim never ends then: remove the dependency");
      followers_[static_cast<std::size_t>(found->second)].push_back(index);
      ++open_[index];
    };
    for (const std::uint64_t id : node.data_dependencies) add(id);
    for (const std::uint64_t id : node.control_dependencies) add(id);
  }

  static bool is_structure(const Node& node) {
    return node.type == NodeType::invalid || node.type == NodeType::metadata;
  }
  static Slot slot_of(const Node& node) {
    if (is_structure(node) || node.type == NodeType::receive) return none;
    if (node.number("is_cpu_op").value_or(0) != 0) return host;
    return node.type == NodeType::compute ? compute : communication;
  }

  // Those that are free as it is called; what becomes free by nodes that do nothing, too.
  void issue_free() {
    bool again = true;
    while (again) {
      again = false;
      const std::vector<std::pair<std::uint64_t, std::size_t>> now(free_.begin(), free_.end());
      for (const auto& [id, index] : now) {
        const Slot slot = slot_of(trace_.nodes[index]);
        if (slot != none && busy_[slot]) continue;
        free_.erase({id, index});
        if (slot != none) busy_[slot] = true;
        ++under_way_;
        if (is_structure(trace_.nodes[index])) {
          finish(index);
          again = true;
        } else {
          issue(index);
        }
      }
    }
  }

  void finish(std::size_t index) {
    const Slot slot = slot_of(trace_.nodes[index]);
    if (slot != none) busy_[slot] = false;
    --under_way_;
    for (const std::size_t after : followers_[index])
      if (--open_[after] == 0) free_.insert({trace_.nodes[after].id, after});
  }

  void complete(std::size_t index) {
    finish(index);
    issue_free();
    look_for_end();
  }

  void look_for_end() {
    if (result_.finished || !free_.empty() || under_way_ > 0) return;
    result_ = {.finished = true,
               .finish = queue_.now().since_start,
               .exposed = queue_.now().since_start - computed_};
  }

  std::int64_t required(const Node& node, std::string_view attribute) const {
    const auto value = node.number(attribute);
    if (!value || *value < 0)
      trace_.refuse(node, fmt::format("it has no {} of 0 or more", attribute),
                    "ASTRA-sim needs it: write the attribute");
    return *value;
  }
  std::int64_t size_of(const Node& node, std::string_view attribute) const {
    constexpr std::int64_t kMost = 4'000'000'000'000;  // bytes: times all NPUs they fit
    const std::int64_t size = required(node, attribute);
    if (size > kMost)
      trace_.refuse(node, fmt::format("its {} is {}", attribute, size), "write at most 4 TB");
    return size;
  }

  static Duration recorded(const Node& node) {
    return node.duration == Duration{} ? nanoseconds(1) : node.duration;
  }

  void issue(std::size_t index) {
    const Node& node = trace_.nodes[index];
    const bool on_host = slot_of(node) == host;
    if (job_.system.replay) return spend(index, recorded(node));
    switch (node.type) {
      case NodeType::compute:
        return spend(index, job_.system.roofline && !on_host ? by_roofline(node) : recorded(node));
      case NodeType::memory_load:
      case NodeType::memory_store:
        if (job_.memory.kind == MemoryKind::none)
          trace_.refuse(node, "it loads or stores, and there is no remote memory",
                        "give --remote-memory-configuration with another memory-type");
        return npu_.after(memory_.request(id_, size_of(node, "tensor_size")),
                          [this, index] { complete(index); });
      default:
        break;
    }
    if (on_host)
      trace_.refuse(node, "it communicates with is_cpu_op", "ASTRA-sim refuses it: remove it");
    if (node.type == NodeType::collective) return issue_collective(index);
    const auto done = [this, index] { complete(index); };
    const auto tag = required(node, "comm_tag"), size = size_of(node, "comm_size");
    if (node.type == NodeType::send)
      network_.send(id_, peer(node, "comm_dst"), tag, size, done);
    else
      network_.receive(peer(node, "comm_src"), id_, tag, size, done);
  }

  std::int32_t peer(const Node& node, std::string_view attribute) const {
    const std::int64_t peer = required(node, attribute);
    if (peer >= job_.network.npus() || peer == id_)
      trace_.refuse(node, fmt::format("its {} is {}", attribute, peer),
                    fmt::format("write another NPU below {}", job_.network.npus()));
    return static_cast<std::int32_t>(peer);
  }

  void spend(std::size_t index, Duration time) {
    if (slot_of(trace_.nodes[index]) == compute) computed_ += time;
    npu_.after(time, [this, index] { complete(index); });
  }

  Duration by_roofline(const Node& node) const {
    const auto flops = static_cast<double>(required(node, "num_ops"));
    const auto bytes = static_cast<double>(size_of(node, "tensor_size"));
    if (bytes == 0)
      trace_.refuse(node, "its tensor_size is 0", "ASTRA-sim drops it and never ends: write bytes");
    const double rate =
        std::min(job_.system.memory_bandwidth * 1e9 * (flops / bytes), job_.system.peak * 1e12);
    return cut(flops == 0 ? 0 : flops / rate * 1e9, {});
  }

  void issue_collective(std::size_t index) {
    constexpr std::array<Collective, 10> chakra_kinds = {
        Collective::all_reduce, Collective::reduce,         Collective::all_gather,
        Collective::gather,     Collective::scatter,        Collective::broadcast,
        Collective::all_to_all, Collective::reduce_scatter, Collective::reduce_scatter,
        Collective::barrier};
    const Node& node = trace_.nodes[index];
    const std::int64_t number = required(node, "comm_type");
    const Collective kind = number < std::ssize(chakra_kinds)
                                ? chakra_kinds[static_cast<std::size_t>(number)]
                                : Collective::barrier;
    if (kind == Collective::broadcast)
      return npu_.after(recorded(node), [this, index] { complete(index); });
    if (!index_of(kind) || number == 8)
      trace_.refuse(node, "ASTRA-sim does not simulate its kind of collective",
                    "run it without --compat");
    Npu::Call call{.kind = kind,
                   .size = size_of(node, "comm_size"),
                   .priority = node.number("comm_priority").value_or(0)};
    find_group(node, call);
    npu_.collective(call, [this, index] { complete(index); });
  }

  void find_group(const Node& node, Npu::Call& call) const {
    const std::string name = node.text("pg_name");
    if (name.empty() || name == "0") return;
    const auto found = job_.groups.find(name);
    const auto [end, error] =
        std::from_chars(name.data(), name.data() + name.size(), call.group_number);
    constexpr std::int64_t kMost = 1'000'000;
    const bool is_number = error == std::errc() && end == name.data() + name.size() &&
                           call.group_number > 0 && call.group_number < kMost;
    if (found == job_.groups.end() || !is_number)
      trace_.refuse(node, fmt::format("its group {} is not there", name),
                    "give --comm-group-configuration, whose groups have numbers above 0");
    if (std::ranges::find(found->second, id_) == found->second.end())
      trace_.refuse(node, fmt::format("NPU {} is not in its group {}", id_, name),
                    "correct the group or the node");
    call.group = &found->second;
  }

  std::int32_t id_;
  EventQueue& queue_;
  Network& network_;
  RemoteMemory& memory_;
  const EmulatedJob& job_;
  const chakra::RankTrace& trace_;
  Npu npu_;
  std::vector<std::vector<std::size_t>> followers_;
  std::vector<std::int32_t> open_;
  std::set<std::pair<std::uint64_t, std::size_t>> free_;
  std::array<bool, 3> busy_{};
  std::int64_t under_way_ = 0;
  Duration computed_;
  EmulatedNpu result_;
};

void check(const EmulatedJob& job) {
  if (job.system.shared_bus)
    throw ConfigError({.file = job.system.file,
                       .path = "model-shared-bus",
                       .what = "is not emulated",
                       .remedy = "write 0, or run it without --compat"});
  if (job.shares_links && job.network.dimensions.size() > 1)
    throw ConfigError({.file = job.network.file,
                       .path = "topology",
                       .what = "has several dimensions, and ASTRA-sim's congestion_aware takes one",
                       .remedy = "take congestion_unaware, or run it without --compat"});
  for (const auto& [name, npus] : job.groups)
    if (!npus.empty() && npus.back() >= job.network.npus())
      throw ConfigError(
          {.path = "group " + name,
           .what = fmt::format("has NPU {}, the network has {}", npus.back(), job.network.npus()),
           .remedy = "correct the group or the network"});
}

}  // namespace

std::string told_differences(const EmulatedJob& job, bool parts_matter) {
  std::string text;
  if (parts_matter)
    text +=
        "ASTRA-sim's all-to-all round a ring of n takes n(n-1)/2 steps, one for each part that a\n"
        "rank passes on; here it takes n-1 steps, with as many bytes.\n";
  if (job.network.dimensions.size() > 1)
    text +=
        "The rest is the network: here ports carry one message at a time, all dimensions of a way\n"
        "count, and phases up and down a dimension do not wait for each other.\n";
  else if (!job.shares_links)
    text += "The rest is the network: here ports carry one message at a time.\n";
  return text;
}

std::vector<EmulatedNpu> emulate(const EmulatedJob& job, const Rules& rules) {
  check(job);
  EventQueue queue;
  Network network(queue, job, rules);
  RemoteMemory memory(queue, job.memory);
  std::vector<std::unique_ptr<Workload>> workloads;
  for (std::int32_t npu = 0; npu < job.network.npus(); ++npu)
    workloads.push_back(std::make_unique<Workload>(npu, queue, network, memory, job, rules));
  for (const auto& workload : workloads) workload->fire();
  queue.run();
  std::vector<EmulatedNpu> results;
  for (const auto& workload : workloads) results.push_back(workload->result());
  return results;
}

}  // namespace orrery::astra
