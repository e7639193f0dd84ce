// Packets on links and in the queues of switches: who passes, who waits, who is lost. Knows no
// transport and no contents. docs/models/packet-fabric.md.
//
// A link carries one packet at a time, and a node passes a packet on when it has all of it (store
// and forward). What cannot leave at once waits at its output port, first come, first served. NPUs
// have room for all that waits; the ports of a switch share its memory, and a packet that finds no
// room is lost.
//
// One event for each link a packet crosses, and one more if it waited there.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/event/event_queue.h"
#include "network/packet/count_series.h"
#include "network/packet/depth_histogram.h"
#include "network/packet/hop_telemetry.h"
#include "network/packet/output_queue.h"
#include "network/packet/peak_series.h"
#include "network/packet/priority_pauses.h"
#include "network/packet/switch_memory.h"
#include "network/packet_statistics.h"
#include "network/switch_spec.h"
#include "network/topology/topology.h"

namespace orrery {

class ByteBins;
class SwitchRoutes;

using PathIndex = std::uint32_t;
using RouteIndex = std::uint32_t;  // of SwitchRoutes

// What is left of a packet that is trimmed: the smallest frame of Ethernet, with preamble and gap.
inline constexpr Bytes trimmed_bytes = bytes(84);

// A class of a link that is paused for long, and why.
struct LastingPause {
  struct Hold {
    LinkIndex link;
    Bytes waiting;
  };
  std::int32_t priority = 0;
  Duration time;
  // Each waits for the next one: closed to a cycle, a deadlock; else a storm. Then the last one is
  // that which is slow, and not paused itself.
  std::vector<Hold> chain;
  bool cycle = false;
  NodeId root = {};  // of a storm: to where the last one leads
};

class PacketOwner {
 public:
  // At the end of its path. `marked`: a queue on the way was congested (ECN).
  virtual void packet_arrived(PacketIndex packet, bool marked) = 0;
  virtual void packet_lost(PacketIndex packet) = 0;
  // Its last bit has left the node it started from. Only if it was asked for.
  virtual void packet_left(PacketIndex packet) = 0;
  // Its first bit goes onto a link. Only if report_starts() was called for the link.
  virtual void packet_starts(PacketIndex, LinkIndex, [[maybe_unused]] bool marked) {}
  // A link of which pull_from() was called is free, and nothing waits before it: may send() one
  // packet over it. False: there is none, until offer().
  virtual bool pull(LinkIndex) { return false; }
  // A lossless class of a link has been paused for longer than PfcSpec::watchdog; `cycle`: by the
  // links that wait for each other, in order, or empty. Throws, or returns: the pause is ignored.
  virtual void pause_lasts(const LastingPause&) {}

 protected:
  ~PacketOwner() = default;
};

struct PacketToSend {
  PathIndex path = 0;
  std::uint32_t wire_bytes = 0;  // with all headers and gaps
  bool can_be_marked = false;
  bool tell_when_left = false;
  std::uint8_t kind = 0;      // row of waits()
  std::uint8_t priority = 0;  // of SwitchSpec::classes
  bool takes_telemetry = false;
  bool can_be_trimmed = false;
  // Of a class with a ramp: lost where one that can be marked is marked.
  bool can_be_dropped_early = false;
  std::uint32_t flow = 0;  // on a path where switches choose: what their hashes see
  std::uint64_t rank = 0;  // of classes with least_first
};

class PacketFabric final : private EventHandler, private PauseWire {
 public:
  // `buffers`: of the switches of each level, where it differs from spec.buffer.
  // REQUIRES: queue, topology and owner outlive the fabric.
  PacketFabric(EventQueue& queue, const Topology& topology, const SwitchSpec& spec,
               std::span<const std::optional<Bytes>> buffers, std::uint64_t seed,
               PacketOwner& owner);

  // REQUIRES: consecutive links, at least one.
  PathIndex add_path(std::span<const LinkIndex> links);
  // Behind these links switches choose, packet by packet. REQUIRES: choose_by() was called.
  PathIndex add_path(std::span<const LinkIndex> links, RouteIndex route);
  // One link; behind it switches choose, by the route that the packet has. REQUIRES: as above.
  PathIndex add_open_path(LinkIndex link);
  void choose_by(SwitchRoutes& routes);
  // The last links of a path, with what a slow receiver has behind them.
  std::vector<LinkIndex> ended(std::span<const LinkIndex> links);
  // How much of its memory the NIC of a slow receiver has in use for packets of this priority, from
  // 0 to 1; 0 of a receiver that is not slow.
  double fill_of_host(NodeId npu, std::uint8_t priority) const;
  // How long a link takes to send what waits before it, and the rest of what it is sending.
  Duration backlog(LinkIndex link) const;
  void fetch_backlog(LinkIndex link) const { __builtin_prefetch(&ports_[link], 1); }
  bool is_down(LinkIndex link) const { return ports_[link].is_down; }

  // Of links, and of what a slow receiver has in their place.
  std::string name_of(LinkIndex link) const;
  LinkIndex first_link(PathIndex path) const { return path_links_[path]; }

  // A packet is allocated, then sent; it may be lost before send() returns.
  PacketIndex allocate();
  void send(PacketIndex packet, const PacketToSend& to_send);
  // Of a packet that takes telemetry, by hop; until packet_arrived() or packet_lost() returns.
  std::span<const HopTelemetry> telemetry(PacketIndex packet) const { return telemetry_[packet]; }

  // Only the header of it is left; until packet_arrived() or packet_lost() returns. It was lost
  // before the link that leaves this node.
  bool trimmed(PacketIndex packet) const { return packets_[packet].trimmed; }
  NodeId lost_at(PacketIndex packet) const {
    return start_of(path_links_[packets_[packet].cursor]);
  }

  // --- Packets that their owner keeps until the link is free for them ---

  void pull_from(LinkIndex link) { ports_[link].pulls = true; }
  void offer(LinkIndex link);  // there is something to pull
  bool paused(LinkIndex link, std::uint8_t priority) const {
    return (ports_[link].paused >> class_of_[priority] & 1) != 0;
  }

  // From now on every byte on a link is also added to `bins`, a row for each link.
  void watch_links(ByteBins& bins) { watched_ = &bins; }

  // What the link carries from now on; 0: it is down, and what comes to it is lost.
  void set_bandwidth(LinkIndex link, Bandwidth bandwidth);

  void report_starts(LinkIndex link) { ports_[link].reports_starts = true; }

  // By PacketToSend::kind; as long as the largest that was sent needs.
  std::span<const PacketWaits> waits() const { return waits_; }

  // Sums of what the fabric counts; transports add their own.
  PacketStatistics statistics() const;
  std::uint64_t lost_on(LinkIndex link) const { return sum_of(drops_before(link)); }

  // Packets that wait before links; when nothing is left to happen, for ever.
  std::uint64_t waiting_packets() const;
  // Paused links that wait for each other, if there are some now.
  std::optional<LastingPause> deadlock() const;

 private:
  static constexpr std::uint32_t none = no_packet;
  // In place of a link, behind the last one that is known.
  static constexpr std::uint32_t chosen_later = none - 1;

  struct alignas(32) Packet {
    std::uint32_t cursor = 0;  // into path_links_: the link it is on, or waits for
    std::uint32_t wire_bytes = 0;
    std::uint32_t next = none;  // in the queue; or of the free packets
    bool can_be_marked : 1 = false;
    bool marked : 1 = false;
    bool tell_when_left : 1 = false;
    bool takes_telemetry : 1 = false;
    bool is_frame : 1 = false;  // of PFC
    bool pauses : 1 = false;    // frames only
    bool can_be_trimmed : 1 = false;
    bool trimmed : 1 = false;
    bool can_be_dropped_early : 1 = false;
    std::uint8_t kind = 0;
    ClassIndex of = 0;
    LinkIndex over = none;  // that it came over
    RouteIndex route = 0;   // where switches choose
    Time queued_at;
  };
  static_assert(sizeof(Packet) == 32);

  // Of one directed link: a cache line with what every packet needs.
  struct alignas(64) Port {
    Time free_at;  // end of the packet being sent
    Duration latency;
    Bytes sent, waiting, most_waiting;
    std::uint64_t packets = 0;
    std::uint32_t byte_time = 0;  // ps; 0: not a whole number of them
    std::int32_t memory = -1;     // of its switch; -1: without limit
    // A bit for each queue: with packets; of paused classes. The highest bit is that of frames.
    std::uint16_t occupied = 0, paused = 0;
    bool is_down : 1 = false, wake_comes : 1 = false, reports_starts : 1 = false;
    bool pulls : 1 = false, lossy : 1 = false, watched : 1 = false;
    bool is_host : 1 = false;  // of a slow receiver, which no link leads out of
    std::uint8_t turn = 0;     // dwrr
  };
  static_assert(sizeof(Port) == 64);

  struct PortRest {  // what few packets need
    Bandwidth bandwidth;
    std::uint32_t last_size = 0;  // transfer_time() is a 128-bit division, and sizes repeat
    std::uint32_t depth = 0;      // of depths_, if it is watched
    Duration last_duration;
  };

  // A slow receiver: a port without a link, which its packets leave as fast as the host takes them.
  struct Host {
    NodeId npu;
    LinkIndex port;
    std::vector<LinkIndex> entries;  // links that its packets come over
  };

  void make_classes();
  void make_ports(const Topology& topology, std::span<const std::optional<Bytes>> buffers);
  void make_pauses(const Topology& topology);
  void make_hosts();
  void note_entry(Host& host, LinkIndex link);
  bool loses(LinkIndex link);

  void on_event(std::uint64_t argument) override;
  void arrive(PacketIndex packet);
  void enter_chosen(PacketIndex packet);
  void note_flow(PacketIndex packet, const PacketToSend& to_send);
  void measure(PacketIndex packet, LinkIndex link);
  void end_measure(PacketIndex packet);
  void enter(PacketIndex packet, LinkIndex link);  // that its cursor points to
  std::optional<DropCause> cause_to_drop(Packet& packet, Port& port, OutputQueue& queue, bool idle);
  bool finds_room(const Packet& packet, Port& port, const OutputQueue& queue);
  double own_buffer(const Port& port, unsigned of) const;  // bytes
  bool fits_own_buffer(const Packet& packet, const Port& port, const OutputQueue& queue) const;
  bool trims(const Packet& packet) const {
    return packet.can_be_trimmed && (trims_ >> packet.of & 1) != 0;
  }
  void wait(PacketIndex packet, LinkIndex link, Port& port, unsigned number);
  void enter_trimmed(PacketIndex packet, LinkIndex link, Port& port);
  bool picked_by_red(const Packet& packet, Port& port, OutputQueue& queue, bool idle);
  void mark_by_ramp(Packet& packet, Port& port, OutputQueue& queue);
  bool dropped_by_ramp(const Packet& packet, Port& port, OutputQueue& queue);
  bool is_picked(const EcnRamp& ramp, Bytes waiting, const Port& port, const OutputQueue& queue);
  void mark(Packet& packet, Port& port, OutputQueue& queue);
  void start(PacketIndex packet, Port& port);
  void note_telemetry(PacketIndex index, const Port& port, LinkIndex link);
  void start_next(LinkIndex link);
  void pull(LinkIndex link, Port& port);
  void wake_when_free(LinkIndex link, Port& port);  // REQUIRES: no wake comes
  unsigned next_queue(Port& port, LinkIndex link);
  unsigned header_or_other(Port& port, unsigned ready);
  unsigned next_by_deficit(Port& port, LinkIndex link, unsigned ready);
  PacketIndex take_first(Port& port, LinkIndex link, unsigned of);
  PacketIndex take_head(Port& port, LinkIndex link, unsigned of);
  void note_rank(PacketIndex packet, const PacketToSend& to_send);
  void move_to_front(OutputQueue& queue, PacketIndex before, PacketIndex packet);
  void bring_least(OutputQueue& queue);
  bool has_more_than(OutputQueue& queue, PacketIndex packet);
  bool make_room(PacketIndex packet, LinkIndex link, Port& port, unsigned of);
  void note_wait(const Packet& packet, const Port& port);
  void note_depth(Port& port, const OutputQueue& queue, unsigned of);
  void lose(PacketIndex index, LinkIndex link, DropCause cause);
  DropCounts drops_before(LinkIndex link) const;  // of all queues of the port
  std::uint64_t marks_before(LinkIndex link) const;
  void release(PacketIndex packet);
  Duration duration_of(Port& port, std::uint32_t wire_bytes);
  std::size_t place_of(LinkIndex link, unsigned of) const { return ports_.size() * of + link; }
  OutputQueue& queue_of(LinkIndex link, unsigned of) { return queues_[place_of(link, of)]; }
  const OutputQueue& queue_of(LinkIndex link, unsigned of) const {
    return queues_[place_of(link, of)];
  }
  OutputQueueRest& rest_of(const OutputQueue& queue) {
    return queue_rests_[static_cast<std::size_t>(&queue - queues_.data())];
  }
  PortRest& rest_of(const Port& port) {
    return rests_[static_cast<std::size_t>(&port - ports_.data())];
  }
  const PortRest& rest_of(const Port& port) const {
    return rests_[static_cast<std::size_t>(&port - ports_.data())];
  }
  void set_rate(LinkIndex link, Bandwidth bandwidth);
  // With more than about a hundred hosts ports and queues are in no near cache: asks for all that a
  // packet may need at once, instead of waiting for one after the other.
  void fetch(const Packet& packet, LinkIndex next) const {
    __builtin_prefetch(&ports_[next], 1);
    __builtin_prefetch(&queues_[place_of(next, packet.of)], 1);
    if (pauses_ != nullptr) pauses_->fetch(packet.over, packet.of);
  }
  bool is_lossless(const Packet& packet, const Port& port) const;

  // --- PauseWire ---
  void send_frame(LinkIndex over, PauseFrame frame) override;
  void pause_changed(LinkIndex link, ClassIndex of, bool paused) override;
  void watchdog_barks(LinkIndex link, ClassIndex of) override;
  std::vector<LinkIndex> waits_for(LinkIndex link, ClassIndex of) const;
  bool find_cycle(std::vector<LinkIndex>& chain, std::vector<bool>& seen, ClassIndex of) const;
  LinkIndex holds_most_of(LinkIndex link, ClassIndex of) const;
  NodeId end_of(LinkIndex link) const;
  NodeId start_of(LinkIndex link) const;
  void add_class_statistics(PacketStatistics& statistics) const;
  void add_depths(PacketStatistics& statistics) const;

  EventQueue& queue_;
  const Topology& topology_;
  SwitchSpec spec_;
  PacketOwner& owner_;
  RandomStream random_;
  EventQueue::HandlerId handler_;
  std::vector<PacketClass> classes_;                       // by ClassIndex; at least one
  std::array<ClassIndex, PacketClass::count> class_of_{};  // by priority
  // A bit for each class.
  std::uint16_t lossless_ = 0, marks_entering_ = 0, marks_leaving_ = 0;
  std::uint16_t own_buffer_ = 0, trims_ = 0, least_first_ = 0;
  unsigned header_class_ = 0;    // of trimmed packets, if a class trims
  unsigned queue_count_ = 1;     // of a port: classes and frames
  unsigned usual_ = 0;           // the class that most packets are of: a guess
  bool base_queue_ = true;       // class 0 is SwitchSpec::queue
  std::vector<Port> ports_;      // as Topology::links(), then of hosts
  std::vector<PortRest> rests_;  // as ports_
  std::size_t link_count_ = 0;   // of Topology::links()
  std::vector<Host> hosts_;      // as SwitchSpec::slow
  // By class, and then of frames, by link: most packets are of one class.
  std::vector<OutputQueue> queues_;
  std::vector<OutputQueueRest> queue_rests_;
  ByteBins* watched_ = nullptr;  // watch_links()
  std::vector<SwitchMemory> memories_;
  std::unique_ptr<PriorityPauses> pauses_;   // if a class is lossless
  std::vector<PathIndex> frame_paths_;       // by link; `none`: none was sent
  std::vector<PeakSeries> depths_;           // as SwitchSpec::watched
  std::vector<CountSeries> losses_, marks_;  // as these
  std::vector<DepthHistogram> histograms_;   // of these, by class, and then of all classes
  std::vector<PauseEvent> pause_events_;
  // Of all paths, each ended by `none`, or by `chosen_later` and the CoreNode that chooses. Before
  // the first link of a path that ends so there may be the route.
  std::vector<std::uint32_t> path_links_;
  SwitchRoutes* routes_ = nullptr;
  bool measures_ = false, sees_flows_ = false;  // as those of SwitchRoutes
  std::vector<std::uint64_t> flows_;            // SwitchRoutes::seen_of(), by PacketIndex
  struct Rank {
    std::uint64_t rank = 0;
    std::uint32_t flow = 0;
  };
  std::vector<Packet> packets_;
  std::vector<Rank> ranks_;                           // by PacketIndex, if a class is least_first
  std::vector<std::vector<HopTelemetry>> telemetry_;  // by PacketIndex
  std::vector<PacketWaits> waits_;
  PacketIndex first_free_ = none;
  std::uint64_t sent_ = 0, hops_ = 0, trimmed_ = 0;
};

}  // namespace orrery
