// MLT: tensors of which a bounded part may be missing. H. Wang et al., "Towards Domain-Specific
// Network Transport for Distributed DNN Training", NSDI 2024. docs/models/mlt.md.
//
// A message is a tensor, cut into packets that are placed by their offset. Nothing acknowledges
// them. The receiver counts bytes and says STOP when enough are there; a sender that has sent all
// and heard no STOP asks (PROBE), is told which packets are there (a bitmap), and sends again what
// is still needed. STOP, PROBE and bitmaps go on a side channel that repeats what is lost.
//
// Events: those of the fabric; one for each tensor's timer at its sender, and one for each STOP
// that is not confirmed; one for each packet of a flow whose rate is below its line.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "network/mlt/delay_rate.h"
#include "network/packet/acknowledgements.h"
#include "network/packet/flow_paths.h"
#include "network/packet/nic_port.h"
#include "network/packet/packet_fabric.h"
#include "network/packet/packet_transport.h"
#include "network/packet_statistics.h"
#include "network/transport/packet_ledger.h"
#include "network/transport/reorder_meter.h"

namespace orrery {

class MltTransport final : public PacketTransport,
                           private PacketOwner,
                           private RouteListener,
                           private EventHandler {
 public:
  MltTransport(const TransportParts& parts, const SwitchSpec& switches);

  void send(NodeId from, NodeId to, MessageSlot message, Bytes size, std::uint8_t label,
            TrafficClass traffic_class) override {
    send_part(from, to, message, size, label, traffic_class, {});
  }
  void send_part(NodeId from, NodeId to, MessageSlot message, Bytes size, std::uint8_t label,
                 TrafficClass traffic_class, const TensorPart& part) override;
  bool acknowledges() const override { return true; }
  PacketStatistics statistics() const override;
  std::string unfinished() const override;
  void watch_links(ByteBins& bins) override { fabric_.watch_links(bins); }

 private:
  using TensorId = std::uint64_t;
  enum class PacketKind : std::uint8_t { data, report, stop, stop_confirmed, probe, bitmap };
  enum class Happens : std::uint64_t { tensor_timer, stop_timer, pace };
  static constexpr std::uint32_t no_bitmap = 0xffff'ffff;

  struct Carried {  // by a packet of the fabric
    PacketKind kind = PacketKind::data;
    bool tells_left = false;
    bool again = false;
    std::uint32_t flow = 0;
    std::uint32_t bitmap = no_bitmap;
    std::uint32_t probe = 0;  // of a probe, and of the bitmaps that answer it
    TensorId tensor = 0;
    PacketNumber number = 0;    // of data; of a bitmap: the first packet that it tells of
    std::uint64_t sending = 0;  // of data: counts what its flow sent
    Time sent_at{};             // of data, and echoed
    Bandwidth delivered{};      // of a report: since the one before
  };

  // Between two NPUs, of one class of layers.
  struct Flow {
    Flow(NodeId source, NodeId target, std::uint8_t of, const MltRateSpec& control)
        : from(source), to(target), priority(of), rate(control, {}, {}) {}

    const NodeId from, to;
    const std::uint8_t priority;
    PathChoice forward, backward;
    bool is_ready = false;  // in a list of NicPort, of the link of `path`
    std::uint32_t next_ready = 0;
    PathIndex path = 0;
    std::deque<TensorId> sending;  // tensors with packets to send
    DelayRate rate;
    Time may_send_at;
    bool pace_comes = false;
    std::uint64_t transmissions = 0;
    // --- The receiver's ---
    ReorderMeter order;
    std::int32_t unreported = 0;
    Duration report_after;  // an idle round trip
    Time reported_at;
  };

  struct Tensor {
    std::uint32_t flow = 0;
    MessageSlot slot = 0;
    std::uint8_t label = 0;
    TensorPart part;
    std::int64_t size = 0, enough = 0;  // bytes
    std::uint64_t packets = 0;
    // --- The sender's ---
    PacketLedger ledger;
    bool is_queued = false, last_sent = false, left = false;
    bool stopped = false, acknowledged = false;
    bool waits_for_answer = false, timer_comes = false;
    Time timer_at, event_at;
    std::uint32_t probes = 0;
    std::int32_t unanswered = 0;
    std::int64_t needed = 0;  // bytes to send again, of what the last answer told
    // --- The receiver's ---
    ArrivalMap arrivals;
    std::int64_t there = 0;  // bytes
    bool delivered = false, confirmed = false;
    std::int32_t stops = 0;
  };

  struct Bitmap {  // on its way
    std::vector<bool> there;
    std::int64_t bytes_there = 0;  // of the whole tensor
  };

  std::uint32_t flow_between(NodeId from, NodeId to, std::uint8_t priority);
  void choose_paths(Flow& flow);
  Duration idle_round_trip(const Flow& flow);
  Bandwidth line_of(const PathChoice& choice) const;
  std::uint8_t priority_of(const TensorPart& part) const;
  std::int64_t enough_of(std::int64_t size, TensorWay way) const;
  Tensor* find(TensorId id);
  std::int64_t payload_of(const Tensor& tensor, PacketNumber number) const;
  bool is_droppable(TensorId id, const Tensor& tensor, PacketNumber number) const;

  // --- The sender: mlt_sender.cc ---
  void queue(TensorId id, Tensor& tensor);
  void update(std::uint32_t index);
  bool may_send(std::uint32_t index);
  TensorId next_of(Flow& flow);
  void transmit(std::uint32_t index);
  void set_timer(TensorId id, Tensor& tensor, Duration after);
  void tensor_timer(TensorId id);
  void take_stop(const Carried& carried);
  void take_bitmap(const Carried& carried);
  void send_again(Tensor& tensor, PacketNumber first, const Bitmap& bitmap, TensorId id);
  void close(TensorId id, Tensor& tensor);
  [[noreturn]] void end_run(const Flow& flow, std::int32_t timeouts);

  // --- The receiver ---
  void take_data(const Carried& carried);
  void report(const Carried& carried);
  void deliver(TensorId id, Tensor& tensor);
  void send_stop(TensorId id, const Tensor& tensor);
  void stop_timer(TensorId id);
  void take_confirmation(const Carried& carried);
  void take_probe(const Carried& carried);
  bool may_lose_some(const Tensor& tensor) const { return tensor.enough < tensor.size; }
  MissingData& row_of(const TensorPart& part);
  void note_delivery(const Tensor& tensor);
  void erase_if_done(TensorId id, const Tensor& tensor);

  void send_control(const Carried& what, bool forward, Bytes wire);
  std::uint32_t keep_bitmap(Bitmap bitmap);
  void drop_bitmap(std::uint32_t index);

  // --- PacketOwner ---
  void packet_arrived(PacketIndex packet, bool marked) override;
  void packet_lost(PacketIndex packet) override;
  void packet_left(PacketIndex packet) override;
  bool pull(LinkIndex link) override;

  // --- RouteListener ---
  void links_changed(std::span<const LinkIndex> links) override;
  void routes_changed() override;

  void on_event(std::uint64_t argument) override;
  void schedule(Time when, Happens what, std::uint64_t which);
  void keep(PacketIndex packet, const Carried& what);

  EventQueue& queue_;
  const Topology& topology_;
  PacketTransport::Listener& listener_;
  const MltSpec spec_;
  const std::int64_t payload_;
  const Duration rto_;
  const std::int32_t retries_;
  const std::uint64_t seed_;
  EventQueue::HandlerId handler_;
  PacketFabric fabric_;
  FlowPaths paths_;
  std::vector<std::unique_ptr<Flow>> flows_;
  std::map<std::tuple<std::int32_t, std::int32_t, std::uint8_t>, std::uint32_t> flow_of_;
  std::map<TensorId, Tensor> tensors_;  // that an end has not finished with
  TensorId next_tensor_ = 0;
  std::vector<std::unique_ptr<NicPort>> ports_;  // by link; null: no flow sends over it
  std::vector<Bitmap> bitmaps_;
  std::vector<std::uint32_t> free_bitmaps_;
  std::vector<Carried> carried_;                                          // by PacketIndex
  std::map<std::pair<std::uint8_t, std::int16_t>, MissingData> missing_;  // by iteration, layer
  PacketStatistics counters_;
};

}  // namespace orrery
