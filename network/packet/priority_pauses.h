// Priority flow control (IEEE 802.1Qbb): what lossless classes hold in the memory of switches by
// the link that it came from, when that link's sender is told to pause and to go on, and which
// classes of a link are paused. Knows no queues; the fabric carries the frames.
//
// A packet goes into the reserve of its link and class, else into the shared part while the class
// of its link holds less there than alpha * (shared - used), else into the headroom, else it is
// lost. What leaves frees the headroom first, then the shared part.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/event/event_queue.h"
#include "network/packet/switch_memory.h"
#include "network/packet_statistics.h"
#include "network/switch_spec.h"
#include "network/topology/topology.h"

namespace orrery {

using ClassIndex = std::uint8_t;  // of the classes of a fabric, by ascending priority

// The class of a link, `paused` or not.
struct PauseFrame {
  ClassIndex of = 0;
  bool pause = false;
};

class PauseWire {
 public:
  // Puts a frame on the link, before everything that waits there.
  virtual void send_frame(LinkIndex over, PauseFrame frame) = 0;
  virtual void pause_changed(LinkIndex link, ClassIndex of, bool paused) = 0;
  // Of a class that waits longer than PfcSpec::watchdog.
  virtual void watchdog_barks(LinkIndex link, ClassIndex of) = 0;

 protected:
  ~PauseWire() = default;
};

class PriorityPauses final : private EventHandler {
 public:
  // REQUIRES: all outlive this.
  PriorityPauses(EventQueue& queue, const Topology& topology, const SwitchSpec& spec,
                 std::span<const PacketClass> classes, PauseWire& wire);

  // What a switch must set aside for the packets that come over this link.
  Bytes set_aside(LinkIndex in) const;

  // A packet of a lossless class that came over `in` is to wait in `memory`. False: it is lost.
  bool admit(LinkIndex in, ClassIndex of, Bytes size, SwitchMemory& memory);
  void release(LinkIndex in, ClassIndex of, Bytes size, SwitchMemory& memory);

  // Has what admit() and release() need brought into the cache.
  void fetch(LinkIndex in, ClassIndex of) const {
    __builtin_prefetch(&receivers_[place(in, of)], 1);
  }

  void frame_arrived(LinkIndex over, PauseFrame frame);

  // Of a link's sender.
  bool paused(LinkIndex link, ClassIndex of) const { return sender(link, of).paused; }
  // The class of the link is not paused any more, and will not be again during this pause.
  void ignore_pause(LinkIndex link, ClassIndex of);

  std::vector<PauseStatistics> statistics() const;

 private:
  // The end of a link that holds packets: what each of them needs, and the rest.
  struct alignas(32) Receiver {
    Bytes reserve, shared, headroom;
    bool paused = false;
  };
  struct ReceiverRest {
    Bytes headroom_size;
    bool refresh_comes = false;
    Time told_at;
  };
  struct Sender {
    bool paused = false, check_comes = false, ignored = false;
    Time since, until;
    Duration total;
    std::uint64_t count = 0;
  };
  enum class Happens : std::uint64_t { frame_acts, refresh, check };

  std::size_t place(LinkIndex link, ClassIndex of) const { return opposite_.size() * of + link; }
  LinkIndex link_at(std::size_t place) const {
    return static_cast<LinkIndex>(place % opposite_.size());
  }
  ClassIndex class_at(std::size_t place) const {
    return static_cast<ClassIndex>(place / opposite_.size());
  }
  const Sender& sender(LinkIndex link, ClassIndex of) const { return senders_[place(link, of)]; }

  void on_event(std::uint64_t argument) override;
  void schedule(Time when, Happens what, std::size_t place, bool pause = false);
  bool above(const Receiver& receiver, ClassIndex of, Bytes more, const SwitchMemory& memory) const;
  void tell(std::size_t place, bool pause);
  Duration half_pause(LinkIndex link) const;
  void refresh(std::size_t place);
  void act(std::size_t place, bool pause);
  void check(std::size_t place);
  void end_pause(std::size_t place);

  EventQueue& queue_;
  const Topology& topology_;
  SwitchSpec spec_;
  std::vector<PacketClass> classes_;
  PauseWire& wire_;
  EventQueue::HandlerId handler_;
  std::vector<LinkIndex> opposite_;  // of each link; `none` where there is none
  // By class and link: few classes are lossless.
  std::vector<Receiver> receivers_;
  std::vector<ReceiverRest> receiver_rests_;
  std::vector<Sender> senders_;
};

}  // namespace orrery
