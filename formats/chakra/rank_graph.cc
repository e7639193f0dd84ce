#include "formats/chakra/rank_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace orrery::chakra {

namespace {

// Chakra's numbers of collectives; nothing if there is none.
std::optional<Collective> collective_of(std::int64_t number) {
  switch (number) {
    case 0:
      return Collective::all_reduce;
    case 1:
      return Collective::reduce;
    case 2:
      return Collective::all_gather;
    case 3:
      return Collective::gather;
    case 4:
      return Collective::scatter;
    case 5:
      return Collective::broadcast;
    case 6:
      return Collective::all_to_all;
    case 7:
    case 8:  // the same in blocks
      return Collective::reduce_scatter;
    case 9:
      return Collective::barrier;
    default:
      return std::nullopt;
  }
}

class RankOperations {
 public:
  RankOperations(const RankTrace& trace, Rank rank, const RankGroups& groups,
                 const TraceFrame& frame, TraceFindings& findings)
      : trace_(trace), rank_(rank), groups_(groups), frame_(frame), findings_(findings) {}

  Operation operation_of(const Node& node) {
    switch (role_of(node)) {
      case Role::structure:
        return work(node, frame_.labels.of("host"), Duration{});
      case Role::host:
        return work(node, frame_.labels.of("host"), recorded(node));
      case Role::memory:
        return request(node);
      case Role::processor:
        return computing(node);
      case Role::send:
      case Role::receive:
        return transfer(node);
      case Role::collective:
        break;
    }
    return collective(node);
  }

 private:
  std::int64_t required(const Node& node, std::string_view attribute) const {
    if (const auto value = node.number(attribute)) return *value;
    trace_.refuse(node, fmt::format("it has no whole number \"{}\"", attribute),
                  node.type == NodeType::collective
                      ? "write the attribute, or \"collectives: recorded\", which does without"
                      : "write the attribute");
  }
  Bytes size_of(const Node& node) const {
    const std::int64_t size = required(node, "comm_size");
    if (size < 0)
      trace_.refuse(node, fmt::format("its comm_size is {}", size), "write a size of 0 or more");
    return bytes(size);
  }

  // As the file has it, but for compute_scale. A file of our own also has picoseconds.
  Duration recorded(const Node& node) const {
    const std::int64_t exact = node.number("duration_ps").value_or(-1);
    const Duration time = exact >= 0 ? Duration{exact} : node.duration;
    if (frame_.settings.compute_scale == 1) return time;
    const double scaled = static_cast<double>(time.value) * frame_.settings.compute_scale;
    constexpr double kLongest = 4e18;  // the clock ends at 9.2e18
    if (scaled > kLongest)
      trace_.refuse(node, "its time is beyond the clock", "choose a smaller \"compute_scale\"");
    return Duration{std::llround(scaled)};
  }

  Operation work(const Node& node, std::int32_t label, Duration time) const {
    Compute compute;
    compute.measured = time;
    compute.lane = frame_.lanes.of(node);
    return {0, label, compute};
  }

  // The size is for a remote memory, the time for none.
  Operation request(const Node& node) {
    Operation operation = work(node, frame_.labels.of("memory"), recorded(node));
    const std::int64_t size = memory_of(node);
    std::get<Compute>(operation.what).memory_traffic = bytes(size);
    if (recorded(node) == Duration{})
      ++(size > 0 ? findings_.sized_requests : findings_.without_duration);
    return operation;
  }

  std::int64_t memory_of(const Node& node) const {
    const std::int64_t size = node.number("tensor_size").value_or(0);
    if (size < 0)
      trace_.refuse(node, fmt::format("its tensor_size is {}", size), "write a size of 0 or more");
    return size;
  }

  Operation computing(const Node& node) {
    Operation operation =
        work(node, frame_.labels.of_kernel(kernel_name(node.name)), recorded(node));
    const std::int64_t flops = node.number("num_ops").value_or(0);
    const bool by_size =
        flops > 0 &&
        (frame_.settings.durations == TraceDurations::roofline ||
         (frame_.settings.durations == TraceDurations::automatic && recorded(node) == Duration{}));
    if (!by_size) return operation;
    auto& compute = std::get<Compute>(operation.what);
    compute.measured.reset();
    compute.flops = Flops{static_cast<decltype(Flops::value)>(flops)};
    compute.memory_traffic = bytes(memory_of(node));
    ++findings_.sized_work;
    return operation;
  }

  Operation transfer(const Node& node) {
    const bool sends = role_of(node) == Role::send;
    const std::string_view attribute = sends ? "comm_dst" : "comm_src";
    const std::int64_t peer = required(node, attribute);
    if (frame_.settings.replicate > 1)
      trace_.refuse(node, "a send or receive cannot be repeated on other ranks",
                    "give the files of all ranks, with \"%d\" in their name");
    if (peer < 0 || peer >= frame_.ranks || peer == rank_)
      trace_.refuse(
          node, fmt::format("its {} is {}, on rank {} of {}", attribute, peer, rank_, frame_.ranks),
          "name another rank of the trace");
    const std::int64_t tag = node.number("comm_tag").value_or(0);
    if (tag != static_cast<std::int32_t>(tag))
      trace_.refuse(node, fmt::format("its comm_tag is {}", tag), "write a tag of 32 bits");
    const auto distance = static_cast<Rank>(peer - rank_);
    const auto short_tag = static_cast<std::int32_t>(tag);
    const std::int32_t number = messages_[{sends, distance, short_tag}]++;
    const std::int32_t label = frame_.labels.of(sends ? "send" : "receive");
    if (sends) return {0, label, SendCall{distance, size_of(node), short_tag, number}};
    return {0, label, ReceiveCall{distance, size_of(node), short_tag, number}};
  }

  Operation collective(const Node& node) {
    const bool is_recorded = frame_.settings.collectives == TraceCollectives::recorded;
    if (is_recorded) {
      const std::optional<Collective> kind = collective_of(node.number("comm_type").value_or(-1));
      const std::string name =
          fmt::format("recorded {}", kind ? name_of(*kind) : std::string_view("communication"));
      return work(node, frame_.labels.of(name, name), node.duration);
    }
    const std::int64_t number = required(node, "comm_type");
    const std::optional<Collective> kind = collective_of(number);
    if (!kind)
      trace_.refuse(node, fmt::format("its comm_type is {}", number),
                    "write 0 to 9, as Chakra numbers them");
    const std::optional<UsedGroup> group = groups_.of(node);
    if (!group) return work(node, frame_.labels.of("communication of one rank"), Duration{});
    CollectiveCall call{*kind, frame_.communicators.of(*group), {}, priority_of(node), {}};
    if (*kind != Collective::barrier) call.size = whole_size(node, *kind, *group);
    if (has_root(*kind)) ++findings_.without_root;
    call.number = calls_[call.communicator]++;
    const Communicator& communicator =
        frame_.communicators.all()[static_cast<std::size_t>(call.communicator)];
    return {0, frame_.labels.of(fmt::format("{}, {}", name_of(*kind), communicator.name)), call};
  }

  static Priority priority_of(const Node& node) {
    constexpr auto most = static_cast<std::int64_t>(Priority::highest);
    return static_cast<Priority>(
        std::clamp<std::int64_t>(node.number("comm_priority").value_or(0), 0, most));
  }

  // Of an all-gather the file says what one rank contributes. A file of our own says the whole size
  // where that is not a multiple.
  Bytes whole_size(const Node& node, Collective kind, const UsedGroup& group) const {
    const Bytes size = size_of(node);
    if (kind != Collective::all_gather && kind != Collective::gather) return size;
    if (const std::int64_t whole = node.number("buffer_size").value_or(-1); whole >= 0)
      return bytes(whole);
    const std::int64_t members =
        group.first.empty() ? frame_.ranks : static_cast<std::int64_t>(group.first.size());
    if (size.value > std::numeric_limits<std::int64_t>::max() / members)
      trace_.refuse(node, fmt::format("its comm_size is {}", size.value), "write a smaller size");
    return size * members;
  }

  const RankTrace& trace_;
  Rank rank_;
  const RankGroups& groups_;
  const TraceFrame& frame_;
  TraceFindings& findings_;
  std::map<std::int32_t, std::int32_t> calls_;  // of each communicator, so far
  std::map<std::tuple<bool, Rank, std::int32_t>, std::int32_t> messages_;
};

// Nodes of one stream go in the order of the file.
void add_streams(const RankTrace& trace, std::vector<Graph::Edge>& edges) {
  std::map<StreamName, std::int32_t> last;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(trace.nodes.size()); ++i) {
    const auto stream = stream_of(trace.nodes[i]);
    if (!stream) continue;
    const auto [before, is_first] = last.try_emplace(*stream, i);
    if (!is_first) edges.push_back({std::exchange(before->second, i), i});
  }
  const Cycles cycles = cycles_in(trace.nodes.size(), edges);
  if (cycles.sets.empty()) return;
  const std::vector<std::int32_t>& set = cycles.sets.front();
  trace.refuse(trace.nodes[*std::ranges::min_element(set)],
               "the order of the file within streams contradicts dependencies: " +
                   path_text(trace, edges, set),
               "write \"lanes: two\", which does not look at streams");
}

}  // namespace

std::shared_ptr<const Graph> rank_graph(const RankTrace& trace, Rank rank, const RankGroups& groups,
                                        const TraceFrame& frame, TraceFindings& findings) {
  Dependencies dependencies = dependencies_of(trace, frame.settings.dependencies);
  findings.on_itself += dependencies.on_itself;
  findings.on_missing += dependencies.on_missing;
  findings.nodes_in_cycles += dependencies.nodes_in_cycles;
  findings.cycles += dependencies.cycles;
  if (frame.settings.lanes == TraceLanes::streams) add_streams(trace, dependencies.edges);
  RankOperations maker(trace, rank, groups, frame, findings);
  std::vector<Operation> operations;
  operations.reserve(trace.nodes.size());
  for (const Node& node : trace.nodes) {
    operations.push_back(maker.operation_of(node));
    operations.back().id = static_cast<OperationId>(operations.size()) - 1;
  }
  return std::make_shared<const Graph>(std::move(operations), dependencies.edges);
}

}  // namespace orrery::chakra
