// The networks of ASTRA-sim's analytical backends, and its matching of sends and receives.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "core/event/event_queue.h"
#include "formats/astra/emulation.h"

namespace orrery::astra {

using Action = std::function<void()>;

class Network {
 public:
  Network(EventQueue& queue, const EmulatedJob& job, const Rules& rules);

  // What has the same ends, tag and size meets in the order of the calls. `sent` may be empty; it
  // is called when the message is there.
  void send(std::int32_t source, std::int32_t target, std::int64_t tag, std::int64_t size,
            Action sent);
  void receive(std::int32_t source, std::int32_t target, std::int64_t tag, std::int64_t size,
               Action received);

 private:
  using Key = std::tuple<std::int32_t, std::int32_t, std::int64_t, std::int64_t>;
  struct Meeting {
    std::int64_t arrived = 0;     // messages without a receive
    std::deque<Action> receives;  // without a message
  };
  // A direction of a link: one message after the other.
  struct Link {
    bool busy = false;
    std::deque<Action> waiting;
  };

  std::int32_t coordinate(std::int32_t npu, std::size_t dimension) const;
  Duration delay(std::int32_t source, std::int32_t target, std::int64_t size) const;
  std::vector<std::int32_t> route(std::int32_t source, std::int32_t target) const;
  void carry(std::vector<std::int32_t> route, std::size_t hop, std::int64_t size, Action arrived);
  void occupy(std::int32_t from, std::int32_t to, std::int64_t size, Action arrived);
  void arrive(const Key& key, const Action& sent);
  Duration rounded(double nanoseconds) const;
  double bytes_per_ns(const Dimension& dimension) const;

  EventQueue& queue_;
  const EmulatedJob& job_;
  Rules rules_;
  std::map<Key, Meeting> meetings_;
  std::map<std::pair<std::int32_t, std::int32_t>, Link> links_;
};

// Whole nanoseconds, or picoseconds. Throws ConfigError beyond what a run can take.
Duration cut(double nanoseconds, const Rules& rules);

}  // namespace orrery::astra
