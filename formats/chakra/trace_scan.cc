#include "formats/chakra/trace_scan.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::chakra {

Role role_of(const Node& node) {
  const bool on_host = node.number("is_cpu_op").value_or(0) != 0;
  switch (node.type) {
    case NodeType::invalid:
    case NodeType::metadata:
      return Role::structure;
    case NodeType::memory_load:
    case NodeType::memory_store:
      return Role::memory;
    case NodeType::compute:
      return on_host ? Role::host : Role::processor;
    case NodeType::send:
      return on_host ? Role::host : Role::send;
    case NodeType::receive:
      return on_host ? Role::host : Role::receive;
    case NodeType::collective:
      break;
  }
  return on_host ? Role::host : Role::collective;
}

std::optional<StreamName> stream_of(const Node& node) {
  const Role role = role_of(node);
  if (role == Role::structure || role == Role::memory) return std::nullopt;
  std::optional<std::int64_t> number = node.number("tid");
  if (role == Role::host) return number ? std::optional(StreamName{true, *number}) : std::nullopt;
  if (const auto stream = node.number("stream")) number = stream;
  return number ? std::optional(StreamName{false, *number}) : std::nullopt;
}

std::string kernel_name(std::string_view name) {
  constexpr std::size_t kMost = 60;
  if (name.starts_with("void ")) name.remove_prefix(5);
  name = name.substr(0, name.find('<'));
  if (const std::size_t arguments = name.find('('); arguments > 0) name = name.substr(0, arguments);
  name = name.substr(0, kMost);
  return name.empty() ? "work without a name" : std::string(name);
}

RankGroups::RankGroups(const RankTrace& trace, const GroupRanks& given,
                       const TraceSettings& settings, Rank rank, std::int32_t ranks)
    : trace_(trace),
      groups_(given.empty() ? groups_of(trace) : given),
      whole_(settings.replicate > 1 && given.empty()),
      rank_(rank),
      ranks_(ranks) {}

std::optional<UsedGroup> RankGroups::of(const Node& node) const {
  const std::string name = node.text("pg_name");
  const auto found = groups_.find(name);
  std::vector<Rank> members;
  if (found != groups_.end() && !whole_) members = found->second;
  if (found == groups_.end() && !whole_ && !name.empty() && name != "0")
    trace_.refuse(node, fmt::format("its group \"{}\" is not known", name),
                  "give the groups in JSON: \"groups: FILE\"");
  if (members.empty() || static_cast<std::int32_t>(members.size()) == ranks_) members.clear();
  if (!members.empty() && members.back() >= ranks_)
    trace_.refuse(
        node,
        fmt::format("its group \"{}\" holds rank {} of {} ranks", name, members.back(), ranks_),
        "give the files of all ranks, or other groups: \"groups: FILE\"");
  if (!members.empty() && !std::ranges::binary_search(members, rank_))
    trace_.refuse(node, fmt::format("its group \"{}\" does not hold rank {}", name, rank_),
                  "give the groups in JSON: \"groups: FILE\"");
  if (members.size() == 1 || ranks_ == 1) return std::nullopt;
  return UsedGroup{std::move(members), name == "0" && found == groups_.end() ? "" : name};
}

void TraceScan::add(const RankTrace& trace, const RankGroups& own_groups) {
  for (const Attribute& attribute : trace.attributes)
    from_text = from_text || attribute.name == "input_file";
  for (const Node& node : trace.nodes) {
    if (const auto stream = stream_of(node)) streams.insert(*stream);
    const Role role = role_of(node);
    if (role == Role::processor) kernels[kernel_name(node.name)] += node.duration;
    if (role != Role::collective) continue;
    if (const auto group = own_groups.of(node)) groups.insert(*group);
  }
}

}  // namespace orrery::chakra
