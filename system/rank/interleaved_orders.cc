#include "system/rank/interleaved_orders.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace orrery {
namespace {

class Chunks {
 public:
  Chunks(const std::vector<PhasesOfOrder>& orders, const std::vector<std::int32_t>& order_of,
         std::int32_t places)
      : places_(places) {
    for (const PhasesOfOrder& order : orders)
      for (const QueuedPhase& phase : order) {
        levels_.resize(std::max(levels_.size(), phase.level + 1));
        queues_.resize(std::max(queues_.size(), phase.queue + 1));
      }
    for (const std::int32_t order : order_of)
      chunks_.push_back({.phases = &orders[static_cast<std::size_t>(order)]});
  }

  Duration run() {
    for (Chunk& chunk : chunks_) enter(chunk);
    while (!running_.empty()) {
      find_rounds();
      double next = std::numeric_limits<double>::infinity();
      for (const Chunk* chunk : running_)
        next = std::min(next, chunk->left * time_of_stage(*chunk));
      now_ += next;
      std::vector<Chunk*> done;
      for (Chunk* chunk : running_) {
        chunk->left -= next / time_of_stage(*chunk);
        if (chunk->left < kNothing) done.push_back(chunk);
      }
      for (Chunk* chunk : done) finish_stages(*chunk);
    }
    constexpr double most = 9.2e18;  // less than 2^63 ps
    if (now_ > most) units_internal::leave_range(DurationTag::beyond);
    return picoseconds(static_cast<std::int64_t>(now_));
  }

 private:
  static constexpr double kNothing = 1e-9;  // of a stage

  struct Chunk {
    const PhasesOfOrder* phases;
    std::size_t phase = 0, stage = 0;
    double left = 0;  // of the equal stages after each other
    const QueuedPhase& at() const { return (*phases)[phase]; }
    const TimedStage& stages() const { return at().stages[stage]; }
  };
  struct Queue {
    std::int32_t running = 0;
    std::deque<Chunk*> waiting;
  };

  void find_rounds() {
    std::ranges::fill(levels_, Level());
    for (const Chunk* chunk : running_)
      levels_[chunk->at().level].round += static_cast<double>(chunk->stages().on_link.value);
    for (const Chunk* chunk : running_) levels_[chunk->at().level].wait += wait_for(*chunk);
  }
  // At least a picosecond, so that time passes.
  double time_of_stage(const Chunk& chunk) const {
    const Level& level = levels_[chunk.at().level];
    return std::max({level.round, alone(chunk) + level.wait - wait_for(chunk), 1.0});
  }
  static double alone(const Chunk& chunk) {
    return static_cast<double>((chunk.stages().on_link + chunk.stages().latency).value);
  }
  // How long a message of another chunk waits for one of this, where links are idle at times: half
  // of it, as often as it finds it there.
  double wait_for(const Chunk& chunk) const {
    const auto sending = static_cast<double>(chunk.stages().on_link.value);
    const double stage = std::max(levels_[chunk.at().level].round, alone(chunk));
    return stage > 0 ? sending * sending / (2 * stage) : 0;
  }

  // The chunk comes to the queue of its phase.
  void enter(Chunk& chunk) {
    while (chunk.phase < chunk.phases->size() && chunk.at().stages.empty()) ++chunk.phase;
    if (chunk.phase == chunk.phases->size()) return;
    Queue& queue = queues_[chunk.at().queue];
    if (queue.running == places_)
      queue.waiting.push_back(&chunk);
    else
      start(queue, chunk);
  }
  void start(Queue& queue, Chunk& chunk) {
    ++queue.running;
    chunk.stage = 0;
    chunk.left = static_cast<double>(chunk.stages().count);
    running_.push_back(&chunk);
  }

  void finish_stages(Chunk& chunk) {
    if (++chunk.stage < chunk.at().stages.size()) {
      chunk.left = static_cast<double>(chunk.stages().count);
      return;
    }
    running_.erase(std::ranges::find(running_, &chunk));
    Queue& queue = queues_[chunk.at().queue];
    --queue.running;
    ++chunk.phase;
    enter(chunk);
    if (queue.waiting.empty()) return;
    Chunk& next = *queue.waiting.front();
    queue.waiting.pop_front();
    start(queue, next);
  }

  std::int32_t places_;
  std::vector<Chunk> chunks_;
  std::vector<Chunk*> running_;
  std::vector<Queue> queues_;
  struct Level {
    double round = 0;  // one message of each chunk there, in ps
    double wait = 0;   // for the messages of all of them
  };
  std::vector<Level> levels_;
  double now_ = 0;
};

}  // namespace

Duration time_of_orders(const std::vector<PhasesOfOrder>& orders,
                        const std::vector<std::int32_t>& order_of, std::int32_t places) {
  return Chunks(orders, order_of, places).run();
}

}  // namespace orrery
