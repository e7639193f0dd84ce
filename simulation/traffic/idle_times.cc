#include "simulation/traffic/idle_times.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/base/check.h"
#include "network/backends.h"
#include "network/routing/router.h"

namespace orrery {

namespace {

constexpr std::size_t pairs_kept = 256;  // of a class

std::int64_t grid_size(int place) { return std::llround(std::exp2(place / 4.0)); }

// The last place of the grid whose size is not above `size`.
int place_below(std::int64_t size) {
  int place = static_cast<int>(std::log2(static_cast<double>(size)) * 4);
  while (grid_size(place) > size) --place;
  while (grid_size(place + 1) <= size) ++place;
  return place;
}

using PathKey = std::vector<std::tuple<std::int64_t, std::int64_t, std::int32_t>>;

struct PathClass {
  std::vector<std::pair<NodeId, NodeId>> pairs;  // some of those that have such a path
  std::map<int, Duration> times;                 // by place; what is needed, then what was found
};

class PathClasses {
 public:
  PathClasses(const Topology& topology, const RoutingSpec& routing)
      : topology_(topology), router_(topology, routing) {}

  std::size_t class_of(NodeId from, NodeId to) {
    const auto pair =
        static_cast<std::uint64_t>(from.value) << 32 | static_cast<std::uint32_t>(to.value);
    const auto [found, is_new] = of_pair_.try_emplace(pair, 0);
    if (!is_new) return found->second;
    found->second = find_class(from, to);
    PathClass& its_class = classes_[found->second];
    if (its_class.pairs.size() < pairs_kept) its_class.pairs.emplace_back(from, to);
    return found->second;
  }

  std::vector<PathClass>& all() { return classes_; }

 private:
  std::size_t find_class(NodeId from, NodeId to) {
    links_.clear();
    router_.path(from, to, 0, links_);
    PathKey key;
    for (const LinkIndex index : links_) {
      const Link& link = topology_.links()[index];
      key.emplace_back(link.bandwidth.value, link.latency.value, link.level);
    }
    const auto [found, is_new] = by_path_.try_emplace(key, classes_.size());
    if (is_new) classes_.emplace_back();
    return found->second;
  }

  const Topology& topology_;
  Router router_;
  std::vector<LinkIndex> links_;
  std::map<PathKey, std::size_t> by_path_;
  std::unordered_map<std::uint64_t, std::size_t> of_pair_;
  std::vector<PathClass> classes_;
};

struct Delivery final : MessageListener {
  explicit Delivery(EventQueue& clock) : queue(clock) {}
  void delivered(const MessageToken&, Bytes) override { at = queue.now(); }
  void injected(const MessageToken&, NodeId) override {}

  EventQueue& queue;
  std::optional<Time> at;
};

// One after the other, each alone.
void measure(PathClass& its_class, const Topology& topology, const NetworkSpec& network,
             const std::function<bool()>& stop) {
  EventQueue queue;
  const auto backend = find_backend(network.backend)->make(queue, topology, network);
  Delivery delivery(queue);
  std::size_t turn = 0;
  for (auto& [place, time] : its_class.times) {
    if (stop && stop()) return;
    const auto [from, to] = its_class.pairs[turn++ % its_class.pairs.size()];
    const Time start = queue.now();
    delivery.at.reset();
    backend->send({.source = from, .target = to, .size = bytes(grid_size(place)), .token = {}},
                  delivery);
    queue.run();
    CHECK(delivery.at, "a flow on an idle network was not delivered");
    time = *delivery.at - start;
  }
}

Duration between(const PathClass& its_class, std::int64_t size) {
  const int place = place_below(size);
  const Duration below = its_class.times.at(place);
  const std::int64_t from = grid_size(place);
  if (from == size) return below;
  const Duration above = its_class.times.at(place + 1);
  const double part =
      static_cast<double>(size - from) / static_cast<double>(grid_size(place + 1) - from);
  return below + picoseconds(std::llround(static_cast<double>((above - below).value) * part));
}

}  // namespace

std::vector<Duration> idle_times(const Topology& topology, const NetworkSpec& network,
                                 std::span<const Flow> flows, const std::function<bool()>& stop) {
  NetworkSpec idle = network;
  idle.routing.faults.clear();
  idle.captures.clear();
  idle.transport.watched.clear();
  idle.switches.watched.clear();
  idle.switches.pause_log = 0;
  idle.switches.loss = 0;
  idle.switches.lossy_links.clear();
  idle.switches.slow.clear();
  PathClasses classes(topology, idle.routing);
  std::vector<std::size_t> class_of_flow(flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows[i];
    if (!flow.finish) continue;
    if (stop && stop()) return {};
    const std::size_t number = classes.class_of(flow.source, flow.target);
    const int place = place_below(flow.size.value);
    std::map<int, Duration>& times = classes.all()[number].times;
    times.try_emplace(place);
    if (grid_size(place) != flow.size.value) times.try_emplace(place + 1);
    class_of_flow[i] = number;
  }
  for (PathClass& its_class : classes.all()) measure(its_class, topology, idle, stop);
  if (stop && stop()) return {};
  std::vector<Duration> times(flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i)
    if (flows[i].finish) times[i] = between(classes.all()[class_of_flow[i]], flows[i].size.value);
  return times;
}

}  // namespace orrery
