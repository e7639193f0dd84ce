#include "formats/chakra/export_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/base/config_error.h"

namespace orrery::chakra {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& remedy) {
  throw ConfigError({.file = "export chakra", .what = what, .remedy = remedy});
}

// As Chakra numbers them.
std::int64_t number_of(Collective kind) {
  switch (kind) {
    case Collective::all_reduce:
      return 0;
    case Collective::reduce:
      return 1;
    case Collective::all_gather:
      return 2;
    case Collective::gather:
      return 3;
    case Collective::scatter:
      return 4;
    case Collective::broadcast:
      return 5;
    case Collective::all_to_all:
      return 6;
    case Collective::reduce_scatter:
      return 7;
    case Collective::barrier:
      return 9;
    case Collective::all_to_allv:
      break;
  }
  refuse("the job has an all-to-allv, which Chakra does not have",
         "give the experts loads that are even");
}

// Equal for ranks of one group; none for a rank that has no group.
std::optional<std::vector<std::int64_t>> key_of(const Grouping& grouping, Rank rank,
                                                const Topology& topology) {
  std::vector<std::int64_t> key;
  if (const auto* levels = std::get_if<std::vector<int>>(&grouping)) {
    for (int level = 0; level < static_cast<int>(topology.levels().size()); ++level)
      if (std::ranges::find(*levels, level) == levels->end())
        key.push_back(topology.coordinate(NodeId{rank}, level));
  } else if (const auto* extents = std::get_if<std::vector<Extent>>(&grouping)) {
    std::int64_t rest = rank;
    for (const Extent& extent : *extents)
      rest -= std::int64_t{rank / extent.stride % extent.count} * extent.stride;
    key.push_back(rest);
  } else {
    const auto& lists = std::get<RankLists>(grouping);
    const auto found = std::ranges::find_if(lists, [&](const std::vector<Rank>& list) {
      return std::ranges::find(list, rank) != list.end();
    });
    if (found == lists.end()) return std::nullopt;
    key.push_back(found - lists.begin());
  }
  return key;
}

// What the rank has waited for, and what ends each of its operations.
struct Waited {
  std::set<std::uint64_t> nodes;
  std::unordered_map<OperationId, std::uint64_t> end_of;
};

}  // namespace

JobExport::JobExport(Job& job, const Topology& topology, TimeOf time_of)
    : job_(job), topology_(topology), time_of_(std::move(time_of)) {
  if (!job.lanes.empty()) refuse("the workload is a trace already", "copy its files");
  if (!job.start.empty())
    refuse("ranks start at different times, which a trace does not say",
           "leave out workload.skew, and jobs that start later");
  for (const Communicator& communicator : job.communicators) add_groups(communicator);
}

void JobExport::add_groups(const Communicator& communicator) {
  std::map<std::vector<std::int64_t>, std::size_t> known;
  auto& groups = groups_.emplace_back();
  auto& group_of_rank = group_of_rank_.emplace_back();
  for (Rank rank = 0; rank < job_.ranks; ++rank) {
    const auto key = key_of(communicator.groups, rank, topology_);
    if (!key) continue;
    const auto [entry, is_new] = known.try_emplace(*key, groups.size());
    if (is_new) groups.push_back({.number = ++numbers_, .ranks = {}});
    groups[entry->second].ranks.push_back(rank);
    group_of_rank[rank] = entry->second;
  }
}

std::string JobExport::groups_json() const {
  std::string text;
  for (const auto& groups : groups_)
    for (const Group& group : groups)
      text += fmt::format("{}  \"{}\": [{}]", text.empty() ? "" : ",\n", group.number,
                          fmt::join(group.ranks, ", "));
  return "{\n" + text + "\n}\n";
}

std::string JobExport::name_of(const Operation& operation) const {
  if (operation.label < 0) return "";
  const Label& label = job_.labels[static_cast<std::size_t>(operation.label)];
  const std::string pass(orrery::name_of(label.pass));
  return label.pass == Pass::none ? label.layer : label.layer + ' ' + pass;
}

Node JobExport::collective_node(Rank rank, const CollectiveCall& call, Node node) const {
  const auto communicator = static_cast<std::size_t>(call.communicator);
  const Group& group = groups_[communicator][group_of_rank_[communicator].at(rank)];
  if (call.root != 0)
    refuse(fmt::format("a collective has the root {}, and Chakra says none", call.root),
           "let the first rank of the group be the root");
  const auto members = static_cast<std::int64_t>(group.ranks.size());
  const bool by_part = call.kind == Collective::all_gather || call.kind == Collective::gather;
  node.type = NodeType::collective;
  node.attributes.push_back({"comm_type", number_of(call.kind)});
  node.attributes.push_back({"comm_size", by_part ? call.size.value / members : call.size.value});
  if (by_part && call.size.value % members != 0)
    node.attributes.push_back({"buffer_size", call.size.value});  // of our own
  if (call.priority != Priority::normal)
    node.attributes.push_back({"comm_priority", static_cast<std::int64_t>(call.priority)});
  node.attributes.push_back({"pg_name", std::to_string(group.number)});
  const Communicator& of = job_.communicators[communicator];
  if (of.rows > 1) node.attributes.push_back({"group_rows", std::int64_t{of.rows}});  // of our own
  if (of.few_bytes) node.attributes.push_back({"few_bytes", std::int64_t{1}});        // of our own
  return node;
}

Node JobExport::node_of(Rank rank, const Operation& operation) const {
  Node node{.name = name_of(operation)};
  node.attributes.push_back({"is_cpu_op", std::int64_t{0}});
  if (std::holds_alternative<Compute>(operation.what)) {
    node.type = NodeType::compute;
    node.duration = time_of_(rank, operation);
    node.attributes.push_back({"duration_ps", node.duration.value});
    return node;
  }
  if (const auto* call = std::get_if<CollectiveCall>(&operation.what))
    return collective_node(rank, *call, std::move(node));
  const auto add = [&](std::int64_t source, std::int64_t target, std::int64_t tag, Bytes size) {
    node.attributes.push_back({"comm_src", source});
    node.attributes.push_back({"comm_dst", target});
    node.attributes.push_back({"comm_tag", tag});
    node.attributes.push_back({"comm_size", size.value});
  };
  if (const auto* send = std::get_if<SendCall>(&operation.what)) {
    node.type = NodeType::send;
    add(rank, send->to, send->tag, send->size);
  } else {
    const auto& receive = std::get<ReceiveCall>(operation.what);
    node.type = NodeType::receive;
    add(receive.from, rank, receive.tag, receive.size);
  }
  return node;
}

std::vector<Node> JobExport::nodes_of(Rank rank) {
  std::vector<Operation> operations;
  job_.operations->start(rank, operations);
  std::vector<Node> nodes;
  Waited waited;
  const auto add = [&](Node node) {
    node.id = nodes.size() + 1;
    node.data_dependencies.assign(waited.nodes.begin(), waited.nodes.end());
    nodes.push_back(std::move(node));
    return nodes.back().id;
  };
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Operation operation = operations[i];
    if (const auto* wait = std::get_if<Wait>(&operation.what)) {
      waited.nodes.insert(waited.end_of.at(wait->operation));
    } else {
      std::uint64_t end = add(node_of(rank, operation));
      if (std::holds_alternative<Compute>(operation.what)) waited.nodes = {end};
      const auto* call = std::get_if<CollectiveCall>(&operation.what);
      if (call != nullptr && call->update > Duration{}) {
        Node update{.name = "update", .type = NodeType::compute, .duration = call->update};
        update.attributes = {{"is_cpu_op", std::int64_t{1}}, {"duration_ps", call->update.value}};
        const std::set<std::uint64_t> before = std::exchange(waited.nodes, {end});
        end = add(std::move(update));
        waited.nodes = before;
      }
      waited.end_of[operation.id] = end;
    }
    job_.operations->finish(rank, operation.id, operations);
  }
  return nodes;
}

}  // namespace orrery::chakra
