// Messages as flows: a pair for each while it lasts, with a priority by what it has sent (PIAS) or
// a rank by what it has left (pFabric). docs/models/scheduled.md.
#include <algorithm>

#include "network/packet/wire_format.h"
#include "network/roce/roce_transport.h"

namespace orrery {

// An idle pair between the two, as if it were new, or another one.
QueuePair& RoceTransport::flow_between(NodeId from, NodeId to, std::uint8_t priority) {
  std::vector<std::uint32_t>& pairs = connections_[key_of(from, to, priority)].pairs;
  const auto idle =
      std::ranges::find_if(pairs, [&](std::uint32_t one) { return !pairs_[one]->outstanding(); });
  if (idle == pairs.end()) {
    pairs.push_back(make_pair(from, to, priority, static_cast<std::uint32_t>(pairs.size())));
    return *pairs_[pairs.back()];
  }
  QueuePair& pair = *pairs_[*idle];
  pair.control = control_->make(spec_, facts_of(pair));
  pair.counted_from = pair.end();
  pair.timeouts = 0;
  return pair;
}

// PIAS: by the bytes that were sent before the next packet; one that is sent again counts as the
// newest.
void RoceTransport::set_priority(QueuePair& pair) const {
  if (settings_.priorities.empty() || pair.is_highest) return;
  const PacketNumber place =
      std::max(pair.recovery->next(), pair.recovery->never_sent()) - pair.counted_from;
  const Bytes sent = spec_.payload * static_cast<std::int64_t>(place);
  const auto behind = std::ranges::upper_bound(settings_.thresholds, sent);
  pair.priority =
      settings_.priorities[static_cast<std::size_t>(behind - settings_.thresholds.begin())];
}

// The pair that sends next over this link of its NPU.
std::uint32_t RoceTransport::next_on(LinkIndex link) {
  const auto next = [this](auto one) -> auto& { return pairs_[one]->next_ready; };
  const auto paused = [&](std::uint8_t priority) { return fabric_.paused(link, priority); };
  if (!settings_.ranks) return ports_[link]->pop(next, paused);
  return ports_[link]->pop_least(next, paused,
                                 [this](auto one) { return pairs_[one]->left_to_send(); });
}

}  // namespace orrery
