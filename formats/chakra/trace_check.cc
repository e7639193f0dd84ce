#include "formats/chakra/trace_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "workload/graph/graph.h"

namespace orrery::chakra {

namespace {

// The lowest rank of the rank's group.
Rank first_of_group(const Grouping& groups, Rank rank) {
  if (const auto* lists = std::get_if<RankLists>(&groups)) {
    for (const std::vector<Rank>& list : *lists)
      if (std::ranges::find(list, rank) != list.end()) return list.front();
  }
  Rank first = std::holds_alternative<RankLists>(groups) ? rank : 0;
  if (const auto* extents = std::get_if<std::vector<Extent>>(&groups)) {
    first = rank;
    for (const auto& [count, stride] : *extents) first -= rank / stride % count * stride;
  }
  return first;
}

class Contradictions {
 public:
  explicit Contradictions(const GraphWorkload& workload) : workload_(workload) {
    for (Rank rank = 0; rank < static_cast<Rank>(workload.graph_of_rank.size()); ++rank)
      for (const Operation& operation : workload.graphs[workload.graph_of_rank[rank]]->operations())
        note(rank, operation);
    compare_messages();
    compare_calls();
  }
  std::vector<std::string> lines;

 private:
  using MessageKey = std::tuple<Rank, Rank, std::int32_t, std::int32_t>;  // ..., tag, number
  struct Ends {
    std::optional<Bytes> sent, received;
  };
  using Calls = std::map<Rank, std::vector<CollectiveCall>>;  // of each member, by number

  void note(Rank rank, const Operation& operation) {
    if (const auto* send = std::get_if<SendCall>(&operation.what))
      messages_[{rank, rank + send->to, send->tag, send->number}].sent = send->size;
    if (const auto* receive = std::get_if<ReceiveCall>(&operation.what))
      messages_[{rank + receive->from, rank, receive->tag, receive->number}].received =
          receive->size;
    if (const auto* call = std::get_if<CollectiveCall>(&operation.what)) {
      const Grouping& groups =
          workload_.communicators[static_cast<std::size_t>(call->communicator)].groups;
      calls_[{call->communicator, first_of_group(groups, rank)}][rank].push_back(*call);
    }
  }

  void add(std::string line) {
    constexpr std::size_t kMost = 20;
    if (lines.size() < kMost) lines.push_back(std::move(line));
  }

  void compare_messages() {
    for (const auto& [key, ends] : messages_) {
      const auto [source, target, tag, number] = key;
      const std::string which = fmt::format("message {} from rank {} to rank {} with tag {}",
                                            number + 1, source, target, tag);
      if (!ends.received)
        add(which + " is sent and never received");
      else if (!ends.sent)
        add(which + " is received and never sent");
      else if (*ends.sent != *ends.received)
        add(fmt::format("{} is sent with {} B and received with {} B", which, ends.sent->value,
                        ends.received->value));
    }
  }

  void compare_calls() {
    for (const auto& [group, calls] : calls_) {
      const auto& [first, its] = *calls.begin();
      const std::string& name = workload_.communicators[group.first].name;
      for (const auto& [rank, others] : calls) {
        if (others.size() != its.size())
          add(fmt::format("rank {} calls {} collectives in {}, rank {} calls {}", first, its.size(),
                          name, rank, others.size()));
        for (std::size_t i = 0; i < std::min(its.size(), others.size()); ++i)
          if (its[i].kind != others[i].kind || its[i].size != others[i].size) {
            add(fmt::format("call {} in {} is {} of {} B on rank {} and {} of {} B on rank {}",
                            i + 1, name, name_of(its[i].kind), its[i].size.value, first,
                            name_of(others[i].kind), others[i].size.value, rank));
            break;
          }
      }
      add_missing(group.first, group.second, calls);
    }
  }

  // Members that call nothing.
  void add_missing(std::int32_t communicator, Rank first, const Calls& calls) {
    const Communicator& of = workload_.communicators[static_cast<std::size_t>(communicator)];
    for (Rank rank = 0; rank < static_cast<Rank>(workload_.graph_of_rank.size()); ++rank) {
      if (calls.contains(rank) || first_of_group(of.groups, rank) != first) continue;
      add(fmt::format("rank {} calls {} collectives in {}, rank {} calls none",
                      calls.begin()->first, calls.begin()->second.size(), of.name, rank));
    }
  }

  const GraphWorkload& workload_;
  std::map<MessageKey, Ends> messages_;
  std::map<std::pair<std::int32_t, Rank>, Calls> calls_;
};

}  // namespace

std::vector<std::string> contradictions_in(const GraphWorkload& workload) {
  return std::move(Contradictions(workload).lines);
}

}  // namespace orrery::chakra
