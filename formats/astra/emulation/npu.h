// The system layer of one NPU: collectives as chunks, chunks as phases, and on each dimension
// queues in which so many phases run at once.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <vector>

#include "core/event/event_queue.h"
#include "formats/astra/emulation/exchange.h"
#include "formats/astra/emulation/network.h"

namespace orrery::astra {

class Npu {
 public:
  Npu(std::int32_t id, EventQueue& queue, Network& network, const EmulatedJob& job,
      const Rules& rules);

  // What is due at one time is done in one go, at the place of what was asked for first.
  void after(Duration delay, Action action);

  struct Call {
    Collective kind = Collective::all_reduce;
    std::int64_t size = 0;
    std::int64_t priority = 0;
    const std::vector<std::int32_t>* group = nullptr;  // none = all NPUs
    std::int64_t group_number = 0;
  };
  // REQUIRES: a kind of `kinds`.
  void collective(const Call& call, Action done);

 private:
  struct Phase {
    std::shared_ptr<const Peers> line;
    std::unique_ptr<Exchange> exchange;
    std::int32_t queue = 0;
  };
  struct Chunk {
    std::int64_t tag = 0, priority = 0;
    std::deque<Phase> phases;
    Phase current;
    std::int32_t queue = -1;
    bool runs = false;
    std::shared_ptr<Action> done;  // of the collective: called as the last chunk lets go of it
  };
  using ChunkPointer = std::shared_ptr<Chunk>;
  struct Queue {
    std::list<ChunkPointer> chunks;
    std::int64_t running = 0;
  };
  enum class Half : std::uint8_t { any, first, last };

  void run_due();
  std::deque<Phase> phases_of(const Call& call, std::int64_t size);
  std::deque<Phase> phases_of_all(Collective kind, std::size_t index, std::int64_t size);
  Phase phase(Collective kind, const Algorithm& algorithm, std::shared_ptr<const Peers> line,
              std::int64_t size, std::int32_t queue) const;
  std::shared_ptr<const Peers> line_of(std::size_t dimension) const;
  std::int32_t next_queue(std::size_t dimension, Half half);
  void proceed(const ChunkPointer& chunk);
  void insert(Queue& queue, const ChunkPointer& chunk) const;
  void fill(Queue& queue);
  void begin(const ChunkPointer& chunk);
  void release(const ChunkPointer& chunk);
  void go_on(const ChunkPointer& chunk);
  Duration adding(std::int64_t size) const;

  std::int32_t id_;
  EventQueue& queue_;
  Network& network_;
  const EmulatedJob& job_;
  Rules rules_;
  std::map<Duration, std::deque<Action>> due_;
  std::map<std::int32_t, Queue> queues_;
  std::map<std::pair<std::size_t, Half>, std::int32_t> turns_;
  std::map<std::int64_t, std::int64_t> chunks_;  // so far, of each group; 0 = all NPUs
  std::int64_t calls_ = 0;
};

}  // namespace orrery::astra
