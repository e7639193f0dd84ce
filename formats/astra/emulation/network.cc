#include "formats/astra/emulation/network.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/base/config_error.h"

namespace orrery::astra {

Duration cut(double ns, const Rules& rules) {
  constexpr double kMost = 1e14;  // 28 hours: sums stay in range
  if (!(ns < kMost))
    throw ConfigError(Diagnostic{.path = "--compat",
                                 .what = "a node or message takes more than 28 hours",
                                 .remedy = "correct its size, or the rates"});
  if (rules.whole_nanoseconds) return nanoseconds(static_cast<std::int64_t>(ns));
  return picoseconds(static_cast<std::int64_t>(ns * 1000));
}

Network::Network(EventQueue& queue, const EmulatedJob& job, const Rules& rules)
    : queue_(queue), job_(job), rules_(rules) {}

void Network::send(std::int32_t source, std::int32_t target, std::int64_t tag, std::int64_t size,
                   Action sent) {
  const Key key{source, target, tag, size};
  Action arrived = [this, key, sent = std::move(sent)] { arrive(key, sent); };
  if (job_.shares_links) return carry(route(source, target), 0, size, std::move(arrived));
  queue_.schedule(delay(source, target, size), std::move(arrived));
}

void Network::receive(std::int32_t source, std::int32_t target, std::int64_t tag, std::int64_t size,
                      Action received) {
  Meeting& meeting = meetings_[{source, target, tag, size}];
  if (meeting.arrived == 0) return meeting.receives.push_back(std::move(received));
  --meeting.arrived;
  queue_.schedule(Duration{}, std::move(received));
}

void Network::arrive(const Key& key, const Action& sent) {
  Meeting& meeting = meetings_[key];
  Action received;
  if (meeting.receives.empty()) {
    ++meeting.arrived;
  } else {
    received = std::move(meeting.receives.front());
    meeting.receives.pop_front();
  }
  if (sent) sent();
  if (received) received();
}

std::int32_t Network::coordinate(std::int32_t npu, std::size_t dimension) const {
  for (std::size_t i = 0; i < dimension; ++i) npu /= job_.network.dimensions[i].size;
  return npu % job_.network.dimensions[dimension].size;
}

double Network::bytes_per_ns(const Dimension& dimension) const {
  return rules_.binary_gigabytes ? dimension.bandwidth * (1 << 30) / 1e9 : dimension.bandwidth;
}

// No link is ever occupied, and only the first dimension in which the ends differ counts.
Duration Network::delay(std::int32_t source, std::int32_t target, std::int64_t size) const {
  std::size_t i = 0;
  while (i + 1 < job_.network.dimensions.size() && coordinate(source, i) == coordinate(target, i))
    ++i;
  const Dimension& dimension = job_.network.dimensions[i];
  const std::int32_t up = std::abs(coordinate(target, i) - coordinate(source, i));
  std::int32_t hops = 1;
  if (dimension.shape == Shape::ring) hops = std::min(up, dimension.size - up);
  if (dimension.shape == Shape::switched) hops = 2;
  return cut(hops * dimension.latency + static_cast<double>(size) / bytes_per_ns(dimension),
             rules_);
}

// Of the only dimension; a switch has the number behind the last NPU's.
std::vector<std::int32_t> Network::route(std::int32_t source, std::int32_t target) const {
  const Dimension& dimension = job_.network.dimensions.front();
  if (dimension.shape == Shape::fully_connected) return {source, target};
  if (dimension.shape == Shape::switched) return {source, dimension.size, target};
  const std::int32_t n = dimension.size, up = (target - source + n) % n;
  const std::int32_t step = n - up < up ? n - 1 : 1;
  std::vector<std::int32_t> route = {source};
  while (route.back() != target) route.push_back((route.back() + step) % n);
  return route;
}

// Stored whole at each stop.
void Network::carry(std::vector<std::int32_t> route, std::size_t hop, std::int64_t size,
                    Action arrived) {
  if (hop + 1 == route.size()) return arrived();
  const std::int32_t from = route[hop], to = route[hop + 1];
  occupy(from, to, size,
         [this, route = std::move(route), hop, size, arrived = std::move(arrived)]() mutable {
           carry(std::move(route), hop + 1, size, std::move(arrived));
         });
}

void Network::occupy(std::int32_t from, std::int32_t to, std::int64_t size, Action arrived) {
  Link& link = links_[{from, to}];
  if (link.busy) {
    link.waiting.push_back(
        [this, from, to, size, arrived = std::move(arrived)] { occupy(from, to, size, arrived); });
    return;
  }
  link.busy = true;
  const Dimension& dimension = job_.network.dimensions.front();
  const double time = static_cast<double>(size) / bytes_per_ns(dimension);
  queue_.schedule(cut(dimension.latency + time, rules_), std::move(arrived));
  queue_.schedule(cut(time, rules_), [this, from, to] {
    Link& freed = links_[{from, to}];
    freed.busy = false;
    if (freed.waiting.empty()) return;
    const Action next = std::move(freed.waiting.front());
    freed.waiting.pop_front();
    next();
  });
}

}  // namespace orrery::astra
