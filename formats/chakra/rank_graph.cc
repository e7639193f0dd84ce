#include "formats/chakra/rank_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/config_error.h"
#include "formats/chakra/rank_trace.h"
#include "formats/chakra/trace_labels.h"
#include "formats/chakra/trace_lanes.h"

namespace orrery::chakra {

namespace {

// Chakra's numbers of collectives; nothing if there is none.
std::optional<Collective> collective_of(std::int64_t number) {
  constexpr std::array kinds = {
      Collective::all_reduce, Collective::reduce,         Collective::all_gather,
      Collective::gather,     Collective::scatter,        Collective::broadcast,
      Collective::all_to_all, Collective::reduce_scatter, Collective::reduce_scatter,  // in blocks
      Collective::barrier};
  if (number < 0 || number >= std::ssize(kinds)) return std::nullopt;
  return kinds[static_cast<std::size_t>(number)];
}

// Of an all-gather the file says what one rank contributes.
bool is_sized_by_part(Collective kind) {
  return kind == Collective::all_gather || kind == Collective::gather;
}

// The name of the node at a place of a file, for a message.
std::string name_of_node(const TraceFile& file, std::int32_t place) {
  std::string name;
  read_nodes(file.name, file.open(), [&](const Node& node) {
    if (place-- == 0) name = node.name;
  });
  return name;
}

// Sums up what the nodes of a file say, and makes an operation of each.
class RankReader {
 public:
  RankReader(const TraceFile& file, Rank rank, const TraceFrame& frame)
      : file_(file), rank_(rank), frame_(frame) {}

  RankGraph read() {
    const TraceHead head =
        read_nodes(file_.name, file_.open(), [this](const Node& node) { add(node); });
    note(head);
    if (const auto twice = places_.close()) refuse_duplicate(*twice);
    const RefuseNode refuse = [this](std::int32_t place, const std::string& what,
                                     const std::string& remedy) { refuse_at(place, what, remedy); };
    Graph::Predecessors rows = resolved(std::move(data_), std::move(control_), places_,
                                        frame_.settings.dependencies, findings_.left_out, refuse);
    if (looks_at_streams()) add_streams(rows, before_in_stream_, places_, refuse);
    before_in_stream_ = {};
    std::vector<UsedGroup> groups = resolved_groups();
    return {.graph = std::make_shared<Graph>(std::move(operations_), std::move(others_), rows),
            .groups = std::move(groups),
            .findings = findings_,
            .sums = std::move(sums_),
            .kernels = std::move(kernels_),
            .sends_or_receives = !messages_.empty()};
  }

 private:
  // ---- nodes ----

  void add(const Node& node) {
    if (!places_.add(node.id))
      refuse(node, "another node has the same id", "give each node of a file an id of its own");
    make_room();
    const Role role = role_of(node);
    const std::optional<StreamName> stream = stream_of(node, role);
    sum(node, role, stream);
    if (stream && looks_at_streams()) follow(*stream);
    if (!before_in_stream_.empty()) before_in_stream_.resize(operations_.size() + 1, -1);
    data_.add_row(node.data_dependencies);
    control_.add_row(node.control_dependencies);
    add_groups(file_.name, node, groups_);
    operations_.emplace_back(operation_of(node, role, stream), others_);
  }

  // Growing by doubling would take three times the memory for a moment.
  void make_room() {
    constexpr std::size_t kFirst = 1 << 10, kMost = std::numeric_limits<std::int32_t>::max() / 2;
    if (operations_.size() < operations_.capacity()) return;
    if (operations_.size() >= kMost)
      throw ConfigError({.file = file_.name,
                         .what = fmt::format("the trace has more than {} nodes", kMost),
                         .remedy = "cut it"});
    operations_.reserve(std::max(kFirst, operations_.size() + operations_.size() / 4));
  }

  void sum(const Node& node, Role role, const std::optional<StreamName>& stream) {
    const auto count = [&](TraceSums::Sum& sum) {
      ++sum.nodes;
      sum.time += node.duration;
    };
    count(sums_.roles[static_cast<std::size_t>(role)]);
    if (stream) count(sums_.streams[*stream]);
    sums_.data += static_cast<std::int64_t>(node.data_dependencies.size());
    sums_.control += static_cast<std::int64_t>(node.control_dependencies.size());
  }

  bool looks_at_streams() const {
    return frame_.settings.lanes == TraceLanes::streams ||
           frame_.settings.lanes == TraceLanes::automatic;
  }

  // Nodes of one stream go in the order of the file.
  void follow(const StreamName& stream) {
    const auto here = static_cast<std::int32_t>(operations_.size());
    const auto [last, is_first] = last_in_stream_.try_emplace(stream, here);
    if (is_first) return;
    before_in_stream_.resize(operations_.size(), -1);
    before_in_stream_.push_back(std::exchange(last->second, here));
  }

  Operation operation_of(const Node& node, Role role, const std::optional<StreamName>& stream) {
    switch (role) {
      case Role::structure:
        return timed(work::host, lane::structure, Duration{});
      case Role::host:
        return timed(work::host, lane_of(lane::host, stream), recorded(node));
      case Role::memory:
        return request(node);
      case Role::processor:
        return computing(node, lane_of(lane::processor, stream));
      case Role::send:
      case Role::receive:
        return transfer(node, role == Role::send);
      case Role::collective:
        break;
    }
    return collective(node);
  }

  std::int32_t lane_of(std::int32_t without_stream, const std::optional<StreamName>& stream) {
    return stream ? lane::first_stream + frame_.names.stream(*stream) : without_stream;
  }

  static Operation timed(std::int32_t work, std::int32_t lane, Duration time) {
    Compute compute;
    compute.measured = time;
    compute.lane = lane;
    return {0, work, compute};
  }

  // In a file of our own: in picoseconds, and of computing alone.
  static bool is_exact(const Node& node) { return node.number("duration_ps").value_or(-1) >= 0; }

  // As the file has it, but for compute_scale.
  Duration recorded(const Node& node) const {
    const Duration time = is_exact(node) ? Duration{*node.number("duration_ps")} : node.duration;
    if (frame_.settings.compute_scale == 1) return time;
    const double scaled = static_cast<double>(time.value) * frame_.settings.compute_scale;
    constexpr double kLongest = 4e18;  // the clock ends at 9.2e18
    if (scaled > kLongest)
      refuse(node, "its time is beyond the clock", "choose a smaller \"compute_scale\"");
    return Duration{std::llround(scaled)};
  }

  // The size is for a remote memory, the time for none.
  Operation request(const Node& node) {
    Operation operation = timed(work::memory, lane::memory, recorded(node));
    const std::int64_t size = memory_of(node);
    std::get<Compute>(operation.what).memory_traffic = bytes(size);
    if (recorded(node) == Duration{})
      ++(size > 0 ? findings_.sized_requests : findings_.without_duration);
    return operation;
  }

  std::int64_t memory_of(const Node& node) const {
    const std::int64_t size = node.number("tensor_size").value_or(0);
    if (size < 0)
      refuse(node, fmt::format("its tensor_size is {}", size), "write a size of 0 or more");
    return size;
  }

  Operation computing(const Node& node, std::int32_t lane) {
    const std::int32_t kernel = frame_.names.kernel(kernel_name(node.name));
    if (kernel >= std::ssize(kernels_)) kernels_.resize(static_cast<std::size_t>(kernel) + 1);
    if (kernel >= 0) kernels_[static_cast<std::size_t>(kernel)] += node.duration;
    Operation operation = timed(kernel, lane, recorded(node));
    auto& compute = std::get<Compute>(operation.what);
    compute.beside_communication = !is_exact(node);
    const TraceDurations durations = frame_.settings.durations;
    if (durations == TraceDurations::recorded) return operation;
    if (durations == TraceDurations::automatic && recorded(node) != Duration{}) return operation;
    const std::int64_t flops = node.number("num_ops").value_or(0);
    if (flops <= 0) return operation;
    compute.measured.reset();
    compute.beside_communication = false;
    compute.flops = Flops{flops};
    compute.memory_traffic = bytes(memory_of(node));
    ++findings_.sized_work;
    return operation;
  }

  Operation transfer(const Node& node, bool sends) {
    const std::string_view attribute = sends ? "comm_dst" : "comm_src";
    const std::int64_t peer = required(node, attribute);
    if (frame_.settings.replicate > 1)
      refuse(node, "a send or receive cannot be repeated on other ranks",
             "give the files of all ranks, with \"%d\" in their name");
    if (peer < 0 || peer >= frame_.ranks || peer == rank_)
      refuse(node,
             fmt::format("its {} is {}, on rank {} of {}", attribute, peer, rank_, frame_.ranks),
             "name another rank of the trace");
    const std::int64_t tag = node.number("comm_tag").value_or(0);
    if (tag != static_cast<std::int32_t>(tag))
      refuse(node, fmt::format("its comm_tag is {}", tag), "write a tag of 32 bits");
    const auto distance = static_cast<Rank>(peer - rank_);
    const auto short_tag = static_cast<std::int32_t>(tag);
    const std::int32_t number = messages_[{sends, distance, short_tag}]++;
    if (sends) return {0, work::send, SendCall{distance, size_of(node), short_tag, number}};
    return {0, work::receive, ReceiveCall{distance, size_of(node), short_tag, number}};
  }

  // Of what its group makes of it, only all nodes tell: resolved_groups().
  Operation collective(const Node& node) {
    const std::optional<std::int64_t> number = node.number("comm_type");
    const std::optional<Collective> kind = collective_of(number.value_or(-1));
    const bool has_size = kind == Collective::barrier || node.number("comm_size").has_value();
    const bool takes_its_time = !frame_.needs_sizes && (!kind || !has_size);
    findings_.unsized_calls += takes_its_time ? 1 : 0;
    if (takes_its_time || frame_.settings.collectives == TraceCollectives::recorded)
      return timed(kind ? work::recorded_of(*kind) : work::recorded, lane::communication,
                   node.duration);
    if (!kind)
      refuse(node, fmt::format("its comm_type is {}", required(node, "comm_type")),
             "write 0 to 9, as Chakra numbers them");
    CollectiveCall call{*kind, use_of_group(node), {}, priority_of(node), {}};
    if (*kind != Collective::barrier) call.size = size_of(node);
    if (has_root(*kind)) ++findings_.without_root;
    // A file of our own says the whole size of a gather, where that is not a multiple.
    if (const std::int64_t whole = node.number("buffer_size").value_or(-1);
        whole >= 0 && is_sized_by_part(*kind))
      whole_sizes_[static_cast<std::int32_t>(operations_.size())] = whole;
    return {0, work::host, call};  // its label is made of its group
  }

  static Priority priority_of(const Node& node) {
    constexpr auto most = static_cast<std::int64_t>(Priority::highest);
    return static_cast<Priority>(
        std::clamp<std::int64_t>(node.number("comm_priority").value_or(0), 0, most));
  }

  std::int64_t required(const Node& node, std::string_view attribute) const {
    if (const auto value = node.number(attribute)) return *value;
    refuse(node, fmt::format("it has no whole number \"{}\"", attribute),
           node.type == NodeType::collective
               ? "write the attribute, or \"collectives: recorded\", which does without"
               : "write the attribute");
  }
  Bytes size_of(const Node& node) const {
    const std::int64_t size = required(node, "comm_size");
    if (size < 0)
      refuse(node, fmt::format("its comm_size is {}", size), "write a size of 0 or more");
    return bytes(size);
  }

  // ---- groups ----

  struct Use {
    std::string name;
    std::int32_t rows;
    bool few_bytes;
    auto operator<=>(const Use&) const = default;
  };

  std::int32_t use_of_group(const Node& node) {
    Use use{.name = node.text("pg_name"), .rows = 1, .few_bytes = false};
    if (const auto rows = node.number("group_rows")) {
      if (*rows < 1 || *rows > frame_.ranks)
        refuse(node, fmt::format("its group_rows is {}", *rows), "leave it out");
      use.rows = static_cast<std::int32_t>(*rows);
    }
    use.few_bytes = node.number("few_bytes").value_or(0) != 0;
    const auto [found, is_new] = number_of_use_.try_emplace(use, std::ssize(uses_));
    if (is_new) uses_.emplace_back(std::move(use), static_cast<std::int32_t>(operations_.size()));
    return found->second;
  }

  // The ranks of a group that the node at a place is in; nothing if the rank is alone in it.
  std::optional<UsedGroup> group_of(const Use& use, std::int32_t place) const {
    const GroupRanks& groups = frame_.given_groups.empty() ? groups_ : frame_.given_groups;
    const bool whole = frame_.settings.replicate > 1 && frame_.given_groups.empty();
    const auto found = groups.find(use.name);
    const bool is_named = !use.name.empty() && use.name != "0";
    std::vector<Rank> members;
    if (found != groups.end() && !whole) members = found->second;
    if (found == groups.end() && !whole && is_named)
      refuse_at(place, fmt::format("its group \"{}\" is not known", use.name),
                "give the groups in JSON: " + frame_.settings.groups_key);
    if (static_cast<std::int32_t>(members.size()) == frame_.ranks) members.clear();
    if (!members.empty() && members.back() >= frame_.ranks)
      refuse_at(place,
                fmt::format("its group \"{}\" holds rank {} of {} ranks", use.name, members.back(),
                            frame_.ranks),
                "give the files of all ranks, or other groups: " + frame_.settings.groups_key);
    if (!members.empty() && !std::ranges::binary_search(members, rank_))
      refuse_at(place, fmt::format("its group \"{}\" does not hold rank {}", use.name, rank_),
                "give the groups in JSON: " + frame_.settings.groups_key);
    if (members.size() == 1 || frame_.ranks == 1) return std::nullopt;
    const bool is_all = found == groups.end() && !is_named;
    return UsedGroup{std::move(members), is_all ? "" : use.name, use.rows, use.few_bytes};
  }

  // Gives calls the numbers of their groups, their own numbers and sizes. Groups are numbered as
  // the file comes to them, whatever their names: alike ranks are to have the same numbers.
  std::vector<UsedGroup> resolved_groups() {
    constexpr std::int32_t kAlone = -1;
    std::vector<UsedGroup> groups;
    std::vector<std::int32_t> group_of_use;
    for (const auto& [use, place] : uses_) {
      std::optional<UsedGroup> group = group_of(use, place);
      const auto known = group ? std::ranges::find(groups, *group) : groups.end();
      group_of_use.push_back(group ? static_cast<std::int32_t>(known - groups.begin()) : kAlone);
      if (group && known == groups.end()) groups.push_back(std::move(*group));
    }
    if (uses_.empty()) return groups;
    std::vector<std::int32_t> calls(groups.size());  // of each group, so far
    for (std::size_t place = 0; place < operations_.size(); ++place) {
      PackedOperation& operation = operations_[place];
      if (!operation.is_call()) continue;
      const std::int32_t group = group_of_use[static_cast<std::size_t>(operation.communicator())];
      if (group == kAlone) {
        operation = {timed(work::alone, lane::communication, Duration{}), others_};
      } else {
        const UsedGroup& used = groups[static_cast<std::size_t>(group)];
        operation.set_call(group, calls[static_cast<std::size_t>(group)]++,
                           whole_size(operation, static_cast<std::int32_t>(place), used));
      }
    }
    return groups;
  }

  Bytes whole_size(const PackedOperation& call, std::int32_t place, const UsedGroup& group) const {
    if (!is_sized_by_part(call.kind())) return bytes(call.size());
    if (const auto whole = whole_sizes_.find(place); whole != whole_sizes_.end())
      return bytes(whole->second);
    const std::int64_t members =
        group.ranks.empty() ? frame_.ranks : static_cast<std::int64_t>(group.ranks.size());
    if (call.size() > std::numeric_limits<std::int64_t>::max() / members)
      refuse_at(place, fmt::format("its comm_size is {}", call.size()), "write a smaller size");
    return bytes(call.size()) * members;
  }

  // ---- the whole file ----

  void note(const TraceHead& head) {
    std::string schema;
    for (const Attribute& attribute : head.attributes) {
      findings_.from_text = findings_.from_text || attribute.name == "input_file";
      const auto* text = std::get_if<std::string>(&attribute.value);
      if (attribute.name == "schema" && text != nullptr) schema = *text;
    }
    if (sums_.version.empty())
      sums_.version = head.version.empty() && !schema.empty() ? "schema " + schema : head.version;
  }

  [[noreturn]] void refuse(const Node& node, const std::string& what, std::string remedy) const {
    refuse_node(file_.name, node.id, node.name, what, std::move(remedy));
  }
  [[noreturn]] void refuse_at(std::int32_t place, const std::string& what,
                              const std::string& remedy) const {
    refuse_node(file_.name, places_.id_at(place), name_of_node(file_, place), what, remedy);
  }
  [[noreturn]] void refuse_duplicate(std::int32_t place) const {
    refuse_at(place, "another node has the same id", "give each node of a file an id of its own");
  }

  const TraceFile& file_;
  Rank rank_;
  const TraceFrame& frame_;
  TraceFindings findings_;
  TraceSums sums_;
  std::vector<Duration> kernels_;  // by their numbers
  NodePlaces places_;
  IdRows data_, control_;
  std::vector<PackedOperation> operations_;
  PackedOperation::Others others_;
  std::map<StreamName, std::int32_t> last_in_stream_;  // places
  std::vector<std::int32_t> before_in_stream_;         // of each node; empty = of none so far
  std::map<std::tuple<bool, Rank, std::int32_t>, std::int32_t> messages_;
  GroupRanks groups_;  // that the file holds
  std::map<Use, std::int32_t> number_of_use_;
  std::vector<std::pair<Use, std::int32_t>> uses_;    // and the place of the first
  std::map<std::int32_t, std::int64_t> whole_sizes_;  // of the calls at these places
};

}  // namespace

void TraceFindings::add(const TraceFindings& other) {
  without_root += other.without_root;
  without_duration += other.without_duration;
  sized_requests += other.sized_requests;
  sized_work += other.sized_work;
  unsized_calls += other.unsized_calls;
  left_out.on_itself += other.left_out.on_itself;
  left_out.on_missing += other.left_out.on_missing;
  left_out.nodes_in_cycles += other.left_out.nodes_in_cycles;
  left_out.cycles += other.left_out.cycles;
  from_text = from_text || other.from_text;
}

void TraceSums::add(const TraceSums& other) {
  const auto add = [](Sum& sum, const Sum& more) {
    sum.nodes += more.nodes;
    sum.time += more.time;
  };
  for (std::size_t role = 0; role < role_count; ++role) add(roles[role], other.roles[role]);
  for (const auto& [stream, sum] : other.streams) add(streams[stream], sum);
  data += other.data;
  control += other.control;
  if (version.empty()) version = other.version;
}

bool RankGraph::is_for(Rank rank) const {
  return !sends_or_receives && std::ranges::all_of(groups, [&](const UsedGroup& group) {
    return group.ranks.empty() || std::ranges::binary_search(group.ranks, rank);
  });
}

RankGraph read_rank_graph(const TraceFile& file, Rank rank, const TraceFrame& frame) {
  return RankReader(file, rank, frame).read();
}

}  // namespace orrery::chakra
