// The sending half of PlacedTransport: NICs that pull, windows, credits and timeouts.
#include <fmt/format.h>

#include <algorithm>

#include "core/units/unit_text.h"
#include "network/network_error.h"
#include "network/packet/wire_format.h"
#include "network/placed/placed_transport.h"
#include "network/routing/flow_hash.h"

namespace orrery {

// --- Which pair sends, and when ---

// A message begins without being asked for, as far as no more than a window is on its way then.
void PlacedTransport::begin_window(PlacedPair& pair) {
  const std::uint64_t on_its_way = pair.ledger.in_flight() + pair.ledger.lost_count();
  const std::uint64_t room = pair.initial > on_its_way ? pair.initial - on_its_way : 0;
  const PlacedMessage& message = pair.messages.back();
  const std::uint64_t wanted = std::min(room, message.last - message.first + 1);
  const std::uint64_t left = pair.unsolicited + pair.pulled + pair.extra - pair.transmissions;
  if (left < wanted) pair.unsolicited += wanted - left;
}

// Puts a pair that may send now into the list of a NIC's port; over several ports in turn.
void PlacedTransport::update(std::uint32_t index) {
  PlacedPair& pair = *pairs_[index];
  if (pair.is_ready || !may_send(pair)) return;
  pair.is_ready = true;
  pair.path = pair.forward.take();
  const LinkIndex link = fabric_.first_link(pair.path);
  ports_[link]->push(
      index, data_priority_, [this](auto one) -> auto& { return pairs_[one]->next_ready; });
  fabric_.offer(link);
}

bool PlacedTransport::may_send(PlacedPair& pair) {
  if (pair.forward.paths.empty() || !pair.ledger.has_next()) return false;
  if (settings_.pulls && !is_allowed(pair)) return false;
  if (pair.control == nullptr || pair.ledger.in_flight() == 0) return true;
  const std::uint64_t in_flight =
      pair.ledger.in_flight() * static_cast<std::uint64_t>(settings_.payload.value);
  return static_cast<double>(in_flight) < pair.control->window();
}

// A receiver asks for as much as it knows to be wanted. A sender of which nothing is on its way
// and nothing is asked for any more begins anew: with what came since by a window, with what was
// lost by a packet.
bool PlacedTransport::is_allowed(PlacedPair& pair) {
  if (pair.transmissions < pair.unsolicited + pair.pulled + pair.extra) return true;
  if (pair.ledger.in_flight() > 0 || pair.coming > pair.pulled) return false;
  if (pair.ledger.lost_count() > 0)
    ++pair.extra;
  else
    pair.unsolicited += pair.initial;
  return true;
}

// The pulls that a sender wants in all: for what it has to send and may not send yet. Those that
// come ahead of packets are at most a window, as in the reference simulator (uet-htsim,
// computePullTarget).
std::uint64_t PlacedTransport::demand_of(const PlacedPair& pair) const {
  std::uint64_t left = pair.ledger.end() - pair.ledger.never_sent() + pair.ledger.lost_count();
  if (settings_.pulls_ahead) left = std::min(left, pair.initial);
  if (settings_.pulls_ahead && pair.control != nullptr)
    left = std::min(left, 1 + static_cast<std::uint64_t>(pair.control->window()) /
                                  static_cast<std::uint64_t>(settings_.payload.value));
  const std::uint64_t allowed = pair.unsolicited + pair.pulled + pair.extra;
  const std::uint64_t credit = allowed > pair.transmissions ? allowed - pair.transmissions : 0;
  return pair.pulled + (left > credit ? left - credit : 0);
}

bool PlacedTransport::pull(LinkIndex link) {
  while (true) {
    const std::uint32_t index = ports_[link]->pop(
        [this](auto one) -> auto& { return pairs_[one]->next_ready; },
        [&](std::uint8_t priority) { return fabric_.paused(link, priority); });
    if (index == NicPort::none) return false;
    PlacedPair& pair = *pairs_[index];
    pair.is_ready = false;
    const bool sends = may_send(pair);
    if (sends) transmit(index);
    update(index);
    if (sends) return true;
  }
}

void PlacedTransport::transmit(std::uint32_t index) {
  PlacedPair& pair = *pairs_[index];
  const PacketNumber number = pair.ledger.next();
  if (pair.ledger.in_flight() == 0) pair.progress_at = queue_.now();
  PlacedMessage& message = pair.message_of(number);
  const std::int64_t payload = pair.payload_of(message, number);
  const bool again = number < pair.ledger.never_sent();
  const bool tells_left = number == message.last && !message.left;
  message.left |= tells_left;
  counters_.retransmissions += again ? 1 : 0;
  const std::uint64_t sending = pair.transmissions++;
  pair.ledger.sent(number, sending);
  if (!again) pair.sent_bytes += payload;
  if (pair.control != nullptr) pair.control->sent(queue_.now(), bytes(payload));
  const std::uint32_t entropy = next_entropy(pair);
  pair.sendings.push_back({number, queue_.now()});
  const PacketIndex packet = fabric_.allocate();
  keep(packet, {.pair = index,
                .tells_left = tells_left,
                .again = again,
                .entropy = entropy,
                .message = message.slot,
                .number = number,
                .count = settings_.pulls ? demand_of(pair) : 0,
                .trims = pair.trims,
                .sending = sending,
                .sent_at = queue_.now()});
  arm_timeout(index);
  fabric_.send(
      packet,
      {.path = pair.path,
       .wire_bytes = static_cast<std::uint32_t>(wire::packet + payload),
       .can_be_marked = true,
       .tell_when_left = tells_left,
       .kind = message.label,
       .priority = data_priority_,
       .can_be_trimmed = settings_.trims,
       .flow = static_cast<std::uint32_t>(mixed(std::uint64_t{index} << 32 | entropy) >> 32)});
}

// T. Bonato et al., "REPS: Recycled entropy packet spraying for adaptive load balancing and failure
// mitigation", arXiv:2407.21625: a way that came back clear is taken again, others are tried in
// turn.
std::uint32_t PlacedTransport::next_entropy(PlacedPair& pair) {
  if (!pair.good.empty()) {
    const std::uint32_t value = pair.good.front();
    pair.good.pop_front();
    return value;
  }
  const auto count = static_cast<std::uint32_t>(settings_.entropy_values);
  const std::uint32_t value = pair.turn;
  pair.turn = pair.turn + 1 < count ? pair.turn + 1 : 0;
  return value;
}

// --- What comes back ---

void PlacedTransport::take_acknowledgement(const Carried& carried) {
  PlacedPair& pair = *pairs_[carried.pair];
  pair.coming = std::max(pair.coming, carried.count);
  if (settings_.recycles && !carried.marked) {
    pair.good.push_back(carried.entropy);
    if (pair.good.size() > static_cast<std::size_t>(settings_.entropy_values))
      pair.good.pop_front();
  }
  const bool first = pair.ledger.arrived(carried.number);
  std::int64_t newly = 0;
  if (first) {
    PlacedMessage& message = pair.message_of(carried.number);
    newly = pair.payload_of(message, carried.number);
    --message.unacknowledged;
    pair.acknowledged_bytes += newly;
    note_progress(pair);
  }
  if (pair.control != nullptr)
    pair.control->acknowledged({.now = queue_.now(),
                                .newly = bytes(newly),
                                .acknowledged = bytes(pair.acknowledged_bytes),
                                .sent = bytes(pair.sent_bytes),
                                .round_trip = queue_.now() - carried.sent_at,
                                .marked = carried.marked,
                                .penalty = carried.penalty});
  find_lost(pair, carried.sending);
  update(carried.pair);
  while (!pair.messages.empty() && pair.messages.front().unacknowledged == 0) {
    const MessageSlot slot = pair.messages.front().slot;
    pair.messages.pop_front();
    listener_.message_acknowledged(slot);
  }
}

// What was sent two windows before something that came is lost: packets that overtake each other
// differ by what waits before them. The receiver does not know of it and asks for nothing.
void PlacedTransport::find_lost(PlacedPair& pair, std::uint64_t seen) {
  if (settings_.pulls_ahead && settings_.trims) return;  // any number may be on its way
  while (!pair.sendings.empty()) {
    const std::uint64_t oldest = pair.transmissions - pair.sendings.size();
    if (oldest + 2 * pair.initial >= seen) return;
    lose_oldest(pair);
  }
}

void PlacedTransport::lose_oldest(PlacedPair& pair) {
  const std::uint64_t oldest = pair.transmissions - pair.sendings.size();
  const PacketNumber number = pair.sendings.front().number;
  pair.sendings.pop_front();
  if (!pair.ledger.lose(number, oldest)) return;
  ++pair.extra;
  if (pair.control != nullptr) pair.control->lost(queue_.now(), false);
}

// Only the header of a packet came, to the receiver or back.
void PlacedTransport::take_refusal(const Carried& carried) {
  PlacedPair& pair = *pairs_[carried.pair];
  if (carried.kind == PacketKind::refusal) {
    pair.coming = std::max(pair.coming, carried.count);
    ++pair.trims;
  }
  if (pair.ledger.lose(carried.number, carried.sending)) {  // if it was not sent again since
    const PlacedMessage& message = pair.message_of(carried.number);
    if (pair.control != nullptr)
      pair.control->trimmed(queue_.now(), bytes(pair.payload_of(message, carried.number)));
  }
  note_progress(pair);
  update(carried.pair);
}

void PlacedTransport::take_pull(const Carried& carried) {
  PlacedPair& pair = *pairs_[carried.pair];
  pair.pulled = std::max(pair.pulled, carried.count);
  note_progress(pair);
  update(carried.pair);
}

void PlacedTransport::note_progress(PlacedPair& pair) {
  pair.progress_at = queue_.now();
  pair.timeouts = 0;
}

// --- Timeouts ---

Duration PlacedTransport::timeout_of(const PlacedPair& pair, std::int32_t in_a_row) const {
  if (settings_.least_round_trips == 0) return settings_.rto;
  const Duration first = std::max(settings_.rto, pair.round_trip * settings_.least_round_trips);
  return std::min(std::max(first, settings_.longest_rto),
                  first * (std::int64_t{1} << std::min(in_a_row, 16)));
}

Time PlacedTransport::waits_since(PlacedPair& pair) const {
  if (!settings_.packets_time_out || pair.ledger.in_flight() == 0) return pair.progress_at;
  while (!pair.ledger.is_on_its_way(pair.sendings.front().number,
                                    pair.transmissions - pair.sendings.size()))
    pair.sendings.pop_front();
  return pair.sendings.front().at;
}

// One event for a timeout that what comes back puts off, or makes shorter again.
void PlacedTransport::arm_timeout(std::uint32_t index) {
  PlacedPair& pair = *pairs_[index];
  if (pair.timeout_comes) return;
  pair.timeout_comes = true;
  const Time due = waits_since(pair) + timeout_of(pair, pair.timeouts);
  const Time next = queue_.now() + timeout_of(pair, 0);
  schedule(due > queue_.now() ? std::min(due, next) : next, Happens::timeout, index);
}

void PlacedTransport::time_out(std::uint32_t index) {
  PlacedPair& pair = *pairs_[index];
  pair.timeout_comes = false;
  if (pair.ledger.all_there()) return;  // the next packet arms it
  const bool is_asked = settings_.least_round_trips == 0 || pair.ledger.in_flight() > 0;
  const Duration patience = is_asked ? timeout_of(pair, pair.timeouts) : settings_.longest_rto;
  const Time since = waits_since(pair);
  if (queue_.now() < since + patience) return arm_timeout(index);
  ++counters_.timeouts;
  if (++pair.timeouts > settings_.retries) end_run(pair);
  if (pair.progress_at <= since) lose_all(pair);
  while (pair.ledger.in_flight() > 0 && waits_since(pair) + patience <= queue_.now())
    lose_oldest(pair);
  arm_timeout(index);
  update(index);
}

// Nothing came back.
void PlacedTransport::lose_all(PlacedPair& pair) {
  pair.progress_at = queue_.now();
  if (pair.control != nullptr)
    for (std::uint64_t i = 0; i < pair.ledger.in_flight(); ++i)
      pair.control->lost(queue_.now(), true);
  pair.ledger.lose_all_in_flight();
  pair.extra += std::clamp<std::uint64_t>(pair.ledger.lost_count(), 1, pair.initial);
}

void PlacedTransport::schedule(Time when, Happens what, std::uint32_t which) {
  queue_.schedule_at(when, handler_, std::uint64_t{which} << 1 | static_cast<std::uint64_t>(what));
}

void PlacedTransport::on_event(std::uint64_t argument) {
  const auto which = static_cast<std::uint32_t>(argument >> 1);
  if (static_cast<Happens>(argument & 1) == Happens::pull)
    return pull_next(static_cast<std::int32_t>(which));
  time_out(which);
}

void PlacedTransport::end_run(PlacedPair& pair) {
  std::string text = fmt::format(
      "{} gave up {} -> {} at {}: nothing came back in {} timeouts of {}.\n", settings_.name,
      topology_.node_name(pair.from), topology_.node_name(pair.to),
      to_text(queue_.now().since_start), pair.timeouts, to_text(timeout_of(pair, pair.timeouts)));
  for (const LinkIndex link : paths_.links(pair.from, pair.to, 0))
    text += fmt::format("  {}: {} packets lost, bandwidth {}\n", topology_.link_name(link),
                        fabric_.lost_on(link), to_text(paths_.bandwidth(link)));
  text +=
      "  a link that is down? see network.faults; or let it try longer: network.transport.retries, "
      "rto";
  throw NetworkError(text);
}

}  // namespace orrery
