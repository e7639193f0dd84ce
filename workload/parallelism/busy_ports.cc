#include "workload/parallelism/busy_ports.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace orrery {

namespace {

constexpr Duration under_way{-1};

double need_of(const PortUse& use, std::size_t level) {
  if (use.time <= Duration{}) return 0;
  return std::min(
      1.0, static_cast<double>(use.at_ports[level].value) / static_cast<double>(use.time.value));
}

}  // namespace

std::size_t BusyPorts::begin(std::size_t group, PortUse use, Duration now) {
  advance(static_cast<double>(now.value));
  const std::size_t number = ends_.size();
  ends_.push_back(under_way);
  const double left = static_cast<double>(use.time.value);
  waiting_[group].push_back({number, std::move(use), left});
  changed_ = true;
  return number;
}

Duration BusyPorts::end_of(std::size_t number) {
  while (ends_[number] == under_way) step(std::numeric_limits<double>::infinity());
  return ends_[number];
}

bool BusyPorts::idle(Duration now) {
  advance(static_cast<double>(now.value));
  return std::ranges::all_of(waiting_, [](const auto& group) { return group.empty(); });
}

void BusyPorts::advance(double to) {
  while (now_ < to) step(to);
}

// Until `to`, or the next exchange is done.
void BusyPorts::step(double to) {
  if (changed_) find_rates();
  double next = to;
  for (const Exchange* exchange : under_way_)
    next = std::min(next, now_ + exchange->left / exchange->rate);
  for (Exchange* exchange : under_way_) exchange->left -= (next - now_) * exchange->rate;
  now_ = next;
  constexpr double rounding = 0.5;  // of a picosecond
  for (std::deque<Exchange>& group : waiting_) {
    if (group.empty() || group.front().left >= rounding) continue;
    ends_[group.front().number] = Duration{std::llround(now_)};
    group.pop_front();
    changed_ = true;
  }
}

void BusyPorts::find_rates() {
  changed_ = false;
  under_way_.clear();
  std::size_t levels = 0;
  for (std::deque<Exchange>& group : waiting_) {
    if (group.empty()) continue;
    under_way_.push_back(&group.front());
    group.front().rate = 1;
    levels = std::max(levels, group.front().use.at_ports.levels());
  }
  for (std::size_t level = 0; under_way_.size() > 1 && level < levels; ++level) share_port(level);
}

// The least need first: what it leaves of an equal share is for the others.
void BusyPorts::share_port(std::size_t level) {
  std::vector<std::pair<double, Exchange*>> needs;
  for (Exchange* exchange : under_way_)
    if (const double need = need_of(exchange->use, level); need > 0)
      needs.emplace_back(need, exchange);
  std::ranges::sort(needs, {}, [](const auto& need) { return need.first; });
  double left = 1;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const auto [need, exchange] = needs[i];
    const double share = std::min(need, left / static_cast<double>(needs.size() - i));
    exchange->rate = std::min(exchange->rate, share / need);
    left -= share;
  }
}

}  // namespace orrery
