// The orders of pipeline_schedule.h, played on a clock of whole numbers: every step once, none
// before what it needs, and the idle time of the closed forms.
#include "workload/parallelism/pipeline_schedule.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>
#include <tuple>

using namespace orrery;

namespace {

using Kind = PipelineStep::Kind;

struct Times {
  std::int64_t forward, backward, weight_gradient;  // of a chunk
};

struct Played {
  std::int64_t end = 0;
  std::vector<std::int64_t> spans;      // of each stage, from its first step to its last
  std::vector<std::int32_t> in_flight;  // of each stage, at most: chunks forward and not yet back
};

constexpr bool two_ways(PipelineSchedule schedule) {
  return schedule == PipelineSchedule::zbv || schedule == PipelineSchedule::dualpipe ||
         schedule == PipelineSchedule::dualpipe_v;
}

// Independent of the implementation: a stage takes its next step, or the next two if they are done
// together, as soon as it is free and they have what they need from the neighbouring parts of the
// model.
class Player {
 public:
  Player(PipelineSchedule schedule, const PipelineShape& shape, const Times& times)
      : schedule_(schedule), shape_(shape), times_(times) {
    for (std::int32_t stage = 0; stage < shape.stages; ++stage)
      steps_.push_back(pipeline_steps(schedule, shape, stage));
    next_.resize(shape.stages);
    free_.resize(shape.stages);
    begin_.assign(shape.stages, -1);
    open_.resize(shape.stages);
    played_.in_flight.resize(shape.stages);
  }

  Played play() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::int32_t stage = 0; stage < shape_.stages; ++stage) moved |= take_step(stage);
    }
    for (std::int32_t stage = 0; stage < shape_.stages; ++stage) {
      REQUIRE(next_[stage] == steps_[stage].size());
      std::map<Kind, int> count;
      for (const PipelineStep& step : steps_[stage]) ++count[step.kind];
      const int passes = shape_.micro_batches * (ends_both_ways() ? 1 : shape_.chunks);
      REQUIRE(count[Kind::forward] == passes);
      REQUIRE(count[Kind::backward] + count[Kind::input_gradient] == passes);
      REQUIRE(count[Kind::weight_gradient] == count[Kind::input_gradient]);
      played_.spans.push_back(free_[stage] - begin_[stage]);
    }
    played_.end = *std::max_element(free_.begin(), free_.end());
    return played_;
  }

 private:
  using Key = std::tuple<Kind, std::int32_t, std::int32_t>;  // what, micro-batch, part of the model

  bool ends_both_ways() const { return schedule_ == PipelineSchedule::dualpipe; }

  bool take_step(std::int32_t stage) {
    if (next_[stage] == steps_[stage].size()) return false;
    const auto first = steps_[stage].begin() + static_cast<std::ptrdiff_t>(next_[stage]);
    const std::vector<PipelineStep> steps(first, first + (first->with_next ? 2 : 1));
    std::int64_t begin = free_[stage], time = 0;
    for (const PipelineStep& step : steps) {
      const auto from = needed(step, stage);
      if (from && !ends_.contains(*from)) return false;
      begin = std::max(begin, from ? ends_.at(*from) : 0);
      time += time_of(step);
    }
    if (begin_[stage] < 0) begin_[stage] = begin;
    free_[stage] = begin + time;
    for (const PipelineStep& step : steps) {
      REQUIRE(ends_.emplace(key(result(step.kind), step, part(step, stage)), free_[stage]).second);
      if (step.kind == Kind::forward) ++open_[stage];
      if (step.kind == Kind::backward || step.kind == Kind::weight_gradient) --open_[stage];
      played_.in_flight[stage] = std::max(played_.in_flight[stage], open_[stage]);
      ++next_[stage];
    }
    return true;
  }

  // The neighbour waits for an input gradient, whether the weight gradient is done with it or not.
  static Kind result(Kind kind) { return kind == Kind::backward ? Kind::input_gradient : kind; }
  std::int32_t parts() const { return shape_.stages * (ends_both_ways() ? 1 : shape_.chunks); }
  std::int32_t part(const PipelineStep& step, std::int32_t stage) const {
    if (two_ways(schedule_)) return step.chunk == 0 ? stage : parts() - 1 - stage;
    return step.chunk * shape_.stages + stage;
  }
  static Key key(Kind kind, const PipelineStep& step, std::int32_t part) {
    return {kind, step.micro_batch, part};
  }
  std::optional<Key> needed(const PipelineStep& step, std::int32_t stage) const {
    const std::int32_t here = part(step, stage), last = parts() - 1;
    if (step.kind == Kind::weight_gradient) return key(Kind::input_gradient, step, here);
    if (step.kind == Kind::forward)
      return here == 0 ? std::nullopt : std::optional(key(Kind::forward, step, here - 1));
    return here == last ? key(Kind::forward, step, here)
                        : key(Kind::input_gradient, step, here + 1);
  }
  std::int64_t time_of(const PipelineStep& step) const {
    if (step.kind == Kind::forward) return times_.forward;
    if (step.kind == Kind::weight_gradient) return times_.weight_gradient;
    return times_.backward + (step.kind == Kind::backward ? times_.weight_gradient : 0);
  }

  PipelineSchedule schedule_;
  PipelineShape shape_;
  Times times_;
  std::vector<std::vector<PipelineStep>> steps_;
  std::vector<std::size_t> next_;
  std::vector<std::int64_t> free_, begin_;
  std::vector<std::int32_t> open_;
  std::map<Key, std::int64_t> ends_;
  Played played_;
};

std::int64_t work(PipelineSchedule schedule, const PipelineShape& shape, const Times& t) {
  return std::int64_t{shape.micro_batches} *
         (schedule == PipelineSchedule::dualpipe ? 1 : shape.chunks) *
         (t.forward + t.backward + t.weight_gradient);
}

std::int64_t bubble(PipelineSchedule schedule, const PipelineShape& shape, const Times& t) {
  return Player(schedule, shape, t).play().end - work(schedule, shape, t);
}

// The same without what a stage waits before its first step and after its last one.
std::vector<std::int64_t> idle_inside(PipelineSchedule schedule, const PipelineShape& shape,
                                      const Times& t) {
  std::vector<std::int64_t> idle = Player(schedule, shape, t).play().spans;
  for (std::int64_t& span : idle) span -= work(schedule, shape, t);
  return idle;
}

}  // namespace

TEST_CASE("bubbles of equal stages") {
  for (const std::int32_t p : {1, 2, 3, 4, 8})
    for (const std::int32_t m : {8, 16, 24})
      for (const Times t : {Times{1, 1, 1}, Times{2, 2, 1}, Times{3, 4, 2}}) {
        CAPTURE(p, m, t.forward, t.backward, t.weight_gradient);
        const std::int64_t whole = t.forward + t.backward + t.weight_gradient;
        CHECK(bubble(PipelineSchedule::gpipe, {p, 1, m}, t) == (p - 1) * whole);
        CHECK(bubble(PipelineSchedule::one_forward_one_backward, {p, 1, m}, t) == (p - 1) * whole);
        CHECK(bubble(PipelineSchedule::zb_h1, {p, 1, m}, t) ==
              (p - 1) * (t.forward + t.backward - t.weight_gradient));
        // A chunk takes a v-th of the stage's time, so (p-1) chunk times are the v-th.
        if (m % p == 0 && p > 1)
          for (const std::int32_t v : {2, 3})
            CHECK(bubble(PipelineSchedule::interleaved, {p, v, m}, t) == (p - 1) * whole);
      }
}

TEST_CASE("the published example: a bubble of 27.27 % of the ideal time at p = 4, m = 8") {
  // (p-1)/(m+p-1) = 3/11 of the iteration.
  const Times t{1, 1, 1};
  const auto end = Player(PipelineSchedule::one_forward_one_backward, {4, 1, 8}, t).play().end;
  CHECK(end == 33);
  CHECK(bubble(PipelineSchedule::one_forward_one_backward, {4, 1, 8}, t) == 9);
}

TEST_CASE("micro-batches in flight") {
  const Times t{1, 1, 1};
  const auto in_flight = [&](PipelineSchedule schedule, const PipelineShape& shape) {
    return Player(schedule, shape, t).play().in_flight;
  };
  CHECK(in_flight(PipelineSchedule::gpipe, {4, 1, 8}) == std::vector{8, 8, 8, 8});
  CHECK(in_flight(PipelineSchedule::one_forward_one_backward, {4, 1, 8}) ==
        std::vector{4, 3, 2, 1});
  CHECK(in_flight(PipelineSchedule::one_forward_one_backward, {4, 1, 2}) ==
        std::vector{2, 2, 2, 1});
  // 2(p-1-r) + (v-1)p + 1 chunks: on stage 0, p v + p - 1.
  CHECK(in_flight(PipelineSchedule::interleaved, {4, 2, 8}) == std::vector{11, 9, 7, 5});
  CHECK(in_flight(PipelineSchedule::zb_h1, {4, 1, 8}) == std::vector{4, 4, 4, 4});
}

// "F0 B0 W0": steps by kind and micro-batch; an input gradient is a B as well.
std::string text_of(const std::vector<PipelineStep>& steps) {
  std::string text;
  for (const PipelineStep& step : steps) {
    if (!text.empty()) text += ' ';
    text += step.kind == Kind::forward ? 'F' : step.kind == Kind::weight_gradient ? 'W' : 'B';
    text += std::to_string(step.micro_batch);
  }
  return text;
}

// Stage 5 of 8 has 2 forwards before the first backward, and holds back 5 weight gradients if it
// has as many micro-batches. The pipeline drains when no forward is left, that is for the last 2
// backwards: between them there is room for a weight gradient. Of 3 micro-batches only the first
// one's backward is not among these. zb-h2 has 4 forwards first.
TEST_CASE("while the pipeline drains, weight gradients fill the gaps between input gradients") {
  const auto text = [](PipelineSchedule schedule, std::int32_t m, std::int32_t stage) {
    return text_of(pipeline_steps(schedule, {8, 1, m}, stage));
  };
  CHECK(text(PipelineSchedule::zb_h1, 3, 5) == "F0 F1 F2 B0 B1 W0 B2 W1 W2");
  CHECK(text(PipelineSchedule::zb_h1, 4, 5) == "F0 F1 F2 B0 F3 B1 B2 W0 B3 W1 W2 W3");
  CHECK(text(PipelineSchedule::zb_h1, 3, 7) == "F0 B0 F1 B1 F2 B2 W0 W1 W2");
  CHECK(text(PipelineSchedule::zb_h2, 5, 5) == "F0 F1 F2 F3 F4 B0 B1 W0 B2 W1 B3 W2 B4 W3 W4");
}

// Twice the warm-up of 1f1b on each stage: 2(p-1-s) forwards before the first of each. With F = B =
// W stages are never idle between their first step and their last.
TEST_CASE("zb-h2 has no bubble of its own, at twice the micro-batches in flight") {
  for (const std::int32_t p : {2, 4, 8}) {
    CAPTURE(p);
    CHECK(idle_inside(PipelineSchedule::zb_h2, {p, 1, 3 * p}, {1, 1, 1}) ==
          std::vector<std::int64_t>(p, 0));
    // (p-1)(F+B-2W) over the whole: stage 0 begins first and the last stage ends last.
    CHECK(bubble(PipelineSchedule::zb_h2, {p, 1, 3 * p}, {1, 1, 1}) == p - 1);
    CHECK(Player(PipelineSchedule::zb_h2, {p, 1, 3 * p}, {1, 1, 1}).play().in_flight ==
          std::vector<std::int32_t>(p, 2 * p - 1));
  }
}

TEST_CASE("zbv has no bubble of its own, with as many micro-batches in flight as 1f1b") {
  for (const std::int32_t p : {2, 4, 8}) {
    CAPTURE(p);
    CHECK(idle_inside(PipelineSchedule::zbv, {p, 2, 3 * p}, {1, 1, 1}) ==
          std::vector<std::int64_t>(p, 0));
    // 2p chunks, of half a stage each.
    for (const std::int32_t chunks :
         Player(PipelineSchedule::zbv, {p, 2, 3 * p}, {1, 1, 1}).play().in_flight)
      CHECK(chunks <= 2 * p);
  }
}

// README of DeepSeek's DualPipe: (PP/2-1)(F&B + B - 3W), PP parts of the model, B the whole
// backward pass (B + W here), F&B a forward beside a backward pass, the sum of both if there is no
// exchange to hide; PP + 1 micro-batches in flight.
TEST_CASE("dualpipe and dualpipe-v") {
  for (const std::int32_t parts : {2, 4, 8, 16})
    for (const Times t : {Times{1, 1, 1}, Times{2, 2, 2}, Times{2, 2, 1}}) {
      CAPTURE(parts, t.forward, t.backward, t.weight_gradient);
      const std::int64_t whole = t.backward + t.weight_gradient;
      const std::int64_t expected =
          (parts / 2 - 1) * (t.forward + whole + whole - 3 * t.weight_gradient);
      const std::int32_t m = 2 * parts + 2;
      CHECK(bubble(PipelineSchedule::dualpipe, {parts, 2, m}, t) == expected);
      CHECK(bubble(PipelineSchedule::dualpipe_v, {parts / 2, 2, m}, t) == expected);
      for (const std::int32_t chunks :
           Player(PipelineSchedule::dualpipe, {parts, 2, m}, t).play().in_flight)
        CHECK(chunks <= parts + 1);
    }
}

// Megatron-LM's table: groups of 6 micro-batches, the last one of 4; any is possible from p on.
TEST_CASE("interleaved with a last group of another size") {
  const auto steps = pipeline_steps(PipelineSchedule::interleaved, {4, 2, 10, 6}, 0);
  std::vector<std::pair<int, int>> forwards;  // micro-batch and chunk
  for (const PipelineStep& step : steps)
    if (step.kind == Kind::forward) forwards.emplace_back(step.micro_batch, step.chunk);
  CHECK(forwards == std::vector<std::pair<int, int>>{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0},
                                                     {5, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 1},
                                                     {4, 1}, {5, 1}, {6, 0}, {7, 0}, {8, 0},
                                                     {9, 0}, {6, 1}, {7, 1}, {8, 1}, {9, 1}});
  for (const std::int32_t m : {4, 6, 10, 12, 16})
    CHECK(bubble(PipelineSchedule::interleaved, {4, 2, m, 6}, {1, 1, 1}) >= 3 * 3);
  CHECK(bubble(PipelineSchedule::interleaved, {4, 2, 12, 6}, {1, 1, 1}) == 3 * 3);
}

// Megatron-LM's combined 1f1b: a forward more before the first backward pass, then pairs of which
// neither needs the other. One chunk more is in flight than without: p v + p - 1 on stage 0, and 2
// instead of 1 without a pipeline.
TEST_CASE("forward and backward passes that go together") {
  const Times t{3, 3, 3};
  for (const std::int32_t p : {2, 4}) {
    for (const std::int32_t v : {2, 3}) {
      PipelineShape shape{p, v, 2 * p};
      const Played alone = Player(PipelineSchedule::interleaved, shape, t).play();
      shape.together = true;
      const Played pairs = Player(PipelineSchedule::interleaved, shape, t).play();
      CHECK(alone.in_flight[0] == p * v + p - 1);
      CHECK(pairs.in_flight[0] == p * v + p);
      for (const PipelineStep& step : pipeline_steps(PipelineSchedule::interleaved, shape, p - 1))
        if (step.with_next) CHECK(step.kind == Kind::forward);
    }
  }
  const PipelineShape shape{1, 1, 4, 0, true};
  const auto steps = pipeline_steps(PipelineSchedule::one_forward_one_backward, shape, 0);
  std::string text;
  for (const PipelineStep& step : steps) {
    text += step.kind == Kind::forward ? 'F' : 'B';
    text += static_cast<char>('0' + step.micro_batch);
    text += step.with_next ? '+' : ' ';
  }
  CHECK(text == "F0 F1+B0 F2+B1 F3+B2 B3 ");
  CHECK(Player(PipelineSchedule::one_forward_one_backward, shape, t).play().in_flight[0] == 2);
}
