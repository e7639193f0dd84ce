// The orders of pipeline_schedule.h, played on a clock of whole numbers: every step once, none
// before what it needs, and the idle time of the closed forms.
#include "workload/parallelism/pipeline_schedule.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <tuple>

using namespace orrery;

namespace {

using Kind = PipelineStep::Kind;

struct Times {
  std::int64_t forward, backward, weight_gradient;  // of a chunk
};

struct Played {
  std::int64_t end = 0;
  std::vector<std::int32_t> in_flight;  // of each stage, at most: chunks forward and not yet back
};

// Independent of the implementation: a stage takes its next step as soon as it is free and the step
// has what it needs from the neighbouring part of the model.
class Player {
 public:
  Player(PipelineSchedule schedule, const PipelineShape& shape, const Times& times)
      : schedule_(schedule), shape_(shape), times_(times) {
    for (std::int32_t stage = 0; stage < shape.stages; ++stage)
      steps_.push_back(pipeline_steps(schedule, shape, stage));
  }

  Played play() {
    Played played;
    played.in_flight.resize(shape_.stages);
    std::vector<std::size_t> next(shape_.stages);
    std::vector<std::int64_t> free(shape_.stages);
    std::vector<std::int32_t> open(shape_.stages);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::int32_t stage = 0; stage < shape_.stages; ++stage) {
        if (next[stage] == steps_[stage].size()) continue;
        const PipelineStep step = steps_[stage][next[stage]];
        const auto from = needed(step, stage);
        if (from && !ends_.contains(*from)) continue;
        free[stage] = std::max(free[stage], from ? ends_[*from] : 0) + time_of(step);
        REQUIRE(ends_.emplace(key(step.kind, step, part(step, stage)), free[stage]).second);
        if (step.kind == Kind::forward) ++open[stage];
        if (step.kind == last_kind()) --open[stage];
        played.in_flight[stage] = std::max(played.in_flight[stage], open[stage]);
        ++next[stage];
        moved = true;
      }
    }
    for (std::int32_t stage = 0; stage < shape_.stages; ++stage) {
      const int kinds = splits_backward(schedule_) ? 3 : 2;
      REQUIRE(next[stage] == steps_[stage].size());
      REQUIRE(static_cast<int>(steps_[stage].size()) ==
              kinds * shape_.chunks * shape_.micro_batches);
    }
    played.end = *std::max_element(free.begin(), free.end());
    return played;
  }

 private:
  using Key = std::tuple<Kind, std::int32_t, std::int32_t>;  // what, micro-batch, part of the model

  Kind last_kind() const {
    return splits_backward(schedule_) ? Kind::weight_gradient : Kind::backward;
  }
  std::int32_t part(const PipelineStep& step, std::int32_t stage) const {
    return step.chunk * shape_.stages + stage;
  }
  static Key key(Kind kind, const PipelineStep& step, std::int32_t part) {
    return {kind, step.micro_batch, part};
  }
  std::optional<Key> needed(const PipelineStep& step, std::int32_t stage) const {
    const std::int32_t here = part(step, stage), last = shape_.stages * shape_.chunks - 1;
    if (step.kind == Kind::weight_gradient) return key(Kind::backward, step, here);
    if (step.kind == Kind::forward)
      return here == 0 ? std::nullopt : std::optional(key(Kind::forward, step, here - 1));
    return here == last ? key(Kind::forward, step, here) : key(Kind::backward, step, here + 1);
  }
  std::int64_t time_of(const PipelineStep& step) const {
    if (step.kind == Kind::forward) return times_.forward;
    if (step.kind == Kind::weight_gradient) return times_.weight_gradient;
    return times_.backward + (splits_backward(schedule_) ? 0 : times_.weight_gradient);
  }

  PipelineSchedule schedule_;
  PipelineShape shape_;
  Times times_;
  std::vector<std::vector<PipelineStep>> steps_;
  std::map<Key, std::int64_t> ends_;
};

std::int64_t bubble(PipelineSchedule schedule, const PipelineShape& shape, const Times& t) {
  return Player(schedule, shape, t).play().end - std::int64_t{shape.micro_batches} * shape.chunks *
                                                     (t.forward + t.backward + t.weight_gradient);
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
