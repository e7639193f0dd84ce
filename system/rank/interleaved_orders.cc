#include "system/rank/interleaved_orders.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <utility>

namespace orrery {
namespace {

struct PostedMessage {
  Duration sending, latency;
};
struct MessagesOfPhase {
  std::size_t level, queue;
  std::vector<PostedMessage> messages;
};

// Of many equal stages some together, so that they are about so many.
std::vector<PostedMessage> messages_of(const std::vector<TimedStage>& stages) {
  constexpr std::int64_t most = 32;
  std::int64_t all = 0;
  for (const TimedStage& stage : stages) all += stage.count;
  const std::int64_t together = (all + most - 1) / most;
  std::vector<PostedMessage> messages;
  for (const TimedStage& stage : stages)
    for (std::int64_t left = stage.count; left > 0; left -= together) {
      const std::int64_t count = std::min(left, together);
      messages.push_back({stage.on_link * count, stage.latency * count});
    }
  return messages;
}

class Chunks {
 public:
  Chunks(const std::vector<PhasesOfOrder>& orders, const std::vector<std::int32_t>& order_of,
         const ChunkPlaces& places)
      : places_(places), orders_(orders.size()) {
    for (std::size_t order = 0; order < orders.size(); ++order)
      for (const QueuedPhase& phase : orders[order]) {
        free_at_.resize(std::max(free_at_.size(), phase.level + 1));
        queues_.resize(std::max(queues_.size(), phase.queue + 1));
        MessagesOfPhase of{phase.level, phase.queue, messages_of(phase.stages)};
        if (!of.messages.empty()) orders_[order].phases.push_back(std::move(of));
      }
    for (const std::int32_t order : order_of)
      chunks_.push_back({.order = static_cast<std::size_t>(order)});
  }

  Duration run() {
    for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
      Order& order = orders_[chunks_[chunk].order];
      order.waiting.push_back(chunk);
      if (!order.phases.empty()) admit(order);
    }
    while (!arrivals_.empty()) {
      const auto [when, chunk] = arrivals_.top();
      arrivals_.pop();
      now_ = when;
      if (++chunks_[chunk].message < phase_of(chunk).messages.size())
        post(chunk);
      else
        finish_phase(chunk);
    }
    return now_;
  }

 private:
  struct Chunk {
    std::size_t order, phase = 0, message = 0;
  };
  struct Order {
    std::vector<MessagesOfPhase> phases;
    std::int32_t in_first_phase = 0;
    std::deque<std::size_t> waiting;
  };
  using Waiting = std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>>;
  struct Queue {
    std::int32_t running = 0;
    Waiting waiting;  // the first chunk goes first
  };
  using Arrival = std::pair<Duration, std::size_t>;  // of which chunk

  const MessagesOfPhase& phase_of(std::size_t chunk) const {
    return orders_[chunks_[chunk].order].phases[chunks_[chunk].phase];
  }

  void admit(Order& order) {
    while (!order.waiting.empty() && order.in_first_phase < places_.in_first_phase) {
      const std::size_t chunk = order.waiting.front();
      order.waiting.pop_front();
      ++order.in_first_phase;
      enter(chunk);
    }
  }

  void enter(std::size_t chunk) {
    Queue& queue = queues_[phase_of(chunk).queue];
    if (queue.running == places_.in_queue) return queue.waiting.push(chunk);
    ++queue.running;
    post(chunk);
  }

  void post(std::size_t chunk) {
    const MessagesOfPhase& phase = phase_of(chunk);
    const PostedMessage& message = phase.messages[chunks_[chunk].message];
    Duration& free_at = free_at_[phase.level];
    free_at = std::max(now_, free_at) + message.sending;
    arrivals_.emplace(free_at + message.latency, chunk);
  }

  void finish_phase(std::size_t number) {
    Queue& queue = queues_[phase_of(number).queue];
    Chunk& chunk = chunks_[number];
    Order& order = orders_[chunk.order];
    --queue.running;
    if (chunk.phase == 0) --order.in_first_phase;
    chunk.message = 0;
    if (++chunk.phase < order.phases.size()) enter(number);
    if (!queue.waiting.empty()) {
      ++queue.running;
      post(queue.waiting.top());
      queue.waiting.pop();
    }
    admit(order);
  }

  ChunkPlaces places_;
  std::vector<Order> orders_;
  std::vector<Chunk> chunks_;
  std::vector<Duration> free_at_;  // the links of each level
  std::vector<Queue> queues_;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  Duration now_;
};

}  // namespace

Duration time_of_orders(const std::vector<PhasesOfOrder>& orders,
                        const std::vector<std::int32_t>& order_of, const ChunkPlaces& places) {
  return Chunks(orders, order_of, places).run();
}

Duration busiest_level(const std::vector<PhasesOfOrder>& orders,
                       const std::vector<std::int32_t>& order_of) {
  std::vector<Duration> busy(1);
  for (std::size_t order = 0; order < orders.size(); ++order) {
    const auto chunks = std::ranges::count(order_of, static_cast<std::int32_t>(order));
    for (const QueuedPhase& phase : orders[order]) {
      busy.resize(std::max(busy.size(), phase.level + 1));
      for (const TimedStage& stage : phase.stages)
        busy[phase.level] += stage.on_link * (stage.count * chunks);
    }
  }
  return std::ranges::max(busy);
}

}  // namespace orrery
