#include "workload/parallelism/two_way_schedules.h"

#include <array>
#include <cstddef>

#include "core/base/check.h"

namespace orrery {

namespace {

using Kind = PipelineStep::Kind;

// Appends steps of a near chunk, which micro-batches reach first here, and a far one; of each kind
// the next micro-batch in turn.
class Order {
 public:
  enum Chunk : std::int32_t { near = 0, far = 1 };

  // numbers[c]: the stage's number of chunk c; first[c]: the first micro-batch that passes it.
  Order(std::array<std::int32_t, 2> numbers, std::array<std::int32_t, 2> first)
      : numbers_(numbers), next_{first, first, first} {}

  void forward(Chunk chunk) { append(Kind::forward, chunk, next_[0]); }
  void backward(Chunk chunk) { append(Kind::backward, chunk, next_[1]); }
  // Its weight gradient comes later.
  void input_gradient(Chunk chunk) {
    append(Kind::input_gradient, chunk, next_[1]);
    held_back_.push_back(steps_.back());
  }
  // The oldest that was held back, of either chunk.
  void weight_gradient() { finish(0); }
  // The oldest of a chunk.
  void weight_gradient(Chunk chunk) {
    std::size_t i = 0;
    while (i < held_back_.size() && held_back_[i].chunk != numbers_[chunk]) ++i;
    finish(i);
  }
  void forward_beside_backward(Chunk forwards, Chunk backwards) {
    forward(forwards);
    steps_.back().with_next = true;
    backward(backwards);
  }
  std::size_t held_back() const { return held_back_.size(); }

  std::vector<PipelineStep> take() { return std::move(steps_); }

 private:
  void append(Kind kind, Chunk chunk, std::array<std::int32_t, 2>& next) {
    steps_.push_back({kind, next[chunk]++, numbers_[chunk]});
  }
  void finish(std::size_t i) {
    CHECK(i < held_back_.size(), "no weight gradient {} of {} is held back", i, held_back_.size());
    PipelineStep step = held_back_[i];
    held_back_.erase(held_back_.begin() + static_cast<std::ptrdiff_t>(i));
    step.kind = Kind::weight_gradient;
    steps_.push_back(step);
  }

  std::array<std::int32_t, 2> numbers_;
  std::array<std::array<std::int32_t, 2>, 3> next_;  // micro-batches: forward, backward
  std::vector<PipelineStep> held_back_, steps_;
};

// DualPipe on `ends` places from either end of the model (r = 0) to its middle (r = ends - 1), n
// micro-batches through each chunk. Towards the middle fewer forwards wait for their backward pass
// in the near chunk and more in the far one, so that both are as many; then forwards of one chunk
// go with backwards of the other.
void dual(Order& order, std::int32_t ends, std::int32_t r, std::int32_t n) {
  using enum Order::Chunk;
  const std::int32_t to_middle = ends - 1 - r, from_end = r + 1;
  for (std::int32_t i = 0; i < 2 * to_middle; ++i) order.forward(near);
  for (std::int32_t i = 0; i < from_end; ++i) {
    order.forward(near);
    order.forward(far);
  }
  for (std::int32_t i = 0; i < to_middle; ++i) {
    order.input_gradient(far);
    order.weight_gradient();
    order.forward(far);
  }
  for (std::int32_t i = 0; i < n - 2 * ends + from_end; ++i) {
    if (i == 0 && to_middle == 0) {  // the middle waits for nothing, and hands on sooner alone
      order.forward(near);
      order.backward(far);
    } else {
      order.forward_beside_backward(near, far);
    }
    order.forward_beside_backward(far, near);
  }
  for (std::int32_t i = 0; i < to_middle; ++i) {
    order.backward(far);
    order.forward_beside_backward(far, near);
  }
  // In the second half, weight gradients are kept for the gaps to come.
  bool keep = false;
  for (std::int32_t i = 0; i < from_end; ++i) {
    if (i == from_end / 2 && r % 2 == 1) keep = true;
    keep ? order.input_gradient(far) : order.backward(far);
    if (i == from_end / 2 && r % 2 == 0) keep = true;
    keep ? order.input_gradient(near) : order.backward(near);
  }
  for (std::int32_t i = 0; i < to_middle; ++i) {
    order.weight_gradient();
    order.input_gradient(near);
  }
  while (order.held_back() > 0) order.weight_gradient();
}

}  // namespace

std::vector<PipelineStep> dualpipe_steps(const PipelineShape& shape, std::int32_t stage) {
  const std::int32_t p = shape.stages, half = shape.micro_batches / 2;
  CHECK(p % 2 == 0 && shape.micro_batches % 2 == 0 && half >= p, "{} stages, {} micro-batches", p,
        shape.micro_batches);
  const bool upper = stage >= p / 2;
  Order order(upper ? std::array{1, 0} : std::array{0, 1},
              upper ? std::array{half, 0} : std::array{0, half});
  dual(order, p / 2, upper ? p - 1 - stage : stage, half);
  return order.take();
}

std::vector<PipelineStep> dualpipe_v_steps(const PipelineShape& shape, std::int32_t stage) {
  CHECK(shape.micro_batches >= 2 * shape.stages, "{} stages, {} micro-batches", shape.stages,
        shape.micro_batches);
  Order order({0, 1}, {0, 0});
  dual(order, shape.stages, stage, shape.micro_batches);
  return order.take();
}

// Forwards until the first backward pass is here, then a forward, an input gradient and a weight
// gradient of either chunk in turn; at the end the weight gradients that the stage has kept fill
// the time in which input gradients come back from the other end.
std::vector<PipelineStep> zbv_steps(const PipelineShape& shape, std::int32_t stage) {
  using enum Order::Chunk;
  const std::int32_t m = shape.micro_batches, behind = shape.stages - 1 - stage;
  Order order({0, 1}, {0, 0});
  std::array<std::int32_t, 2> forwards{}, backwards{};
  const auto forward = [&](Order::Chunk chunk) {
    if (forwards[chunk] == m) return;
    order.forward(chunk);
    ++forwards[chunk];
  };
  const auto input_gradient = [&](Order::Chunk chunk) {
    if (backwards[chunk] == m || backwards[chunk] == forwards[chunk]) return false;
    order.input_gradient(chunk);
    ++backwards[chunk];
    return true;
  };
  const auto backward = [&](Order::Chunk chunk) {
    if (input_gradient(chunk)) order.weight_gradient(chunk);
  };
  for (std::int32_t i = 0; i < 2 * behind + 1; ++i) forward(near);
  for (std::int32_t i = 0; i < stage; ++i) {
    forward(far);
    forward(near);
  }
  for (std::int32_t i = 0; i < behind + 1; ++i) {
    forward(far);
    backward(far);
  }
  while (forwards[far] < forwards[near] || forwards[near] < m) {
    forward(near);
    backward(near);
    forward(far);
    backward(far);
  }
  for (std::int32_t i = 0; i < stage; ++i) {
    input_gradient(near);
    input_gradient(far);
  }
  while (input_gradient(near)) {
    if (order.held_back() > static_cast<std::size_t>(2 * stage)) order.weight_gradient(near);
  }
  while (order.held_back() > 0) order.weight_gradient();
  return order.take();
}

}  // namespace orrery
