#include "formats/chakra/trace_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
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

struct Call {
  Collective kind;
  Bytes size;
  bool operator==(const Call&) const = default;
};

// What the ranks with one graph say of communication, in the order of its numbers.
struct Traffic {
  using Peer = std::pair<Rank, std::int32_t>;  // distance and tag
  std::map<Peer, std::vector<Bytes>> sends, receives;
  std::map<std::int32_t, std::vector<Call>> calls;  // of each communicator

  explicit Traffic(const Graph& graph) {
    for (const Operation& operation : graph.operations()) {
      if (const auto* send = std::get_if<SendCall>(&operation.what))
        sends[{send->to, send->tag}].push_back(send->size);
      if (const auto* receive = std::get_if<ReceiveCall>(&operation.what))
        receives[{receive->from, receive->tag}].push_back(receive->size);
      if (const auto* call = std::get_if<CollectiveCall>(&operation.what))
        calls[call->communicator].push_back({call->kind, call->size});
    }
  }
};

class Contradictions {
 public:
  explicit Contradictions(const GraphWorkload& workload)
      : workload_(workload), ranks_(static_cast<Rank>(workload.graph_of_rank.size())) {
    for (const auto& graph : workload.graphs) traffic_.emplace_back(*graph);
    for (Rank rank = 0; rank < ranks_ && !is_full(); ++rank)
      if (is_known(rank)) compare_messages(rank);
    for (std::int32_t i = 0; i < std::ssize(workload.communicators) && !is_full(); ++i)
      compare_calls(i);
  }
  std::vector<std::string> lines;

 private:
  bool is_known(Rank rank) const { return graph_of(rank) >= 0; }
  std::int32_t graph_of(Rank rank) const {
    return workload_.graph_of_rank[static_cast<std::size_t>(rank)];
  }
  const Traffic& traffic_of(Rank rank) const {
    return traffic_[static_cast<std::size_t>(graph_of(rank))];
  }

  static constexpr std::size_t kMost = 20;
  bool is_full() const { return lines.size() == kMost; }
  void add(std::string line) {
    if (!is_full()) lines.push_back(std::move(line));
  }

  // ---- messages ----

  // What the rank sends, and what it receives from ranks that send it nothing.
  void compare_messages(Rank rank) {
    for (const auto& [peer, sizes] : traffic_of(rank).sends) {
      const auto [distance, tag] = peer;
      if (is_known(rank + distance) && is_new(rank, rank + distance, peer))
        compare_messages(rank, rank + distance, tag, sizes, {-distance, tag});
    }
    for (const auto& [peer, sizes] : traffic_of(rank).receives) {
      const auto [distance, tag] = peer;
      const Rank source = rank + distance;
      if (is_known(source) && !traffic_of(source).sends.contains({-distance, tag}))
        add(message_text(source, rank, tag, 0) + " is received and never sent");
    }
  }

  // False if ranks with the same graphs had no contradiction in it.
  bool is_new(Rank source, Rank target, const Traffic::Peer& peer) const {
    return !matching_.contains({graph_of(source), graph_of(target), peer});
  }

  void compare_messages(Rank source, Rank target, std::int32_t tag, const std::vector<Bytes>& sent,
                        const Traffic::Peer& back) {
    static const std::vector<Bytes> none;
    const auto found = traffic_of(target).receives.find(back);
    const std::vector<Bytes>& received =
        found == traffic_of(target).receives.end() ? none : found->second;
    if (sent == received) {
      matching_.insert({graph_of(source), graph_of(target), {-back.first, tag}});
      return;
    }
    for (std::size_t i = 0; i < std::max(sent.size(), received.size()) && !is_full(); ++i) {
      const std::string which = message_text(source, target, tag, i);
      if (i >= received.size())
        add(which + " is sent and never received");
      else if (i >= sent.size())
        add(which + " is received and never sent");
      else if (sent[i] != received[i])
        add(fmt::format("{} is sent with {} B and received with {} B", which, sent[i].value,
                        received[i].value));
    }
  }

  static std::string message_text(Rank source, Rank target, std::int32_t tag, std::size_t number) {
    return fmt::format("message {} from rank {} to rank {} with tag {}", number + 1, source, target,
                       tag);
  }

  // ---- calls ----

  void compare_calls(std::int32_t communicator) {
    const Communicator& of = workload_.communicators[static_cast<std::size_t>(communicator)];
    std::map<Rank, std::vector<Rank>> groups;  // by their first rank
    for (Rank rank = 0; rank < ranks_; ++rank)
      if (is_known(rank)) groups[first_of_group(of.groups, rank)].push_back(rank);
    for (const auto& [first, members] : groups) compare_calls(communicator, of.name, members);
  }

  void compare_calls(std::int32_t communicator, const std::string& name,
                     const std::vector<Rank>& members) {
    static const std::vector<Call> none;
    const auto calls_of = [&](Rank rank) -> const std::vector<Call>& {
      const auto found = traffic_of(rank).calls.find(communicator);
      return found == traffic_of(rank).calls.end() ? none : found->second;
    };
    const auto first =
        std::ranges::find_if(members, [&](Rank rank) { return !calls_of(rank).empty(); });
    if (first == members.end()) return;
    const std::vector<Call>& its = calls_of(*first);
    for (const Rank rank : members) {
      const std::vector<Call>& others = calls_of(rank);
      if (graph_of(rank) == graph_of(*first) || its == others) continue;
      if (others.size() != its.size())
        add(fmt::format("rank {} calls {} collectives in {}, rank {} calls {}", *first, its.size(),
                        name, rank, others.empty() ? "none" : std::to_string(others.size())));
      const auto [one, other] = std::ranges::mismatch(its, others);
      if (one != its.end() && other != others.end())
        add(fmt::format("call {} in {} is {} of {} B on rank {} and {} of {} B on rank {}",
                        one - its.begin() + 1, name, name_of(one->kind), one->size.value, *first,
                        name_of(other->kind), other->size.value, rank));
    }
  }

  const GraphWorkload& workload_;
  Rank ranks_;
  std::vector<Traffic> traffic_;  // of each graph
  std::set<std::tuple<std::int32_t, std::int32_t, Traffic::Peer>> matching_;
};

}  // namespace

std::vector<std::string> contradictions_in(const GraphWorkload& workload) {
  return std::move(Contradictions(workload).lines);
}

}  // namespace orrery::chakra
