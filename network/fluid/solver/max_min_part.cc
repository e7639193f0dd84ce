// Of the solver, how a part of the flows is filled anew; max_min_solver.h says why one pass will
// do.
#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "network/fluid/solver/max_min_solver.h"

namespace orrery::fluid {

void MaxMinSolver::solve_part() {
  if (fill_part()) {
    patience_ = 0;
    return commit_part();
  }
  if (most_of_all()) {
    // Where one change touched most, the next ones are likely to: do not try for a while.
    constexpr std::uint32_t at_most = 64;
    patience_ = std::min(std::max(2 * patience_, 1U), at_most);
    parts_to_skip_ = patience_;
  }
  solve_all();
}

// Makes the flow a member of A, and room for it on its links.
void MaxMinSolver::include(FlowId flow) {
  if (mark_[flow] >= epoch_) return;
  mark_[flow] = epoch_;
  members_.push_back(flow);
  ++open_;
  const double level = level_of(flow);
  for (const Step& step : paths_.steps(flow)) {
    Part& part = parts_[step.link];
    if (part.stamp != epoch_) {
      const LinkState& link = links_[step.link];
      part = {.residual = link.capacity - link.load,
              .level = link.level,
              .due = infinite,
              .others = link.own,
              .stamp = epoch_};
      touched_.push_back(step.link);
    }
    part.residual += contribution(step, level);
    part.demand += step.demand * step.count;
    ++part.flows;
    if (++part.open == 1) continue;
    if (part.guards) seekers_.push_back(part.only);
    part.guards = false;
    if (part.noted) continue;
    part.noted = true;
    nearer_.push_back(step.link);
  }
  seekers_.push_back(flow);
  if (bottleneck_[flow] != no_link) --parts_[bottleneck_[flow]].others;
}

void MaxMinSolver::include_own(LinkId link) {
  for (const Crossing& crossing : links_[link].crossings)
    if (crossing.is_bottleneck) include(crossing.flow);
}

// Those not in A who have more than `level` on the link. Where it was full before, nobody has more
// than those whose bottleneck it was.
bool MaxMinSolver::include_above(LinkId link, double level) {
  const LinkState& state = links_[link];
  if (parts_[link].flows == state.crossings.size()) return false;
  if (state.level < infinite && level >= state.level) return false;
  const std::size_t before = members_.size();
  for (const Crossing& crossing : state.crossings) {
    if (mark_[crossing.flow] < epoch_ && level_of(crossing.flow) > level * tie)
      include(crossing.flow);
  }
  return members_.size() > before;
}

// A lower bound of the level at which the link has to be looked at: where it is full for A, or
// where it was full for others who are not in A.
double MaxMinSolver::next_level(const Part& part) {
  if (part.open == 0) return infinite;
  const double share = part.demand == 1.0 ? part.residual : part.residual / part.demand;
  const double level = std::max(share, 0.0);
  return part.others > 0 ? std::min(level, part.level) : level;
}

void MaxMinSolver::queue_link(LinkId link, double due) {
  if (due >= parts_[link].due) return;
  parts_[link].due = due;
  candidates_.push(due, link);
}

// Of the links that no other flow of A crosses, a flow needs only the one with the lowest level: as
// long as that guards the flow, the others are of no use to anybody.
void MaxMinSolver::queue_guard(FlowId flow) {
  double least = infinite;
  LinkId guard = no_link;
  for (const Step& step : paths_.steps(flow)) {
    const Part& part = parts_[step.link];
    if (part.open > 1) continue;
    const double due = next_level(part);
    if (due > least || (due == least && step.link > guard)) continue;
    least = due;
    guard = step.link;
  }
  if (guard == no_link) return;
  parts_[guard].guards = true;
  parts_[guard].only = flow;
  queue_link(guard, least);
}

void MaxMinSolver::queue_nearer() {
  for (const LinkId link : nearer_) {
    parts_[link].noted = false;
    queue_link(link, next_level(parts_[link]));
  }
  nearer_.clear();
  for (const FlowId flow : seekers_)
    if (mark_[flow] == epoch_) queue_guard(flow);
  seekers_.clear();
}

// Water-filling as in fill(), with a set A that grows. False if all are to be filled at once: A has
// become most of them, or two levels of one link are apart by a rounding.
bool MaxMinSolver::fill_part() {
  candidates_.clear();
  queue_nearer();
  double last = 0;
  while (open_ > 0) {
    if (most_of_all()) return false;
    const LinkId link = candidates_.link();
    Part& part = parts_[link];
    const double due = next_level(part);
    if (candidates_.level() != part.due || due == infinite) {  // it has a nearer place, or is done
      if (candidates_.level() == part.due) part.due = infinite;
      candidates_.pop();
      continue;
    }
    if (due > candidates_.second_level() * tie && due > last * tie) {
      part.due = due;
      candidates_.raise(due);
      continue;
    }
    const double share = part.residual / part.demand;
    const double level = share > last * tie ? rounded(share) : last;
    if (part.others > 0 && level != part.level) {
      include_own(link);
    } else if (!include_above(link, level)) {
      if (part.full && part.top != level) return false;
      candidates_.pop();
      part.due = infinite;
      last = level;
      fix_part(link, level);
      include_disturbed();
    }
    queue_nearer();
  }
  return true;
}

void MaxMinSolver::fix_part(LinkId link, double level) {
  parts_[link].full = true;
  parts_[link].top = level;
  for (const Crossing& crossing : links_[link].crossings) {
    const FlowId flow = crossing.flow;
    if (mark_[flow] != epoch_) continue;
    mark_[flow] = epoch_ + 1;
    tentative_[flow] = link;
    --open_;
    for (const Step& step : paths_.steps(flow)) {
      Part& part = parts_[step.link];
      part.residual -= contribution(step, level);
      part.demand -= step.demand * step.count;
      if (--part.open == 0 && part.others > 0) disturbed_.push_back(step.link);
    }
  }
}

// Links whose flows in A are all fixed: if the link is not full any more, nor overfull, others get
// more or less.
void MaxMinSolver::include_disturbed() {
  for (const LinkId link : disturbed_) {
    const double margin = links_[link].capacity * 0x1p-40 + 64 * quantum_;
    if (parts_[link].open == 0 && std::abs(parts_[link].residual) > margin) include_own(link);
  }
  disturbed_.clear();
}

void MaxMinSolver::commit_part() {
  flows_filled_ += members_.size();
  for (const LinkId link : touched_) {
    LinkState& state = links_[link];
    const Part& part = parts_[link];
    state.load = state.capacity - part.residual;
    if (watch_loads_) note_load(link);
    if (part.full)
      set_level(link, part.top);
    else if (part.others == 0)
      state.level = infinite;
  }
  for (const FlowId flow : members_)
    if (bottleneck_[flow] != tentative_[flow]) move(flow, tentative_[flow]);
}

}  // namespace orrery::fluid
