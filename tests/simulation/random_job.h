// Random jobs in which all ranks are alike, or those that differ in some digits of their numbers
// only, with round numbers, so that much happens at the same picosecond.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "simulation/simulate.h"

namespace orrery::test {

class RandomJob {
 public:
  // With `stages`, ranks differ in what they compute, digit by digit, and groups are parts of
  // levels.
  explicit RandomJob(std::uint64_t seed, bool stages = false)
      : random_(seed, "folding"), stages_(stages) {}

  // On random levels, or on a platform.
  Experiment make() {
    TopologySpec topology;
    add_levels(topology);
    return make(std::move(topology));
  }
  Experiment make(TopologySpec topology) {
    Experiment experiment;
    experiment.name = "random";
    experiment.npu.peak = teraflops_per_second(1);
    experiment.topology = std::move(topology);
    ranks_ = 1;
    for (const LevelSpec& level : experiment.topology.levels) ranks_ *= level.size;
    fill_system(experiment.system, experiment.topology);
    fill_workload(experiment.workload, experiment.topology);
    return experiment;
  }

 private:
  template <class T>
  T one_of(const std::vector<T>& values) {
    return values[random_.uniform_int(values.size())];
  }
  std::int32_t between(std::int32_t first, std::int32_t last) {
    return first + static_cast<std::int32_t>(
                       random_.uniform_int(static_cast<std::uint64_t>(last - first + 1)));
  }

  void add_levels(TopologySpec& topology) {
    const std::int32_t levels = between(1, 3);
    for (std::int32_t level = 0; level < levels; ++level) {
      const auto kind =
          one_of<LevelKind>({LevelKind::ring, LevelKind::fully_connected, LevelKind::switched});
      topology.levels.push_back({"level " + std::to_string(level), kind,
                                 between(2, levels == 3 ? 4 : 8),
                                 gigabytes_per_second(one_of<std::int64_t>({1, 1, 2})),
                                 nanoseconds(one_of<std::int64_t>({1, 2, 12, 24})),
                                 one_of<Scope>({Scope::local, Scope::scale_out})});
      ranks_ *= topology.levels.back().size;
    }
  }

  // Only algorithms in which all ranks do the same.
  std::string algorithm_for(Collective kind, std::int32_t size) {
    if (kind == Collective::barrier) return "dissemination";
    if (kind == Collective::all_to_all) {
      const bool in_pairs = size == 4 || size == 8;
      return one_of<std::string>(
          {"ring", "ring:2", "direct", "direct:2", "bruck", in_pairs ? "direct:1" : "pairwise"});
    }
    const bool exchanges = stages_ && kind != Collective::all_to_all && (size == 4 || size == 8);
    return one_of<std::string>(
        {"ring", "ring:2", "ring:3", "direct", "direct:1", exchanges ? "halving_doubling" : "pat"});
  }

  void fill_system(SystemSpec& system, const TopologySpec& topology) {
    system.scheduling =
        one_of<SchedulingPolicy>({SchedulingPolicy::lifo, SchedulingPolicy::fifo,
                                  SchedulingPolicy::priority, SchedulingPolicy::shortest_first});
    for (int kind = 0; kind < collective_count; ++kind) {
      CollectiveSpec& spec = system.collectives[static_cast<std::size_t>(kind)];
      spec.schedule = one_of<HierarchicalSchedule>(
          {HierarchicalSchedule::baseline, HierarchicalSchedule::local_bandwidth_aware,
           HierarchicalSchedule::torus, HierarchicalSchedule::themis,
           HierarchicalSchedule::across_first});
      spec.algorithms.clear();
      for (const LevelSpec& level : topology.levels)
        spec.algorithms.emplace_back(algorithm_for(static_cast<Collective>(kind), level.size));
      spec.chunks = chunks_;
    }
    system.minimum_chunk = bytes(1);
    system.first_phase_limit = between(1, 4);
    system.queue_limit = between(1, 3);
    system.queues_per_level = between(1, 2);
    if (between(0, 2) == 0) system.overlap_limit = between(1, 3);
    if (between(0, 2) == 0) system.sm_tax = {1, between(2, 5)};
    system.injection_latency = nanoseconds(one_of<std::int64_t>({0, 0, 1, 12}));
    system.local_injection_latency = nanoseconds(one_of<std::int64_t>({0, 1, 2, 12}));
    if (between(0, 1) == 1) system.reduction_bandwidth = gigabytes_per_second(4);
  }

  CollectiveCall call(std::int32_t communicators) {
    constexpr std::int64_t most_channels = 6;  // 1, 2 and 3 divide it
    CollectiveCall call{};
    call.kind = one_of<Collective>({Collective::all_reduce, Collective::all_reduce,
                                    Collective::reduce_scatter, Collective::all_gather,
                                    Collective::all_to_all, Collective::barrier});
    call.communicator = between(0, communicators - 1);
    if (call.kind != Collective::barrier)
      call.size = between(0, 1) == 0 ? bytes(between(1, 4) * ranks_ * chunks_ * most_channels)
                                     : bytes(between(1, 200));  // that nothing divides
    call.priority =
        one_of<Priority>({Priority::normal, Priority::highest, static_cast<Priority>(3)});
    call.update = nanoseconds(one_of<std::int64_t>({0, 0, 12}));
    return call;
  }

  void fill_workload(WorkloadSpec& workload, const TopologySpec& topology) {
    ProgramSpec program;
    const int levels = static_cast<int>(topology.levels.size());
    std::vector<int> all;
    for (int level = 0; level < levels; ++level) all.push_back(level);
    program.communicators.emplace_back(all);
    for (const int level : all) program.communicators.emplace_back(std::vector<int>{level});
    if (stages_)
      for (int level = 0; level < levels; ++level) add_part_of(topology, level, program);
    if (stages_ && between(0, 1) == 1) add_mirrored(program);
    const auto communicators = static_cast<std::int32_t>(program.communicators.size());

    ProgramSpec::Part part;
    std::vector<std::int64_t> calls;
    const std::int32_t steps = between(2, 9);
    for (std::int32_t i = 0; i < steps; ++i) {
      ProgramSpec::Step step;
      const std::int32_t what = between(0, 5);
      if (what == 0) {
        step.operation.what = compute();
      } else if (what == 1 && !calls.empty()) {
        step.operation.what = Wait{one_of(calls)};
      } else {
        step.operation.what = call(communicators);
        step.wait = between(0, 3) == 0;
        calls.push_back(i);
      }
      part.steps.push_back(step);
    }
    if (stages_)
      add_stages(program, part);
    else
      program.parts.push_back(part);
    workload.what = program;
    workload.iterations = between(1, 3);
  }

  Compute compute() {
    return Compute{{}, {}, nanoseconds(one_of<std::int64_t>({0, 1, 24, 100, 500}))};
  }

  std::int32_t divisor_of(std::int32_t number) {
    std::int32_t divisor = between(1, number);
    while (number % divisor != 0) --divisor;
    return divisor;
  }

  // Groups of some neighbours on a level, or of ranks that are so far apart.
  void add_part_of(const TopologySpec& topology, int level, ProgramSpec& program) {
    std::int32_t stride = 1;
    for (int below = 0; below < level; ++below) stride *= topology.levels[below].size;
    const std::int32_t size = topology.levels[level].size, apart = divisor_of(size);
    const std::int32_t count = divisor_of(size / apart);
    if (count > 1) program.communicators.emplace_back(std::vector<Extent>{{count, stride * apart}});
  }

  // Lists: of the ranks of a stage those that are so far apart, and those of the stage that is as
  // far from the last one as this one is from the first.
  void add_mirrored(ProgramSpec& program) {
    const std::int32_t stages = divisor_of(ranks_), ranks = ranks_ / stages;
    if (stages % 2 != 0) return;
    const std::int32_t apart = divisor_of(ranks);
    RankLists lists;
    for (std::int32_t stage = 0; stage < stages / 2; ++stage)
      for (std::int32_t first = 0; first < apart; ++first) {
        lists.emplace_back();
        for (const std::int32_t row : {stage, stages - 1 - stage})
          for (Rank rank = first; rank < ranks; rank += apart)
            lists.back().push_back(row * ranks + rank);
      }
    program.communicators.emplace_back(lists);
  }

  // Ranks with another number / stride compute for other times.
  void add_stages(ProgramSpec& program, const ProgramSpec::Part& part) {
    const std::int32_t count = divisor_of(ranks_), stride = ranks_ / count;
    for (std::int32_t stage = 0; stage < count; ++stage) {
      ProgramSpec::Part own = part;
      for (ProgramSpec::Step& step : own.steps)
        if (std::holds_alternative<Compute>(step.operation.what)) step.operation.what = compute();
      for (std::int32_t rank = 0; rank < stride; ++rank) own.ranks.push_back(stage * stride + rank);
      program.parts.push_back(own);
    }
  }

  RandomStream random_;
  bool stages_;
  std::int32_t ranks_ = 1, chunks_ = between(1, 5);
};

}  // namespace orrery::test
