// The receiving half of MltTransport: what is there, STOPs and answers.
#include <algorithm>
#include <utility>

#include "network/mlt/mlt_transport.h"
#include "network/packet/wire_format.h"

namespace orrery {

void MltTransport::take_data(const Carried& carried) {
  Flow& flow = *flows_[carried.flow];
  if (!carried.again) flow.order.came(carried.sending);
  report(carried);
  Tensor* tensor = find(carried.tensor);
  if (tensor == nullptr || !tensor->arrivals.came(carried.number)) return;
  const std::int64_t payload = payload_of(*tensor, carried.number);
  if (tensor->delivered) {
    if (may_lose_some(*tensor)) row_of(tensor->part).late += bytes(payload);
    return;
  }
  tensor->there += payload;
  if (tensor->there >= tensor->enough) deliver(carried.tensor, *tensor);
}

// So that the sender knows the delay: of every so many packets, and of each one when they are rare.
void MltTransport::report(const Carried& carried) {
  Flow& flow = *flows_[carried.flow];
  const Duration since = queue_.now() - flow.reported_at;
  const bool is_due = since >= flow.report_after * 4;
  if (++flow.unreported < spec_.rate.report_every && !is_due) return;
  Carried back = carried;
  const double came =  // counts short packets as full ones
      static_cast<double>(std::exchange(flow.unreported, 0) * (payload_ + wire::packet));
  back.delivered = Bandwidth{
      static_cast<std::int64_t>(came / std::max(static_cast<double>(since.value) * 1e-12, 1e-12))};
  flow.reported_at = queue_.now();
  back.kind = PacketKind::report;
  back.tells_left = false;
  send_control(back, false, trimmed_bytes);
}

void MltTransport::deliver(TensorId id, Tensor& tensor) {
  tensor.delivered = true;
  note_delivery(tensor);
  send_stop(id, tensor);
  schedule(queue_.now() + rto_, Happens::stop_timer, id);
  listener_.message_delivered(tensor.slot);
}

void MltTransport::send_stop(TensorId id, const Tensor& tensor) {
  send_control({.kind = PacketKind::stop, .flow = tensor.flow, .tensor = id}, false, trimmed_bytes);
}

void MltTransport::stop_timer(TensorId id) {
  Tensor* tensor = find(id);
  if (tensor == nullptr || tensor->confirmed) return;
  ++counters_.timeouts;
  if (++tensor->stops > retries_) end_run(*flows_[tensor->flow], tensor->stops);
  send_stop(id, *tensor);
  schedule(queue_.now() + rto_, Happens::stop_timer, id);
}

void MltTransport::take_confirmation(const Carried& carried) {
  Tensor* tensor = find(carried.tensor);
  if (tensor == nullptr) return;
  tensor->confirmed = true;
  erase_if_done(carried.tensor, *tensor);
}

void MltTransport::erase_if_done(TensorId id, const Tensor& tensor) {
  if (tensor.acknowledged && tensor.confirmed) tensors_.erase(id);
}

// A bit for each packet, in as many packets as that takes.
void MltTransport::take_probe(const Carried& carried) {
  const Tensor* tensor = find(carried.tensor);
  if (tensor == nullptr) return;
  if (tensor->delivered) return send_stop(carried.tensor, *tensor);
  const auto bits = static_cast<std::uint64_t>(payload_) * 8;
  for (PacketNumber first = 0; first < tensor->packets; first += bits) {
    const PacketNumber end = std::min(first + bits, tensor->packets);
    Bitmap bitmap{.there = {}, .bytes_there = tensor->there};
    bitmap.there.reserve(static_cast<std::size_t>(end - first));
    for (PacketNumber number = first; number < end; ++number)
      bitmap.there.push_back(tensor->arrivals.has(number));
    Carried answer = carried;
    answer.kind = PacketKind::bitmap;
    answer.number = first;
    answer.bitmap = keep_bitmap(std::move(bitmap));
    const auto wire = static_cast<std::int64_t>(wire::packet + (end - first + 7) / 8);
    send_control(answer, false, std::max(trimmed_bytes, bytes(wire)));
  }
}

std::uint32_t MltTransport::keep_bitmap(Bitmap bitmap) {
  if (free_bitmaps_.empty()) {
    free_bitmaps_.push_back(static_cast<std::uint32_t>(bitmaps_.size()));
    bitmaps_.emplace_back();
  }
  const std::uint32_t index = free_bitmaps_.back();
  free_bitmaps_.pop_back();
  bitmaps_[index] = std::move(bitmap);
  return index;
}

void MltTransport::drop_bitmap(std::uint32_t index) {
  bitmaps_[index] = {};
  free_bitmaps_.push_back(index);
}

MissingData& MltTransport::row_of(const TensorPart& part) {
  MissingData& row = missing_[{part.iteration, part.layer}];
  row.iteration = part.iteration;
  row.layer = part.layer;
  return row;
}

// Of tensors of gradients, where some of them may be delivered in part.
void MltTransport::note_delivery(const Tensor& tensor) {
  if (tensor.part.way == TensorWay::none) return;
  const Share& bound = tensor.part.way == TensorWay::push ? spec_.push : spec_.pull;
  if (bound.part == 0) return;
  MissingData& row = row_of(tensor.part);
  ++row.messages;
  row.bytes += bytes(tensor.size);
  row.missing += bytes(tensor.size - tensor.there);
}

}  // namespace orrery
