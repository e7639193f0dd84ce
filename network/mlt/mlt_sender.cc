// The sending half of MltTransport: packets, their rate, PROBEs, and what is sent again.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/units/unit_text.h"
#include "network/mlt/mlt_transport.h"
#include "network/network_error.h"
#include "network/packet/wire_format.h"
#include "network/routing/flow_hash.h"

namespace orrery {

// --- Which flow sends, and when ---

void MltTransport::queue(TensorId id, Tensor& tensor) {
  if (!std::exchange(tensor.is_queued, true)) flows_[tensor.flow]->sending.push_back(id);
  update(tensor.flow);
}

// Puts a flow that may send now into the list of a NIC's port; over several ports in turn.
void MltTransport::update(std::uint32_t index) {
  Flow& flow = *flows_[index];
  if (flow.is_ready || !may_send(index)) return;
  flow.is_ready = true;
  flow.path = flow.forward.take();
  const LinkIndex link = fabric_.first_link(flow.path);
  ports_[link]->push(
      index, flow.priority, [this](auto one) -> auto& { return flows_[one]->next_ready; });
  fabric_.offer(link);
}

// A flow whose rate says later comes back then.
bool MltTransport::may_send(std::uint32_t index) {
  Flow& flow = *flows_[index];
  if (flow.forward.paths.empty() || flow.sending.empty()) return false;
  if (flow.may_send_at <= queue_.now()) return true;
  if (!std::exchange(flow.pace_comes, true)) schedule(flow.may_send_at, Happens::pace, index);
  return false;
}

// Tensors in the order in which they were handed over. REQUIRES: one has packets to send, or is
// stopped.
MltTransport::TensorId MltTransport::next_of(Flow& flow) {
  while (!flow.sending.empty()) {
    const TensorId id = flow.sending.front();
    Tensor* tensor = find(id);
    if (tensor != nullptr && !tensor->stopped && tensor->ledger.has_next()) return id;
    if (tensor != nullptr) tensor->is_queued = false;
    flow.sending.pop_front();
  }
  return next_tensor_;  // none
}

bool MltTransport::pull(LinkIndex link) {
  while (true) {
    const std::uint32_t index = ports_[link]->pop(
        [this](auto one) -> auto& { return flows_[one]->next_ready; },
        [&](std::uint8_t priority) { return fabric_.paused(link, priority); });
    if (index == NicPort::none) return false;
    Flow& flow = *flows_[index];
    flow.is_ready = false;
    const bool sends = may_send(index) && next_of(flow) != next_tensor_;
    if (sends) transmit(index);
    update(index);
    if (sends) return true;
  }
}

void MltTransport::transmit(std::uint32_t index) {
  Flow& flow = *flows_[index];
  const TensorId id = flow.sending.front();
  Tensor& tensor = *find(id);
  const PacketNumber number = tensor.ledger.next();
  const bool again = number < tensor.ledger.never_sent();
  const bool tells_left = number + 1 == tensor.packets && !tensor.last_sent;
  tensor.last_sent |= tells_left;
  counters_.retransmissions += again ? 1 : 0;
  if (again && may_lose_some(tensor))
    row_of(tensor.part).again += bytes(payload_of(tensor, number));
  const std::uint64_t sending = flow.transmissions++;
  tensor.ledger.sent(number, sending);
  if (!tensor.ledger.has_next()) {
    flow.sending.pop_front();
    tensor.is_queued = false;
    tensor.waits_for_answer = false;
    set_timer(id, tensor, spec_.probe_after);
  }
  const auto wire_bytes = static_cast<std::uint32_t>(wire::packet + payload_of(tensor, number));
  if (!flow.rate.is_full())
    flow.may_send_at = queue_.now() + transfer_time(bytes(wire_bytes), flow.rate.rate());
  const bool droppable = is_droppable(id, tensor, number);
  const std::uint8_t label = tensor.label;
  const PacketIndex packet = fabric_.allocate();
  keep(packet, {.kind = PacketKind::data,
                .tells_left = tells_left,
                .again = again,
                .flow = index,
                .tensor = id,
                .number = number,
                .sending = sending,
                .sent_at = queue_.now()});
  fabric_.send(
      packet,
      {.path = flow.path,
       .wire_bytes = wire_bytes,
       .can_be_marked = !droppable,
       .tell_when_left = tells_left,
       .kind = label,
       .priority = flow.priority,
       .can_be_dropped_early = droppable,
       .flow = static_cast<std::uint32_t>(mixed(std::uint64_t{index} << 32 | sending) >> 32)});
}

// --- When all is sent ---

// One event for a timer that is put off; one that is brought forward gets another.
void MltTransport::set_timer(TensorId id, Tensor& tensor, Duration after) {
  tensor.timer_at = queue_.now() + after;
  if (tensor.timer_comes && tensor.event_at <= tensor.timer_at) return;
  tensor.timer_comes = true;
  tensor.event_at = tensor.timer_at;
  schedule(tensor.timer_at, Happens::tensor_timer, id);
}

void MltTransport::tensor_timer(TensorId id) {
  Tensor* tensor = find(id);
  if (tensor == nullptr || tensor->event_at != queue_.now()) return;  // an earlier one came
  tensor->timer_comes = false;
  if (tensor->stopped || tensor->ledger.has_next()) return;  // the last packet sets it again
  if (queue_.now() < tensor->timer_at)
    return set_timer(id, *tensor, tensor->timer_at - queue_.now());
  if (std::exchange(tensor->waits_for_answer, true)) {
    ++counters_.timeouts;
    if (++tensor->unanswered > retries_) end_run(*flows_[tensor->flow], tensor->unanswered);
  }
  ++tensor->probes;
  ++counters_.probes;
  send_control(
      {.kind = PacketKind::probe, .flow = tensor->flow, .probe = tensor->probes, .tensor = id},
      true, trimmed_bytes);
  set_timer(id, *tensor, rto_);
}

void MltTransport::take_stop(const Carried& carried) {
  send_control({.kind = PacketKind::stop_confirmed, .flow = carried.flow, .tensor = carried.tensor},
               true, trimmed_bytes);
  Tensor* tensor = find(carried.tensor);
  if (tensor == nullptr || std::exchange(tensor->stopped, true)) return;
  if (!std::exchange(tensor->last_sent, true)) {  // nor will it be sent
    tensor->left = true;
    listener_.message_left(tensor->slot);
  }
  close(carried.tensor, *find(carried.tensor));
}

// The source knows, and nothing of the message is to leave any more.
void MltTransport::close(TensorId id, Tensor& tensor) {
  if (!tensor.stopped || !tensor.left || tensor.acknowledged) return;
  tensor.acknowledged = true;
  const MessageSlot slot = tensor.slot;
  erase_if_done(id, tensor);
  listener_.message_acknowledged(slot);
}

void MltTransport::take_bitmap(const Carried& carried) {
  Tensor* tensor = find(carried.tensor);
  if (tensor == nullptr || tensor->stopped || carried.probe != tensor->probes) return;
  const Bitmap& bitmap = bitmaps_[carried.bitmap];
  if (std::exchange(tensor->waits_for_answer, false))  // the first one of this answer
    tensor->needed = tensor->enough - bitmap.bytes_there;
  tensor->unanswered = 0;
  send_again(*tensor, carried.number, bitmap, carried.tensor);
  if (tensor->ledger.has_next()) return queue(carried.tensor, *tensor);
  set_timer(carried.tensor, *tensor, spec_.probe_after);
}

// What is missing and protected, and of the rest as much as is needed.
void MltTransport::send_again(Tensor& tensor, PacketNumber first, const Bitmap& bitmap,
                              TensorId id) {
  for (const bool is_rest : {false, true})
    for (std::size_t i = 0; i < bitmap.there.size(); ++i) {
      const PacketNumber number = first + i;
      if (bitmap.there[i]) {
        if (!is_rest) tensor.ledger.arrived(number);
        continue;
      }
      if (is_droppable(id, tensor, number) != is_rest) continue;
      if (is_rest && tensor.needed <= 0 && tensor.size > 0) continue;
      tensor.needed -= payload_of(tensor, number);
      tensor.ledger.lose(number);
    }
}

void MltTransport::end_run(const Flow& flow, std::int32_t timeouts) {
  std::string text =
      fmt::format("MLT gave up {} -> {} at {}: nothing came back in {} timeouts of {}.\n",
                  topology_.node_name(flow.from), topology_.node_name(flow.to),
                  to_text(queue_.now().since_start), timeouts, to_text(rto_));
  for (const LinkIndex link : paths_.links(flow.from, flow.to, 0))
    text += fmt::format("  {}: {} packets lost, bandwidth {}\n", topology_.link_name(link),
                        fabric_.lost_on(link), to_text(paths_.bandwidth(link)));
  text +=
      "  a link that is down? see network.faults; or let it try longer: network.transport.retries, "
      "rto";
  throw NetworkError(text);
}

}  // namespace orrery
