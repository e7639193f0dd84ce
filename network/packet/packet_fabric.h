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

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/event/event_queue.h"
#include "network/packet/peak_series.h"
#include "network/packet/red_queue.h"
#include "network/packet/switch_memory.h"
#include "network/packet_statistics.h"
#include "network/switch_spec.h"
#include "network/topology/topology.h"

namespace orrery {

class ByteBins;

// Numbers of packets on their way; free again when packet_arrived() or packet_lost() returns.
using PacketIndex = std::uint32_t;
using PathIndex = std::uint32_t;

class PacketOwner {
 public:
  // At the end of its path. `marked`: a queue on the way was congested (ECN).
  virtual void packet_arrived(PacketIndex packet, bool marked) = 0;
  virtual void packet_lost(PacketIndex packet) = 0;
  // Its last bit has left the node it started from. Only if it was asked for.
  virtual void packet_left(PacketIndex packet) = 0;
  // Its first bit goes onto a link. Only if report_starts() was called for the link.
  virtual void packet_starts(PacketIndex, LinkIndex, [[maybe_unused]] bool marked) {}

 protected:
  ~PacketOwner() = default;
};

struct PacketToSend {
  PathIndex path = 0;
  std::uint32_t wire_bytes = 0;  // with all headers and gaps
  bool can_be_marked = false;
  bool tell_when_left = false;
  std::uint8_t kind = 0;  // row of waits()
};

class PacketFabric final : private EventHandler {
 public:
  // `buffers`: of the switches of each level, where it differs from spec.buffer.
  // REQUIRES: queue, topology and owner outlive the fabric.
  PacketFabric(EventQueue& queue, const Topology& topology, const SwitchSpec& spec,
               std::span<const std::optional<Bytes>> buffers, std::uint64_t seed,
               PacketOwner& owner);

  // REQUIRES: consecutive links, at least one.
  PathIndex add_path(std::span<const LinkIndex> links);

  // A packet is allocated, then sent; it may be lost before send() returns.
  PacketIndex allocate();
  void send(PacketIndex packet, const PacketToSend& to_send);

  // From now on every byte on a link is also added to `bins`, a row for each link.
  void watch_links(ByteBins& bins) { watched_ = &bins; }

  // What the link carries from now on; 0: it is down, and what comes to it is lost.
  void set_bandwidth(LinkIndex link, Bandwidth bandwidth);

  void report_starts(LinkIndex link) { ports_[link].reports_starts = true; }

  // By PacketToSend::kind; as long as the largest that was sent needs.
  std::span<const PacketWaits> waits() const { return waits_; }

  // Sums of what the fabric counts; transports add their own.
  PacketStatistics statistics() const;
  std::uint64_t lost_on(LinkIndex link) const { return ports_[link].drops; }

 private:
  static constexpr std::uint32_t none = 0xffff'ffff;

  struct Packet {
    std::uint32_t cursor = 0;  // into path_links_: the link it is on, or waits for
    std::uint32_t wire_bytes = 0;
    std::uint32_t next = none;  // in the queue; or of the free packets
    bool can_be_marked = false, marked = false, tell_when_left = false;
    std::uint8_t kind = 0;
    Time queued_at;
  };

  struct Port {    // of one directed link
    Time free_at;  // end of the packet being sent
    Bandwidth bandwidth;
    Duration latency;
    std::uint32_t last_size = 0;  // transfer_time() is a 128-bit division, and sizes repeat
    Duration last_duration;
    PacketIndex first = none, last = none;  // that wait
    std::int32_t memory = -1;               // of its switch; -1: without limit
    std::int32_t depth = -1;                // of depths_, if it is watched
    bool wake_comes = false, reports_starts = false;
    RedQueue red;
    Bytes waiting, most_waiting, sent;
    std::uint64_t packets = 0, drops = 0, marks = 0;
  };

  void on_event(std::uint64_t argument) override;
  void arrive(PacketIndex packet);
  void enter(PacketIndex packet);  // the port of the link that its cursor points to
  bool may_enter(Packet& packet, Port& port, bool idle);
  bool picked_by_red(const Packet& packet, Port& port, bool idle);
  void start(PacketIndex packet, Port& port);
  bool starts_path(std::uint32_t cursor) const;
  void start_next(LinkIndex link);
  PacketIndex take_first(Port& port);
  void note_wait(const Packet& packet, const Port& port);
  void lose(PacketIndex packet, Port& port);
  void release(PacketIndex packet);
  Duration duration_of(Port& port, std::uint32_t wire_bytes);

  EventQueue& queue_;
  SwitchSpec spec_;
  PacketOwner& owner_;
  RandomStream random_;
  EventQueue::HandlerId handler_;
  std::vector<Port> ports_;      // as Topology::links()
  ByteBins* watched_ = nullptr;  // watch_links()
  std::vector<SwitchMemory> memories_;
  std::vector<PeakSeries> depths_;         // as SwitchSpec::watched
  std::vector<std::uint32_t> path_links_;  // of all paths, each ended by `none`
  std::vector<Packet> packets_;
  std::vector<PacketWaits> waits_;
  PacketIndex first_free_ = none;
  std::uint64_t sent_ = 0, hops_ = 0;
};

}  // namespace orrery
