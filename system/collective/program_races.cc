#include "system/collective/program_races.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery {
namespace {

// The last step of a thread that read or wrote a place; -1 = none.
struct Use {
  std::int32_t read = -1, written = -1;
};

// Looks at the memory of one rank. A step's clock says for each thread of that rank how many of its
// steps have been done before for certain.
class RaceFinder {
 public:
  RaceFinder(const MessageProgram& program, Position rank)
      : program_(program),
        rank_(rank),
        threads_(program.ranks[rank].threads.size()),
        uses_(program.ranks[rank].at_start.size(), std::vector<Use>(threads_)) {
    for (const RankProgram& other : program.ranks)
      last_of_thread_.emplace_back(other.threads.size(), ProgramEvent::kNone);
    for (const RankProgram& other : program.ranks) {
      event_of_.emplace_back();
      for (const auto& steps : other.threads)
        event_of_.back().emplace_back(steps.size(), ProgramEvent::kNone);
    }
  }

  std::optional<ProgramFault> run(const std::vector<ProgramEvent>& events) {
    clocks_.assign(events.size() * threads_, 0);
    for (std::size_t number = 0; number < events.size(); ++number) {
      const ProgramEvent& event = events[number];
      const ProgramStep& step = step_of(event);
      learn(number, last_of_thread_[event.rank][event.step.thread]);
      learn(number, event.sender);
      for (const StepName& other : step.after)
        learn(number, event_of_[event.rank][other.thread][other.step]);
      last_of_thread_[event.rank][event.step.thread] = number;
      event_of_[event.rank][event.step.thread][event.step.step] = number;
      if (event.rank != rank_) continue;
      if (auto fault = use_places(number, event, step)) return fault;
      clocks_[number * threads_ + event.step.thread] = event.step.step + 1;
    }
    return std::nullopt;
  }

 private:
  const ProgramStep& step_of(const ProgramEvent& event) const {
    return program_.ranks[event.rank].threads[event.step.thread][event.step.step];
  }

  void learn(std::size_t number, std::size_t from) {
    if (from == ProgramEvent::kNone) return;
    for (std::size_t thread = 0; thread < threads_; ++thread)
      clocks_[number * threads_ + thread] =
          std::max(clocks_[number * threads_ + thread], clocks_[from * threads_ + thread]);
  }

  std::optional<ProgramFault> use_places(std::size_t number, const ProgramEvent& event,
                                         const ProgramStep& step) {
    const bool reads =
        step.kind == StepKind::send || step.kind == StepKind::copy || step.kind == StepKind::add;
    const bool writes = step.kind != StepKind::send && step.kind != StepKind::nothing &&
                        step.kind != StepKind::compute;
    for (std::int32_t i = 0; i < step.count; ++i) {
      if (reads)
        if (auto fault = use(number, event, step.source + i, false)) return fault;
      if (writes)
        if (auto fault = use(number, event, step.target + i, true)) return fault;
    }
    return std::nullopt;
  }

  std::optional<ProgramFault> use(std::size_t number, const ProgramEvent& event, std::int32_t place,
                                  bool writes) {
    const ProgramStep& step = step_of(event);
    for (std::size_t thread = 0; thread < threads_; ++thread) {
      if (static_cast<std::int32_t>(thread) == event.step.thread) continue;
      const Use& other = uses_[place][thread];
      const std::int32_t before = writes ? std::max(other.read, other.written) : other.written;
      if (before < clocks_[number * threads_ + thread]) continue;
      return ProgramFault{
          fmt::format("rank {}: thread {}, step {} {} {}, which thread {}, step {} {}, and nothing "
                      "says which comes first",
                      event.rank, event.step.thread, step.number, writes ? "writes" : "reads",
                      name_of_place(program_.ranks[rank_], place), thread,
                      program_.ranks[rank_].threads[thread][before].number,
                      before == other.written ? "writes" : "reads"),
          step.line};
    }
    Use& own = uses_[place][event.step.thread];
    (writes ? own.written : own.read) = event.step.step;
    return std::nullopt;
  }

  const MessageProgram& program_;
  Position rank_;
  std::size_t threads_;
  std::vector<std::int32_t> clocks_;                             // of each event, thread by thread
  std::vector<std::vector<Use>> uses_;                           // of each place, by thread
  std::vector<std::vector<std::size_t>> last_of_thread_;         // of each rank
  std::vector<std::vector<std::vector<std::size_t>>> event_of_;  // of each rank, thread and step
};

}  // namespace

std::optional<ProgramFault> find_race(const MessageProgram& program,
                                      const std::vector<ProgramEvent>& events) {
  for (Position rank = 0; rank < static_cast<Position>(program.ranks.size()); ++rank)
    if (auto fault = RaceFinder(program, rank).run(events)) return fault;
  return std::nullopt;
}

}  // namespace orrery
