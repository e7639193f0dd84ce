#include "network/fluid/solver/max_min_solver.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace orrery::fluid {
namespace {

// Shares and weights as multiples of 2^-32, so that 2^20 of them add up exactly.
double rounded_demand(double demand) {
  constexpr double rounder = 0x1.8p20;
  const double rounded = demand + rounder - rounder;
  return rounded > 0 ? rounded : 0x1p-32;
}

bool is_plain(std::span<const Step> steps) {
  const auto plain = [](const Step& step) { return step.demand == 1.0 && step.count == 1.0; };
  return steps.size() == 2 && plain(steps[0]) && plain(steps[1]);
}

}  // namespace

MaxMinSolver::MaxMinSolver(std::span<const double> capacities, double largest, double part)
    : part_(part) {
  CHECK(largest > 0 && std::isfinite(largest), "largest capacity {}", largest);
  int exponent = 0;
  std::frexp(largest, &exponent);
  quantum_ = std::ldexp(1.0, exponent - 51);
  rounder_ = 1.5 * std::ldexp(quantum_, 52);
  links_.reserve(capacities.size());
  parts_.reserve(capacities.size());
  filling_.reserve(capacities.size());
  for (const double capacity : capacities) add_link(capacity);
}

LinkId MaxMinSolver::add_link(double capacity) {
  LinkId link = static_cast<LinkId>(links_.size());
  if (free_links_.empty()) {
    links_.emplace_back();
    parts_.emplace_back();
    filling_.emplace_back();
  } else {
    link = free_links_.back();
    free_links_.pop_back();
  }
  links_[link].capacity = rounded(capacity);
  return link;
}

void MaxMinSolver::remove_link(LinkId link) {
  DCHECK(links_[link].crossings.empty(), "link {}", link);
  free_links_.push_back(link);
}

void MaxMinSolver::set_capacity(LinkId link, double capacity) {
  LinkState& state = links_[link];
  capacity = rounded(capacity);
  if (state.capacity == capacity) return;
  const bool matters = state.level < infinite || capacity < state.load;
  state.capacity = capacity;
  if (!matters || state.lost_load) return;
  state.lost_load = true;
  losers_.push_back(link);
}

FlowId MaxMinSolver::add(std::span<const LinkUse> path, double weight) {
  const FlowId flow = paths_.add(path.size());
  if (flow >= bottleneck_.size()) {
    bottleneck_.push_back(no_link);
    tentative_.push_back(no_link);
    weight_.push_back(weight);
    mark_.push_back(0);
  }
  bottleneck_[flow] = no_link;
  weight_[flow] = weight;
  const std::span<Step> steps = paths_.steps(flow);
  const std::uint32_t first = paths_.first(flow);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double share = path[i].share * weight;
    const double demand = share == 1.0 ? 1.0 : rounded_demand(share);
    LinkState& link = links_[path[i].link];
    steps[i] = {path[i].link, static_cast<std::uint32_t>(link.crossings.size()), demand,
                path[i].count};
    link.demand += demand * path[i].count;
    link.crossings.push_back({flow, first + static_cast<std::uint32_t>(i), 0, 0});
  }
  if (is_plain(steps)) {
    constexpr LinkId mask = 0x7fff'ffff;  // for the compiler: ids are smaller
    links_[steps[0].link].crossings.back().other = steps[1].link & mask;
    links_[steps[1].link].crossings.back().other = steps[0].link & mask;
  } else {
    ++crooked_count_;
  }
  arrived_.push_back(flow);
  ++flow_count_;
  return flow;
}

void MaxMinSolver::remove(FlowId flow) {
  const bool solved = bottleneck_[flow] != no_link;
  const double level = level_of(flow);
  for (const Step& step : paths_.steps(flow)) {
    LinkState& link = links_[step.link];
    const Crossing last = link.crossings.back();
    link.crossings[step.place] = last;
    paths_.step(last.step).place = step.place;
    link.crossings.pop_back();
    if (link.crossings.empty()) {
      link.load = link.demand = 0;
      link.level = infinite;
    } else {
      link.demand -= step.demand * step.count;
      if (solved) link.load -= contribution(step, level);
      if (solved && link.level < infinite && !link.lost_load) {
        link.lost_load = true;
        losers_.push_back(step.link);
      }
    }
    if (watch_loads_) note_load(step.link);
  }
  if (solved)
    --links_[bottleneck_[flow]].own;
  else
    arrived_.erase(std::find(arrived_.begin(), arrived_.end(), flow));
  if (!is_plain(paths_.steps(flow))) --crooked_count_;
  paths_.remove(flow);
  --flow_count_;
}

MaxMinSolver::Changes MaxMinSolver::solve() {
  moved_.clear();
  levels_.clear();
  members_.clear();
  open_ = 0;
  nearer_.clear();
  seekers_.clear();
  touched_.clear();
  next_epoch();
  if (collect_seeds()) {
    if (most_of_all() || parts_to_skip_ > 0) {
      if (parts_to_skip_ > 0) --parts_to_skip_;
      solve_all();
    } else {
      solve_part();
    }
  }
  loads_.swap(noted_);
  noted_.clear();
  for (const LinkId link : loads_) links_[link].load_noted = false;
  return {moved_, levels_, loads_};
}

void MaxMinSolver::next_epoch() {
  epoch_ += 2;
  if (epoch_ < 0xffff'fff0) return;
  std::fill(mark_.begin(), mark_.end(), 0);
  for (Part& part : parts_) part.stamp = 0;
  epoch_ = 2;
}

// Filling everything looks at every link, but keeps no account of who joins; it costs half as much
// for flows that are plain.
bool MaxMinSolver::most_of_all() const {
  const double part = crooked_count_ == 0 ? part_ : 2 * part_;
  return static_cast<double>(members_.size()) > part * static_cast<double>(flow_count_) &&
         flow_count_ * 4 > links_.size();
}

// True if no other flow crosses the flow's links.
bool MaxMinSolver::alone(FlowId flow) const {
  for (const Step& step : paths_.steps(flow))
    if (links_[step.link].crossings.size() > 1) return false;
  return true;
}

void MaxMinSolver::fill_alone(FlowId flow) {
  double level = infinite;
  LinkId bottleneck = no_link;
  for (const Step& step : paths_.steps(flow)) {
    const double capacity = links_[step.link].capacity;
    const double demand = step.demand * step.count;
    const double here = demand == 1.0 ? capacity : rounded(capacity / demand);
    if (here >= level) continue;
    level = here;
    bottleneck = step.link;
  }
  for (const Step& step : paths_.steps(flow)) {
    links_[step.link].load = contribution(step, level);
    links_[step.link].level = infinite;
    if (watch_loads_) note_load(step.link);
  }
  set_level(bottleneck, level);
  move(flow, bottleneck);
}

void MaxMinSolver::move(FlowId flow, LinkId bottleneck) {
  moved_.push_back({flow, bottleneck_[flow]});
  if (bottleneck_[flow] != no_link) --links_[bottleneck_[flow]].own;
  ++links_[bottleneck].own;
  bottleneck_[flow] = bottleneck;
  for (const Step& step : paths_.steps(flow))
    links_[step.link].crossings[step.place].is_bottleneck = step.link == bottleneck;
}

// Returns whether there is anything to solve. What is filled with all others is not collected.
bool MaxMinSolver::collect_seeds() {
  const bool one_by_one = parts_to_skip_ == 0;
  bool changed = false;
  for (const LinkId link : losers_) {
    LinkState& state = links_[link];
    state.lost_load = false;
    if (!one_by_one) {
      changed = changed || !state.crossings.empty();
      continue;
    }
    const bool overfull = state.load > state.capacity;
    for (const Crossing& crossing : state.crossings)
      if (overfull || bottleneck_[crossing.flow] == link) include(crossing.flow);
  }
  losers_.clear();
  for (const FlowId flow : arrived_) {
    if (alone(flow))
      fill_alone(flow);
    else if (one_by_one)
      include(flow);
    else
      changed = true;
  }
  arrived_.clear();
  return changed || !members_.empty();
}

void MaxMinSolver::solve_all() {
  ++full_solves_;
  flows_filled_ += flow_count_;
  next_epoch();
  touched_.clear();
  for (LinkId link = 0; link < links_.size(); ++link) {
    const LinkState& state = links_[link];
    if (state.crossings.empty()) continue;
    touched_.push_back(link);
    filling_[link] = {state.capacity, state.demand, 0,
                      static_cast<std::uint32_t>(state.crossings.size()), false};
  }
  if (crooked_count_ == 0)
    fill_plain();
  else
    fill();
  for (const LinkId link : touched_) {
    LinkState& state = links_[link];
    const Filling& filled = filling_[link];
    state.load = state.capacity - filled.residual;
    if (watch_loads_) note_load(link);
    if (filled.full)
      set_level(link, filled.top);
    else
      state.level = infinite;
  }
}

void MaxMinSolver::find_candidates() {
  candidates_.clear();
  for (const LinkId link : touched_) {
    const Filling& filling = filling_[link];
    candidates_.add(filling.residual / filling.demand, link);
  }
  candidates_.arrange();
}

// Water-filling: the link that is full first fixes the level of its open flows, and so on. The
// level at which a link is full only rises while others are fixed, so an old one is a lower bound.
void MaxMinSolver::fill() {
  find_candidates();
  double last = 0;
  for (std::size_t open = flow_count_; open > 0;) {
    const LinkId link = candidates_.link();
    Filling& filling = filling_[link];
    if (filling.open == 0) {
      candidates_.pop();
      continue;
    }
    const double level = filling.residual / filling.demand;
    if (level > candidates_.second_level() * tie && level > last * tie) {
      candidates_.raise(level);
      continue;
    }
    candidates_.pop();
    if (level > last * tie) last = rounded(level);
    open -= fix_flows(link, last);
    filling.full = true;
  }
}

inline void MaxMinSolver::fix_on(const Step& step, double level) {
  Filling& filling = filling_[step.link];
  filling.residual -= contribution(step, level);
  filling.demand -= step.demand * step.count;
  filling.top = level;
  --filling.open;
}

std::size_t MaxMinSolver::fix_flows(LinkId link, double level) {
  std::size_t fixed = 0;
  for (const Crossing& crossing : links_[link].crossings) {
    const FlowId flow = crossing.flow;
    if (mark_[flow] == epoch_) continue;
    mark_[flow] = epoch_;
    for (const Step& step : paths_.steps(flow)) fix_on(step, level);
    if (bottleneck_[flow] != link) move(flow, link);
    ++fixed;
  }
  return fixed;
}

// As fill(), where every flow has two links and demands of 1.
void MaxMinSolver::fill_plain() {
  plain_.resize(links_.size());
  candidates_.clear();
  for (const LinkId link : touched_) {
    const Filling& filling = filling_[link];
    plain_[link] = {filling.residual, filling.open, 1};
    candidates_.add(filling.residual / filling.open, link);
  }
  candidates_.arrange();
  double last = 0;
  for (std::size_t open = flow_count_; open > 0;) {
    const LinkId link = candidates_.link();
    PlainFilling& filling = plain_[link];
    const double level = filling.open == 0 ? infinite : filling.residual / filling.open;
    if (level > candidates_.level() * tie && level > last * tie && level < infinite) {
      candidates_.raise(level);
      if (candidates_.link() != link) continue;
    }
    candidates_.pop();
    if (level == infinite) continue;
    if (level > last * tie) last = rounded(level);
    filling.is_open = 0;
    const std::uint32_t fixed = fix_plain_flows(link, last);
    filling.residual -= fixed * last;
    open -= fixed;
    filling_[link].full = true;
    filling_[link].top = last;
  }
  for (const LinkId link : touched_) filling_[link].residual = plain_[link].residual;
}

// A flow is fixed if its other link is full, and nothing of the flow itself is looked at; no branch
// that a processor would have to guess. A burst of all pairs spends its time in this loop. Returns
// how many flows it fixed.
std::uint32_t MaxMinSolver::fix_plain_flows(LinkId link, double level) {
  std::uint32_t fixed = 0;
  for (const Crossing& crossing : links_[link].crossings) {
    PlainFilling& other = plain_[crossing.other];
    const std::uint32_t open = other.is_open;
    other.residual -= level * open;
    other.open -= open;
    fixed += open;
    if (open > crossing.is_bottleneck) [[unlikely]]
      move(crossing.flow, link);
  }
  return fixed;
}

void MaxMinSolver::set_level(LinkId link, double level) {
  if (links_[link].level == level) return;
  links_[link].level = level;
  levels_.push_back(link);
}

void MaxMinSolver::note_load(LinkId link) {
  if (links_[link].load_noted) return;
  links_[link].load_noted = true;
  noted_.push_back(link);
}

}  // namespace orrery::fluid
