// The sending half of RoceTransport: NICs that pull, windows, rates, timers and timeouts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units/unit_text.h"
#include "network/network_error.h"
#include "network/packet/what_waits.h"
#include "network/packet/wire_format.h"
#include "network/roce/roce_transport.h"

namespace orrery {
namespace {

Duration rounded_up(double picoseconds) {
  return {static_cast<std::int64_t>(std::ceil(std::min(picoseconds, 1e17)))};
}

}  // namespace

// --- Which pair sends, and when ---

// Puts a pair that may send now into its NIC's list, or has it looked at when its rate allows.
void RoceTransport::update(std::uint32_t index) {
  QueuePair& pair = *pairs_[index];
  if (pair.is_ready) return;
  if (!may_send(pair))
    return note_wait(pair, pair.has_packet() ? WaitsFor::window : WaitsFor::data);
  const Time when = next_send(pair);
  note_wait(pair, when > queue_.now() ? WaitsFor::rate : WaitsFor::line);
  if (when > queue_.now()) {
    if (pair.pace_comes && pair.pace_at <= when) return;
    pair.pace_comes = true;
    pair.pace_at = when;
    return schedule(when, Happens::pace, index);
  }
  pair.is_ready = true;
  set_priority(pair);
  ports_[pair.link]->push(
      index, pair.priority, [this](auto one) -> auto& { return pairs_[one]->next_ready; });
  fabric_.offer(pair.link);
}

// While its last packet leaves at line rate, a pair waits for the line whatever its control says.
void RoceTransport::note_wait(QueuePair& pair, WaitsFor what) {
  if (pair.waits_for == what) return;
  const Time now = queue_.now();
  if (pair.waits_for != WaitsFor::data) counters_.senders.with_data += now - pair.waits_since;
  if (pair.waits_for == WaitsFor::rate || pair.waits_for == WaitsFor::window) {
    const Time free =
        pair.sent_at + rounded_up(static_cast<double>(pair.sent_bytes) / pair.line * 1e12);
    TotalTime& held =
        pair.waits_for == WaitsFor::rate ? counters_.senders.by_rate : counters_.senders.by_window;
    held += std::max(now - std::max(pair.waits_since, free), Duration{});
  }
  pair.waits_for = what;
  pair.waits_since = now;
}

// As far as data, paths and windows go. A packet is always allowed: the next one is only later.
bool RoceTransport::may_send(QueuePair& pair) const {
  if (pair.forward.paths.empty() || !pair.has_packet()) return false;
  if (pair.recovery->in_flight() == 0 || pair.recovery->replaces_a_lost_one()) return true;
  const double window = std::min(pair.control->window(), pair.window);
  return static_cast<double>(pair.in_flight()) < window;
}

// The last packet holds the line for as long as it takes at the rate of now; at line rate the link
// does that.
Time RoceTransport::next_send(const QueuePair& pair) const {
  Time when = pair.sent_at;
  const double rate = pair.control->rate();
  if (rate < pair.line * (1 - 1e-9))
    when += rounded_up(static_cast<double>(pair.sent_bytes) / rate * 1e12);
  const double window = pair.control->window();
  const auto payload = static_cast<double>(spec_.payload.value);
  if (window < payload && pair.sent_bytes > 0) {
    const auto round_trip = static_cast<double>(pair.round_trip.value);
    when = std::max(when, pair.sent_at + rounded_up(round_trip * payload / window));
  }
  return when;
}

bool RoceTransport::pull(LinkIndex link) {
  while (true) {
    const std::uint32_t index = next_on(link);
    if (index == NicPort::none) return false;
    QueuePair& pair = *pairs_[index];
    pair.is_ready = false;
    const bool sends = may_send(pair) && next_send(pair) <= queue_.now();
    if (sends) transmit(index, pair.recovery->next());
    update(index);
    if (sends) return true;
  }
}

void RoceTransport::transmit(std::uint32_t index, PacketNumber number) {
  QueuePair& pair = *pairs_[index];
  if (!pair.waits_for_answers()) pair.progress_at = queue_.now();
  PairMessage& message = pair.message_of(number);
  const std::int64_t payload = pair.payload_of(message, number);
  const bool ends = number == message.last;
  const bool tells_left = ends && !message.left;
  message.left |= tells_left;
  const PacketNumber never_sent = pair.recovery->never_sent();
  const std::uint64_t rank = pair.left_to_send();
  counters_.retransmissions += number < never_sent ? 1 : 0;
  pair.recovery->sent(number);
  pair.control->sent(queue_.now(), bytes(payload));
  pair.sent_at = queue_.now();
  pair.sent_bytes = wire::packet + payload + (number == message.first ? wire::reth : 0) +
                    (control_->wants_telemetry ? wire::telemetry(pair.hops) : 0);
  const PacketIndex packet = fabric_.allocate();
  if (packet >= carried_.size()) carried_.resize(packet + 1);
  carried_[packet] = {.pair = index,
                      .kind = PacketKind::data,
                      .tells_left = tells_left,
                      .ends_message = ends,
                      .again = number < never_sent,
                      .message = message.slot,
                      .number = number,
                      .sent_at = queue_.now()};
  arm_timer(index);
  arm_timeout(index);
  if (captures_.any()) capture_data(packet, pair, message, number);
  fabric_.send(packet, {.path = pair.forward.take(),
                        .wire_bytes = static_cast<std::uint32_t>(pair.sent_bytes),
                        .can_be_marked = true,
                        .tell_when_left = tells_left,
                        .kind = message.label,
                        .priority = pair.priority,
                        .takes_telemetry = control_->wants_telemetry,
                        .flow = 2 * index,
                        .rank = rank});
}

// --- What comes back ---

void RoceTransport::take_acknowledgement(PacketIndex packet, const Carried& carried) {
  QueuePair& pair = *pairs_[carried.pair];
  run_timers(pair);
  const Bytes before = pair.stream_before(pair.recovery->unacknowledged());
  note_progress(pair, carried, [&] {
    if (carried.selective) return pair.recovery->refused(carried.number, carried.seen);
    pair.recovery->acknowledged(carried.number);
  });
  const Bytes after = pair.stream_before(pair.recovery->unacknowledged());
  const bool telemetry = control_->wants_telemetry && packet < echoed_.size();
  pair.control->acknowledged({.now = queue_.now(),
                              .newly = after - before,
                              .acknowledged = after,
                              .sent = pair.stream_before(pair.recovery->never_sent()),
                              .round_trip = pair.round_trip,
                              .marked = carried.marked,
                              .hops = telemetry ? std::span<const HopTelemetry>(echoed_[packet])
                                                : std::span<const HopTelemetry>()});
  if (carried.selective && pair.recovery->replaces_a_lost_one()) note_loss(pair, carried);
  note_sample(pair);
  arm_timer(carried.pair);
  update(carried.pair);
  tell_acknowledged(pair);
}

template <class Takes>
void RoceTransport::note_progress(QueuePair& pair, const Carried& carried, const Takes& takes) {
  const PacketNumber before = pair.recovery->unacknowledged();
  takes();
  pair.round_trip = queue_.now() - carried.sent_at;
  if (pair.recovery->unacknowledged() == before) return;
  pair.progress_at = queue_.now();
  pair.timeouts = 0;
  pair.is_refused = false;
}

// A control hears once of what was lost in a window.
void RoceTransport::note_loss(QueuePair& pair, const Carried& carried) {
  if (carried.number < pair.loss_heard) return;
  pair.loss_heard = pair.recovery->never_sent();
  pair.control->lost(queue_.now(), false);
}

void RoceTransport::take_refusal(const Carried& carried) {
  QueuePair& pair = *pairs_[carried.pair];
  run_timers(pair);
  pair.is_refused = true;
  note_progress(pair, carried, [&] { pair.recovery->refused(carried.number, carried.seen); });
  note_loss(pair, carried);
  note_sample(pair);
  arm_timer(carried.pair);
  update(carried.pair);
  tell_acknowledged(pair);
}

// The listener may send from here.
void RoceTransport::tell_acknowledged(QueuePair& pair) {
  while (const std::optional<MessageSlot> message = pair.next_acknowledged())
    listener_.message_acknowledged(*message);
}

// --- Timers ---

// A control without anything to send hears of its timers when there is something again.
void RoceTransport::run_timers(QueuePair& pair) {
  for (Time due = pair.control->next_timer(); due <= queue_.now(); due = pair.control->next_timer())
    pair.control->timer(due);
}

void RoceTransport::arm_timer(std::uint32_t index) {
  QueuePair& pair = *pairs_[index];
  const Time due = pair.control->next_timer();
  if (due == Time::never() || !pair.outstanding()) return;
  if (pair.timer_comes && pair.timer_at <= due) return;
  pair.timer_comes = true;
  pair.timer_at = due;
  schedule(due, Happens::timer, index);
}

// One event for a timeout that every acknowledgement puts off.
void RoceTransport::arm_timeout(std::uint32_t index) {
  QueuePair& pair = *pairs_[index];
  if (pair.timeout_comes) return;
  pair.timeout_comes = true;
  schedule(pair.progress_at + settings_.rto, Happens::timeout, index);
}

void RoceTransport::time_out(std::uint32_t index) {
  QueuePair& pair = *pairs_[index];
  pair.timeout_comes = false;
  if (!pair.waits_for_answers()) return;  // the next packet arms it
  if (queue_.now() < pair.progress_at + settings_.rto) return arm_timeout(index);
  ++counters_.timeouts;
  if (++pair.timeouts > settings_.retries) end_run(pair);
  // PIAS, 4.1: a flow that starves begins anew in the first class. After two timeouts in a row:
  // ours.
  if (pair.timeouts >= 2) pair.counted_from = pair.recovery->never_sent();
  pair.progress_at = queue_.now();
  run_timers(pair);
  pair.control->lost(queue_.now(), true);
  pair.recovery->timed_out();
  pair.is_refused = false;
  pair.loss_heard = pair.recovery->never_sent();
  arm_timeout(index);
  arm_timer(index);
  update(index);
}

void RoceTransport::schedule(Time when, Happens what, std::uint32_t pair) {
  queue_.schedule_at(when, handler_, std::uint64_t{pair} << 2 | static_cast<std::uint64_t>(what));
}

void RoceTransport::on_event(std::uint64_t argument) {
  const auto index = static_cast<std::uint32_t>(argument >> 2);
  QueuePair& pair = *pairs_[index];
  switch (static_cast<Happens>(argument & 3)) {
    case Happens::pace:
      if (pair.pace_comes && pair.pace_at <= queue_.now()) pair.pace_comes = false;
      return update(index);
    case Happens::timer:
      if (!pair.timer_comes || pair.timer_at != queue_.now()) return;  // an earlier one came
      pair.timer_comes = false;
      if (!pair.outstanding()) return;
      run_timers(pair);
      note_sample(pair);
      arm_timer(index);
      return update(index);
    case Happens::timeout:
      return time_out(index);
  }
}

// --- The end of a run ---

void RoceTransport::end_run(QueuePair& pair) {
  std::string text = fmt::format(
      "{} gave up the queue pair {} -> {} at {}: nothing was acknowledged in {} timeouts of {}; "
      "{} message{} undelivered.\n",
      settings_.name, pair.from.value, pair.to.value, to_text(queue_.now().since_start),
      pair.timeouts, to_text(settings_.rto), pair.undelivered(),
      pair.undelivered() == 1 ? " is" : "s are");
  for (const LinkIndex link : paths_.links(pair.from, pair.to, pair.number))
    text += fmt::format("  {}: {} packets lost, bandwidth {}\n", topology_.link_name(link),
                        fabric_.lost_on(link), to_text(paths_.bandwidth(link)));
  text +=
      "  a link that is down or a buffer that is always full? see network.faults, "
      "network.switch.buffer; or let the pair try longer: network.transport.retries, rto";
  throw NetworkError(text);
}

void RoceTransport::pause_lasts(const LastingPause& pause) {
  ++counters_.watchdogs;
  if (ignores_pauses_) return;
  std::string text = fmt::format(
      "{} at {}: priority {} has been paused for {}.\n", pause.cycle ? "PFC deadlock" : "PFC storm",
      to_text(queue_.now().since_start), pause.priority, to_text(pause.time));
  text += text_of_chain(fabric_, pause);
  if (!pause.cycle)
    text +=
        fmt::format("  the root is {}, which does not take it\n", topology_.node_name(pause.root));
  text += pause.cycle ? "  routes up and down a tree cannot deadlock (network.routing)\n"
                      : "  a slow receiver, or a link that is slow or down?\n";
  text += "  network.switch.pfc.on_watchdog: drop goes on, and loses packets";
  throw NetworkError(text);
}

std::string RoceTransport::unfinished() const {
  std::string text = what_waits(fabric_);
  for (const auto& pair : pairs_)
    if (pair->undelivered() > 0)
      return text + fmt::format("the queue pair {} -> {} has {} undelivered message{}\n",
                                topology_.node_name(pair->from), topology_.node_name(pair->to),
                                pair->undelivered(), pair->undelivered() == 1 ? "" : "s");
  return text;
}

// --- Reports ---

// Keeps at most 4,096 changes of a pair: when there are more, every second one is forgotten.
void RoceTransport::note_sample(QueuePair& pair) {
  constexpr std::size_t most = 4'096;
  if (!pair.watched || pair.changes++ % pair.keep_every != 0) return;
  const double window = std::min({pair.control->window(), pair.window, 1e15});
  const double congestion = pair.control->congestion();
  pair.samples.push_back({queue_.now(), bytes(static_cast<std::int64_t>(window)), pair.round_trip,
                          Bandwidth{static_cast<std::int64_t>(pair.control->rate())},
                          congestion < 0 ? std::nullopt : std::optional(congestion)});
  if (pair.samples.size() < most) return;
  for (std::size_t i = 0; i < most / 2; ++i) pair.samples[i] = pair.samples[2 * i];
  pair.samples.resize(most / 2);
  pair.keep_every *= 2;
}

void RoceTransport::capture_data(PacketIndex packet, const QueuePair& pair,
                                 const PairMessage& message, PacketNumber number) {
  const bool first = number == message.first, last = number == message.last;
  const std::int64_t headers = wire::packet + (first ? wire::reth : 0);
  RoceFields fields{.from = pair.from, .to = pair.to, .pair = pair.index};
  fields.opcode = first && last ? RoceOpcode::write_only
                  : first       ? RoceOpcode::write_first
                  : last        ? RoceOpcode::write_last
                                : RoceOpcode::write_middle;
  fields.priority = pair.priority;
  fields.can_be_marked = true;
  fields.asks = last || spec_.ack_every == 1;
  fields.number = number;
  if (first) fields.message_size = static_cast<std::uint32_t>(message.size);
  fields.data_bytes = static_cast<std::uint32_t>(pair.sent_bytes - headers);
  captures_.keep(packet, fields);
}

// An acknowledgement says the last number that is there, a NACK the first that is not.
void RoceTransport::capture_answer(PacketIndex packet, const Carried& what, std::int64_t size) {
  const QueuePair& pair = *pairs_[what.pair];
  RoceFields fields{.from = pair.to, .to = pair.from, .pair = pair.index};
  fields.priority = settings_.answer_priority;
  if (what.kind == PacketKind::notification) {
    fields.opcode = RoceOpcode::congestion_notification;
  } else {
    const bool gap = what.kind == PacketKind::refusal;
    fields.opcode = RoceOpcode::acknowledge;
    fields.number = gap ? what.number : what.number - 1;
    fields.syndrome = gap ? RoceFrame::sequence_error : RoceFrame::acknowledged;
    fields.data_bytes = static_cast<std::uint32_t>(size - wire::acknowledgement);
  }
  captures_.keep(packet, fields);
}

PacketStatistics RoceTransport::statistics() const {
  PacketStatistics statistics = fabric_.statistics();
  set_waits(statistics, fabric_.waits());
  statistics.connections = counters_.connections;
  statistics.retransmissions = counters_.retransmissions;
  statistics.timeouts = counters_.timeouts;
  statistics.notifications = counters_.notifications;
  statistics.refusals = counters_.refusals;
  statistics.senders = counters_.senders;
  statistics.watchdogs = counters_.watchdogs;
  statistics.captures = captures_.statistics();
  for (const auto& pair : pairs_) {
    add_reordering(statistics.reordering, pair->order.counted());
    if (pair->watched) statistics.flows.push_back({pair->from, pair->to, pair->samples});
  }
  return statistics;
}

}  // namespace orrery
