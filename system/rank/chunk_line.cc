#include "system/rank/chunk_line.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <set>
#include <utility>

namespace orrery {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// What passes, and what holds it up, as numbers of ps.
struct LineMessage {
  std::size_t connection = 0;
  double latency = 0, sending = 0, at_port = 0;
  std::size_t begins = kNone, ends = kNone;  // a place in this queue

  // For each part that it takes of its port, what it takes of the links of its level.
  double of_level() const { return at_port > 0 ? sending / at_port : 1; }
  double of_port() const { return at_port > 0 ? at_port : sending; }
};

struct Places {
  std::int32_t free = 0;
  std::set<std::size_t> waiting = {};  // chunks
};

struct Connection {
  std::size_t level, port;
  std::int32_t number;
  std::size_t first = kNone, last = kNone;  // chunks; the message of the first is under way
  double left = 0;                          // of it, at the time of `since`
  double since = 0, end = kNever;
  double rate = 0;  // messages per ps
  bool shared_out = true;
};

class ChunkLine {
 public:
  ChunkLine(const std::vector<PhaseInLine>& phases, std::int32_t chunks)
      : at_(static_cast<std::size_t>(chunks)), next_(at_.size(), kNone) {
    for (const PhaseInLine& phase : phases) add(phase);
    for (std::size_t chunk = 0; chunk < at_.size(); ++chunk) ready_.emplace(0, chunk);
  }

  Duration run() {
    while (true) {
      for (; !ready_.empty() && ready_.top().first <= now_; ready_.pop()) post(ready_.top().second);
      for (Port& port : ports_)
        if (port.changed) share_out(port);
      double next = ready_.empty() ? kNever : ready_.top().first;
      for (const Connection& connection : connections_) next = std::min(next, connection.end);
      if (next == kNever) break;
      now_ = next;
      for (Connection& connection : connections_)
        if (connection.end <= now_) finish(connection);
    }
    const auto most = static_cast<double>(std::numeric_limits<std::int64_t>::max());
    return now_ < most ? picoseconds(static_cast<std::int64_t>(now_)) : Time::never().since_start;
  }

 private:
  struct Resource {
    double used = 0, wanted = 0;
    double level() const { return wanted > 0 ? std::max(0.0, (1 - used) / wanted) : kNever; }
  };
  struct Port {
    std::vector<std::size_t> connections;
    bool changed = false;
  };
  using Ready = std::pair<double, std::size_t>;  // when, which chunk

  // As up to so many messages, of which each stands for as many stages.
  void add(const PhaseInLine& phase) {
    constexpr std::int64_t most = 32;
    std::int64_t stages = 0, room = 0;
    const std::size_t first = messages_.size();
    for (const TimedStage& stage : phase.stages) stages += stage.count;
    const std::int64_t together = (stages + most - 1) / most;
    for (const TimedStage& stage : phase.stages)
      for (std::int64_t left = stage.count; left > 0;) {
        if (room == 0) {
          messages_.push_back({connection_of(phase, stage.connection)});
          room = together;
        }
        const std::int64_t count = std::min(left, room);
        const auto times = static_cast<double>(count);
        LineMessage& message = messages_.back();
        message.latency += static_cast<double>(stage.latency.value) * times;
        message.sending += static_cast<double>(stage.sending.value) * times;
        message.at_port += static_cast<double>(stage.at_port.value) * times;
        left -= count;
        room -= count;
      }
    if (phase.places == 0 || messages_.size() == first) return;
    queues_.resize(std::max(queues_.size(), phase.queue + 1));
    queues_[phase.queue].free = phase.places;
    messages_[first].begins = messages_.back().ends = phase.queue;
  }

  std::size_t connection_of(const PhaseInLine& phase, std::int32_t number) {
    for (std::size_t i = 0; i < connections_.size(); ++i)
      if (connections_[i].level == phase.level && connections_[i].number == number) return i;
    connections_.push_back({phase.level, phase.port, number});
    ports_.resize(std::max(ports_.size(), phase.port + 1));
    ports_[phase.port].connections.push_back(connections_.size() - 1);
    levels_.resize(std::max(levels_.size(), phase.level + 1));
    return connections_.size() - 1;
  }

  const LineMessage& under_way(const Connection& connection) const {
    return messages_[at_[connection.first]];
  }

  void begin(Connection& connection, std::size_t chunk) {
    connection.first = chunk;
    connection.left = 1;
    connection.since = now_;
    connection.rate = 0;
  }

  void post(std::size_t chunk) {
    if (at_[chunk] > 0) give_up(messages_[at_[chunk] - 1].ends);
    if (at_[chunk] == messages_.size()) return;
    if (const std::size_t queue = messages_[at_[chunk]].begins; queue != kNone) {
      queues_[queue].waiting.insert(chunk);
      fill(queue);
    } else {
      enter(chunk);
    }
  }

  void give_up(std::size_t queue) {
    if (queue == kNone) return;
    ++queues_[queue].free;
    fill(queue);
  }

  void fill(std::size_t queue) {
    Places& places = queues_[queue];
    for (; places.free > 0 && !places.waiting.empty(); --places.free)
      enter(places.waiting.extract(places.waiting.begin()).value());
  }

  void enter(std::size_t chunk) {
    Connection& connection = connections_[messages_[at_[chunk]].connection];
    if (connection.first == kNone) {
      begin(connection, chunk);
      ports_[connection.port].changed = true;
    } else {
      next_[connection.last] = chunk;
    }
    connection.last = chunk;
  }

  void finish(Connection& connection) {
    const std::size_t chunk = connection.first;
    ready_.emplace(now_ + under_way(connection).latency, chunk);
    ++at_[chunk];
    begin(connection, std::exchange(next_[chunk], kNone));
    connection.end = kNever;
    ports_[connection.port].changed = true;
  }

  // Max-min: all that go through a port get the same of it, until it or a level is full.
  void share_out(Port& port) {
    port.changed = false;
    Resource of_port;
    std::ranges::fill(levels_, Resource());
    std::size_t waiting = 0;
    for (const std::size_t i : port.connections) {
      Connection& connection = connections_[i];
      connection.shared_out = connection.first == kNone;
      if (connection.shared_out) continue;
      ++waiting;
      const double done = connection.rate * (now_ - connection.since);
      connection.left = std::max(0.0, connection.left - done);
      connection.since = now_;
    }
    while (waiting > 0) {
      of_port.wanted = 0;
      for (Resource& level : levels_) level.wanted = 0;
      for (const std::size_t i : port.connections) {
        const Connection& connection = connections_[i];
        if (connection.shared_out) continue;
        of_port.wanted += 1;
        levels_[connection.level].wanted += under_way(connection).of_level();
      }
      std::size_t fullest = kNone;  // the port
      double got = of_port.level();
      for (std::size_t level = 0; level < levels_.size(); ++level)
        if (levels_[level].level() < got) {
          fullest = level;
          got = levels_[level].level();
        }
      for (const std::size_t i : port.connections) {
        Connection& connection = connections_[i];
        if (connection.shared_out || (fullest != kNone && connection.level != fullest)) continue;
        const LineMessage& message = under_way(connection);
        connection.shared_out = true;
        connection.rate = message.of_port() > 0 ? got / message.of_port() : 0;
        connection.end = connection.rate > 0 ? now_ + connection.left / connection.rate : now_;
        levels_[connection.level].used += got * message.of_level();
        of_port.used += got;
        --waiting;
      }
    }
  }

  std::vector<LineMessage> messages_;  // of a chunk, after each other
  std::vector<std::size_t> at_;        // of each chunk: which message
  std::vector<std::size_t> next_;      // of each chunk: that waits behind it
  std::vector<Places> queues_;
  std::vector<Connection> connections_;
  std::vector<Port> ports_;
  std::vector<Resource> levels_;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
  double now_ = 0;
};

}  // namespace

Duration time_in_line(const std::vector<PhaseInLine>& phases, std::int32_t chunks) {
  return ChunkLine(phases, chunks).run();
}

}  // namespace orrery
