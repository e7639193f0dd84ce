#include "network/fluid/group_clocks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.h"

namespace orrery::fluid {
namespace {

constexpr Duration longest{std::numeric_limits<std::int64_t>::max()};

bool is_whole(double value) {
  return static_cast<double>(static_cast<std::int64_t>(value)) == value;
}

}  // namespace

Duration carrying_time(double amount, double rate) {
  if (amount <= 0) return {};
  const double time = amount / rate * 1e12;  // off by 2^-51 of it at most
  if (!(time < 0x1p62)) return longest;
  const auto below = static_cast<std::int64_t>(time);
  const double fraction = time - static_cast<double>(below);
  const double margin = std::max(0x1p-10, time * 0x1p-44);
  const bool at_below = fraction <= margin, at_above = fraction >= 1 - margin;
  if (!at_below && !at_above) return {below + 1};
  constexpr double whole_below = 0x1p53;
  if (amount < whole_below && rate < whole_below && is_whole(amount) && is_whole(rate))
    return transfer_time(Bytes{static_cast<std::int64_t>(amount)},
                         Bandwidth{static_cast<std::int64_t>(rate)});
  return {at_below ? below : below + 1};
}

GroupClocks::Group& GroupClocks::group(LinkId link) {
  if (link >= groups_.size()) groups_.resize(std::max<std::size_t>(link + 1, solver_.link_limit()));
  return groups_[link];
}

void GroupClocks::add(FlowId flow, double size) {
  if (flow >= flows_.size()) flows_.resize(flow + 1);
  flows_[flow] = {.complete = size / solver_.weight(flow),
                  .slack = tolerance_ * size / solver_.weight(flow)};
}

double GroupClocks::reading_at(const Group& group, Time now) {
  const auto elapsed = static_cast<double>((now - group.since).value);
  return elapsed == 0 ? group.reading : group.reading + group.level * (elapsed * 1e-12);
}

double GroupClocks::remaining(FlowId flow, Time now) const {
  const LinkId link = solver_.bottleneck(flow);
  const Flow& state = flows_[flow];
  if (link == no_link) return state.complete * solver_.weight(flow);
  const double left = state.complete - reading_at(groups_[link], now);
  return std::max(left, 0.0) * solver_.weight(flow);
}

double GroupClocks::remove(FlowId flow, Time now) {
  const double left = remaining(flow, now);
  const LinkId link = solver_.bottleneck(flow);
  if (link == no_link) return left;
  advance(groups_[link], now);
  take_out(link, flow);
  touch(link);
  return left;
}

void GroupClocks::advance(Group& group, Time now) const {
  if (group.flows.empty()) {
    group.reading = 0;
  } else {
    group.reading = reading_at(group, now);
  }
  group.since = now;
}

void GroupClocks::touch(LinkId link) {
  Group& touched = group(link);
  if (touched.listed) return;
  touched.listed = true;
  touched_.push_back(link);
}

void GroupClocks::apply(const MaxMinSolver::Changes& changes, Time now) {
  // Everything due before now has been taken: what is left of it is stale.
  while (!due_.empty() && due_.minimum() < static_cast<std::uint64_t>(now.since_start.value)) {
    due_.pop();
    --entries_;
  }
  for (const LinkId link : changes.levels) touch(link);
  for (const auto& [flow, from] : changes.moved) {
    if (from != no_link) touch(from);
    touch(solver_.bottleneck(flow));
  }
  for (const LinkId link : touched_) advance(groups_[link], now);
  // A flow that moved twice is listed twice, with the place it left each time: the last one counts,
  // and its first place is where it really is.
  for (const auto& [flow, from] : changes.moved) {
    Flow& state = flows_[flow];
    if (from == no_link) continue;
    Group& left = groups_[from];
    if (state.place >= left.flows.size() || left.flows[state.place].flow != flow) continue;
    state.complete = std::max(state.complete - left.reading, 0.0);
    take_out(from, flow);
    if (left.flows.empty()) left.reading = 0;
  }
  for (const auto& [flow, from] : changes.moved) {
    const LinkId to = solver_.bottleneck(flow);
    const Group& entered = groups_[to];
    const std::uint32_t place = flows_[flow].place;
    if (place < entered.flows.size() && entered.flows[place].flow == flow) continue;
    insert(to, flow);
  }
  for (const LinkId link : touched_) {
    groups_[link].listed = false;
    groups_[link].level = solver_.level(link);
    arm(link, now);
  }
  touched_.clear();
}

void GroupClocks::disarm(Group& group) {
  if (!group.armed) return;
  ++group.generation;
  group.armed = false;
  --armed_;
}

// Puts the group's next completion among those due. REQUIRES: the group is advanced to `now`.
void GroupClocks::arm(LinkId link, Time now) {
  Group& group = groups_[link];
  Time due = Time::never();
  if (!group.flows.empty()) {
    const Duration time = carrying_time(group.flows.front().due - group.reading, group.level);
    if (time < Time::last() - now)
      due = now + time;
    else if (group.level > 0)
      due = Time::last();  // or later: who waits for it reaches the end of the clock
  }
  if (group.armed && group.due == due) return;
  disarm(group);
  if (due == Time::never()) return;
  group.due = due;
  group.armed = true;
  ++armed_;
  ++entries_;
  due_.push({static_cast<std::uint64_t>(due.since_start.value),
             std::uint64_t{group.generation} << 32 | link});
  if (entries_ > 2 * armed_ + 64) {
    due_.retain([this](RadixHeap::Entry entry) { return !is_stale(entry); });
    entries_ = armed_;
  }
}

bool GroupClocks::is_stale(RadixHeap::Entry entry) const {
  const Group& group = groups_[entry.payload & 0xffff'ffff];
  return !group.armed || group.generation != entry.payload >> 32;
}

Time GroupClocks::next() const {
  if (armed_ == 0) return Time::never();
  return {{static_cast<std::int64_t>(due_.minimum())}};
}

void GroupClocks::take_complete(Time now, std::vector<FlowId>& flows) {
  const auto time = static_cast<std::uint64_t>(now.since_start.value);
  const std::size_t before = flows.size();
  while (!due_.empty() && due_.minimum() <= time) {
    const RadixHeap::Entry entry = due_.pop();
    --entries_;
    if (!is_stale(entry))
      take_complete_of(static_cast<LinkId>(entry.payload & 0xffff'ffff), now, flows);
  }
  if (tolerance_ == 0 || flows.size() == before) return;
  for (LinkId link = 0; link < groups_.size(); ++link)  // what may end a little late ends now
    if (!groups_[link].flows.empty()) take_complete_of(link, now, flows);
}

void GroupClocks::take_complete_of(LinkId link, Time now, std::vector<FlowId>& flows) {
  Group& group = groups_[link];
  const Duration passed = now - group.since;
  const std::size_t before = flows.size();
  while (!group.flows.empty()) {
    const FlowId flow = group.flows.front().flow;
    if (carrying_time(flows_[flow].complete - group.reading, group.level) > passed) break;
    flows.push_back(flow);
    take_out(link, flow);
  }
  if (flows.size() == before) return;
  advance(group, now);
  disarm(group);
  touch(link);
}

void GroupClocks::insert(LinkId link, FlowId flow) {
  Group& group = groups_[link];
  Flow& state = flows_[flow];
  state.complete += group.reading;
  group.flows.push_back({state.complete + state.slack, flow});
  sift_up(group, group.flows.size() - 1);
}

void GroupClocks::take_out(LinkId link, FlowId flow) {
  Group& group = groups_[link];
  const std::size_t place = flows_[flow].place;
  DCHECK(place < group.flows.size() && group.flows[place].flow == flow, "flow {} of link {}", flow,
         link);
  const Item last = group.flows.back();
  group.flows.pop_back();
  if (place == group.flows.size()) return;
  put(group, place, last);
  sift_up(group, place);
  sift_down(group, flows_[last.flow].place);
}

void GroupClocks::put(Group& group, std::size_t place, const Item& item) {
  group.flows[place] = item;
  flows_[item.flow].place = static_cast<std::uint32_t>(place);
}

void GroupClocks::sift_up(Group& group, std::size_t place) {
  const Item item = group.flows[place];
  while (place > 0) {
    const std::size_t above = (place - 1) / 2;
    if (group.flows[above].due <= item.due) break;
    put(group, place, group.flows[above]);
    place = above;
  }
  put(group, place, item);
}

void GroupClocks::sift_down(Group& group, std::size_t place) {
  const Item item = group.flows[place];
  const std::size_t count = group.flows.size();
  while (2 * place + 1 < count) {
    std::size_t below = 2 * place + 1;
    if (below + 1 < count && group.flows[below + 1].due < group.flows[below].due) ++below;
    if (group.flows[below].due >= item.due) break;
    put(group, place, group.flows[below]);
    place = below;
  }
  put(group, place, item);
}

}  // namespace orrery::fluid
