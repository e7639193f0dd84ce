// The common part of the backends that store messages at every node: segments, their routes, links
// that carry one segment at a time, and reports to the senders. A backend decides when a segment
// may begin on its next link.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "core/event/event_queue.h"
#include "network/network_backend.h"
#include "network/network_spec.h"
#include "network/routing/router.h"
#include "network/traffic_counters.h"
#include "network/transfer_memo.h"

namespace orrery {

class StoreAndForward : public NetworkBackend, private EventHandler, private RouteListener {
 public:
  Time send(const Message& message, MessageListener& listener) final;
  NetworkStatistics statistics() const final;
  void watch_links(ByteBins& bins) final { watched_ = &bins; }
  std::span<const std::string> unused_settings() const final { return unused_settings_; }

 protected:
  using SegmentNumber = std::uint32_t;  // index into segments_

  struct LinkState {  // of the sending end
    Time free;        // of what has a time already
    Duration busy;
    TransferMemo transfer;
  };
  struct Segment {
    std::uint32_t flight = 0;
    Bytes size;
    std::uint64_t number = 0;  // tells its path from others between the same two
    std::size_t hop = 0;       // of the path, that it is on or waits for
    bool sent = false;         // has a time to leave its source
    std::vector<LinkIndex> path;
  };

  // Messages are cut into pieces of `segment`; without one they stay whole. `honoured`: the groups
  // of settings, as settings_outside() has them.
  StoreAndForward(EventQueue& queue, const Topology& topology, const NetworkSpec& network,
                  std::optional<Bytes> segment, std::initializer_list<SettingGroup> honoured);

  // The segment wants its next link, segment.path[segment.hop], which is up. Returns when its last
  // byte will be on it, if that is known now.
  virtual std::optional<Time> join(SegmentNumber number) = 0;
  // The segment has crossed segment.path[segment.hop], and goes on or is where it has to be.
  virtual void reached_node(SegmentNumber) {}
  // The segment, which had crossed segment.path[segment.hop - 1], is where it was no more: its node
  // failed. It begins again at its source.
  virtual void lost(SegmentNumber) {}
  // An event of schedule_own().
  virtual void on_own_event(std::uint32_t step, std::uint32_t number);

  // Puts the segment on its link from `begin` on. Returns when its last byte will be on it.
  Time put_on_link(SegmentNumber number, Time begin);
  // At its next link, or, if that went down before the segment was put on it, on another way.
  std::optional<Time> enter(SegmentNumber number);

  LinkIndex next_link(const Segment& segment) const { return segment.path[segment.hop]; }
  bool at_target(const Segment& segment) const {  // once it has crossed segment.path[segment.hop]
    return segment.hop + 1 == segment.path.size();
  }
  void schedule_own(Time when, std::uint32_t step, std::uint32_t number) {
    schedule(when, own_steps + step, number);
  }

  // The index of an element that is free; `free` lists those that were given back.
  template <class Slots>
  static std::uint32_t take(Slots& slots, std::vector<std::uint32_t>& free) {
    if (free.empty()) {
      free.push_back(static_cast<std::uint32_t>(slots.size()));
      slots.emplace_back();
    }
    const std::uint32_t slot = free.back();
    free.pop_back();
    return slot;
  }

  EventQueue& queue_;
  const Topology& topology_;
  Router router_;
  std::vector<LinkState> links_;
  std::vector<Segment> segments_;

 private:
  enum Step : std::uint32_t { arrive_step, leave_step, own_steps };  // above a number
  static constexpr int number_bits = 40;

  struct Flight {  // a message on its way
    Message message;
    MessageListener* listener = nullptr;
    std::int64_t to_arrive = 0;  // segments
    std::int64_t to_leave = 0;   // segments that have not left the source, unless send() knew
    std::uint64_t levels = 0;    // crossed, a bit for each
  };

  static std::int64_t segment_count(Bytes whole, Bytes piece);
  void on_event(std::uint64_t argument) override;
  void links_changed(std::span<const LinkIndex>) override { retry(); }
  void routes_changed() override { retry(); }
  void retry();
  void schedule(Time when, std::uint32_t step, std::uint32_t number) {
    queue_.schedule_at(when, handler_, std::uint64_t{step} << number_bits | number);
  }
  NodeId place_of(const Segment& segment) const {
    return segment.hop == 0 ? flights_[segment.flight].message.source
                            : topology_.links()[segment.path[segment.hop - 1]].to;
  }
  bool find_path(SegmentNumber number);
  void arrive(SegmentNumber number);
  void leave(std::uint32_t slot);

  const std::optional<Bytes> segment_;
  TrafficCounters counters_;
  ByteBins* watched_ = nullptr;  // watch_links()
  std::vector<std::string> unused_settings_;
  EventQueue::HandlerId handler_;
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> free_flights_, free_segments_;
  std::vector<SegmentNumber> waiting_;  // segments without a way on
};

}  // namespace orrery
