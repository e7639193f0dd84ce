#include "formats/astra/emulation/npu.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/config_error.h"

namespace orrery::astra {

namespace {

constexpr std::int64_t kGroupTags = 1'000'000, kCollectiveTags = std::int64_t{1} << 40;
constexpr std::int64_t kDelayInGroup = 10;  // ns

[[noreturn]] void refuse(const EmulatedJob& job, std::string path, std::string what,
                         std::string remedy) {
  throw ConfigError({.file = job.system.file,
                     .path = std::move(path),
                     .what = std::move(what),
                     .remedy = std::move(remedy)});
}

void check(const EmulatedJob& job, Collective kind, const Algorithm& algorithm, std::int32_t size) {
  using Kind = Algorithm::Kind;
  const std::string remedy = "run it without --compat, or name ring or direct";
  if (algorithm.kind == Kind::double_binary_tree)
    refuse(job, algorithm.word, "is not emulated", remedy);
  if (algorithm.kind != Kind::halving_doubling) return;
  if (kind == Collective::all_to_all)
    refuse(job, algorithm.word, "does no all-to-all in ASTRA-sim", remedy);
  if (!std::has_single_bit(static_cast<std::uint32_t>(size)))
    refuse(job, algorithm.word, fmt::format("of {} NPUs is not emulated", size), remedy);
}

}  // namespace

Npu::Npu(std::int32_t id, EventQueue& queue, Network& network, const EmulatedJob& job,
         const Rules& rules)
    : id_(id), queue_(queue), network_(network), job_(job), rules_(rules) {}

void Npu::after(Duration delay, Action action) {
  const auto [entry, is_new] =
      due_.try_emplace(queue_.now().since_start + delay, std::deque<Action>());
  entry->second.push_back(std::move(action));
  if (is_new) queue_.schedule(delay, [this] { run_due(); });
}

// What an action asks for without a delay comes behind the others.
void Npu::run_due() {
  const auto entry = due_.find(queue_.now().since_start);
  for (std::size_t i = 0; i < entry->second.size(); ++i) {
    const Action action = std::move(entry->second[i]);
    action();
  }
  due_.erase(entry);
}

void Npu::collective(const Call& call, Action done) {
  const std::int64_t splits = job_.system.splits;
  const std::int64_t least = job_.network.npus();
  std::int64_t left = call.size, chunk = call.size / splits;
  if (call.kind == Collective::all_gather) {
    if (chunk == 0)
      refuse(job_, "preferred-dataset-splits",
             fmt::format("cuts an all-gather of {} B into {} chunks, which never ends in ASTRA-sim",
                         call.size, splits),
             "gather more bytes, or write fewer chunks");
  } else if (chunk < least) {
    chunk = least;
    left = splits * least;
  }
  const std::int64_t order = calls_++;
  const Order policy = job_.system.order;
  const std::int64_t priority = policy == Order::lifo   ? order
                                : policy == Order::fifo ? -order
                                                        : call.priority;
  auto shared = std::make_shared<Action>(std::move(done));
  for (; left > 0; left -= std::min(chunk, left)) {
    auto one = std::make_shared<Chunk>();
    one->phases = phases_of(call, chunk);
    if (one->phases.empty()) return after(Duration{}, *shared);
    one->tag = kCollectiveTags + call.group_number * kGroupTags + chunks_[call.group_number]++;
    one->priority = priority;
    one->done = shared;
    proceed(one);
  }
}

std::deque<Npu::Phase> Npu::phases_of(const Call& call, std::int64_t size) {
  const std::size_t index = *index_of(call.kind);
  const std::vector<Algorithm>& algorithms = job_.system.algorithms[index];
  if (!job_.system.custom[index].empty())
    refuse(job_, std::string(key_of(index)) + "-custom", "is not emulated",
           "run it without --compat");
  if (algorithms.empty())
    refuse(job_, std::string(key_of(index)), "is missing, and the workload needs it",
           "write a word for each dimension, for example \"ring\"");
  if (call.group == nullptr || static_cast<std::int32_t>(call.group->size()) == job_.network.npus())
    return phases_of_all(call.kind, index, size);
  if (call.group->size() < 2) return {};
  Peers line{.npus = *call.group, .is_group = true};
  line.place = static_cast<std::int32_t>(std::ranges::find(line.npus, id_) - line.npus.begin());
  const Algorithm algorithm = algorithms.size() == 1 ? algorithms.front() : Algorithm{};
  std::deque<Phase> phases;
  phases.push_back(phase(call.kind, algorithm, std::make_shared<const Peers>(std::move(line)), size,
                         next_queue(0, Half::any)));
  return phases;
}

std::deque<Npu::Phase> Npu::phases_of_all(Collective kind, std::size_t index, std::int64_t size) {
  const std::vector<Algorithm>& algorithms = job_.system.algorithms[index];
  std::deque<Phase> phases;
  const auto add = [&](Collective part, std::size_t dimension, Half half) {
    phases.push_back(
        phase(part, algorithms[dimension], line_of(dimension), size, next_queue(dimension, half)));
    size = phases.back().exchange->final_size();
  };
  if (algorithms.front().flat) {
    Peers all{.place = id_};
    for (std::int32_t npu = 0; npu < job_.network.npus(); ++npu) all.npus.push_back(npu);
    phases.push_back(phase(kind, algorithms.front(), std::make_shared<const Peers>(std::move(all)),
                           size, next_queue(0, Half::any)));
    return phases;
  }
  const std::size_t dimensions = job_.network.dimensions.size(), last = dimensions - 1;
  if (kind == Collective::all_reduce && job_.system.bandwidth_aware) {
    for (std::size_t i = 0; i < last; ++i) add(Collective::reduce_scatter, i, Half::first);
    add(kind, last, Half::any);
    for (std::size_t i = last; i > 0; --i) add(Collective::all_gather, i - 1, Half::last);
    return phases;
  }
  for (std::size_t i = 0; i < dimensions; ++i)
    add(kind, kind == Collective::all_gather ? last - i : i, Half::any);
  return phases;
}

Npu::Phase Npu::phase(Collective kind, const Algorithm& algorithm,
                      std::shared_ptr<const Peers> line, std::int64_t size,
                      std::int32_t queue) const {
  check(job_, kind, algorithm, line->size());
  auto exchange = std::make_unique<Exchange>(kind, algorithm, *line, size, rules_.parts_alone);
  return {std::move(line), std::move(exchange), queue};
}

std::shared_ptr<const Peers> Npu::line_of(std::size_t dimension) const {
  std::int32_t stride = 1;
  for (std::size_t i = 0; i < dimension; ++i) stride *= job_.network.dimensions[i].size;
  const std::int32_t size = job_.network.dimensions[dimension].size;
  Peers line{.place = id_ / stride % size};
  for (std::int32_t i = 0; i < size; ++i) line.npus.push_back(id_ + (i - line.place) * stride);
  return std::make_shared<const Peers>(std::move(line));
}

// Phases up take the first half of a dimension's queues in turn, phases down the other.
std::int32_t Npu::next_queue(std::size_t dimension, Half half) {
  const std::int32_t all = job_.queues, middle = all / 2;
  const auto first = static_cast<std::int32_t>(dimension) * all;
  if (all == 1) return first;
  const std::int32_t begin = half == Half::last ? middle : 0;
  const std::int32_t count = half == Half::any ? all : half == Half::first ? middle : all - middle;
  return first + begin + turns_[{dimension, half}]++ % count;
}

void Npu::proceed(const ChunkPointer& chunk) {
  const std::int32_t previous = chunk->queue;
  const bool is_last = chunk->phases.empty();
  if (is_last && chunk->done.use_count() == 1) (*chunk->done)();
  if (previous >= 0) queues_[previous].chunks.remove(chunk);
  if (!is_last) {
    chunk->current = std::move(chunk->phases.front());
    chunk->phases.pop_front();
    chunk->queue = chunk->current.queue;
    chunk->runs = false;
    insert(queues_[chunk->queue], chunk);
  } else {
    chunk->done.reset();
  }
  if (previous >= 0) {
    --queues_[previous].running;
    fill(queues_[previous]);
  }
  if (!is_last) fill(queues_[chunk->queue]);
}

// Before the first that waits and is less urgent.
void Npu::insert(Queue& queue, const ChunkPointer& chunk) const {
  auto at = queue.chunks.begin();
  while (at != queue.chunks.end() && ((*at)->runs || (*at)->priority >= chunk->priority)) ++at;
  queue.chunks.insert(at, chunk);
}

void Npu::fill(Queue& queue) {
  const std::int64_t limit = (job_.system.active_chunks + job_.queues - 1) / job_.queues;
  auto at = queue.chunks.begin();
  std::advance(at, std::min<std::int64_t>(queue.running, std::ssize(queue.chunks)));
  for (; at != queue.chunks.end() && queue.running < limit; ++at, ++queue.running) begin(*at);
}

void Npu::begin(const ChunkPointer& chunk) {
  chunk->runs = true;
  for (std::int32_t lane = 0; lane < chunk->current.exchange->lanes(); ++lane) release(chunk);
}

void Npu::release(const ChunkPointer& chunk) {
  const Packet packet = chunk->current.exchange->make_packet();
  Duration delay = nanoseconds(kDelayInGroup);
  if (!chunk->current.line->is_group)
    delay = nanoseconds(static_cast<std::int64_t>(static_cast<double>(job_.system.endpoint_delay) *
                                                  job_.injection_scale));
  if (!rules_.endpoint_delay) delay = Duration{};
  after(delay, [this, chunk, packet] {
    if (!packet.adds) return go_on(chunk);
    after(adding(packet.size), [this, chunk] { go_on(chunk); });
  });
}

void Npu::go_on(const ChunkPointer& chunk) {
  Exchange& exchange = *chunk->current.exchange;
  for (const Packet& packet : exchange.ready()) {
    network_.send(id_, packet.target, chunk->tag, packet.size, {});
    network_.receive(packet.source, id_, chunk->tag, packet.size, [this, chunk] {
      chunk->current.exchange->note_arrival();
      release(chunk);
    });
  }
  if (exchange.is_over()) proceed(chunk);
}

// A write and two reads, each of whole nanoseconds.
Duration Npu::adding(std::int64_t size) const {
  if (!rules_.reductions || job_.system.memory_bandwidth == 0) return {};
  const double ns = static_cast<double>(size) / (job_.system.memory_bandwidth * 1e9) * 1e9;
  return cut(ns, rules_) * 3;
}

}  // namespace orrery::astra
