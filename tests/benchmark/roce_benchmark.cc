// What a packet-hop of RoCE costs, in holds of the event queue (take the earliest of 10,000 pending
// events, schedule it again), measured in the same process: the unit does not know how fast the
// machine is. A random permutation of 2 MB on a fat tree, 100 Gb/s and 1 us a link, DCQCN and PFC,
// payload 4,000, ECMP and go-back-N.
//
// Another policy and transport, with selective repeat, are measured in turn with ECMP of the same
// transport: the ratio is what choosing costs, with what other queues it makes. Where more packets
// wait, a hop has more events: the ratio of an event is without these.
//
//   roce_benchmark [SWITCH PORTS = 8: 128 hosts; 16: 1,024] [REPETITIONS = 5]
//                  [POLICY = ecmp] [TRANSPORT = roce] [any word: ecmp with selective repeat]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "core/base/random.h"
#include "network/backends.h"
#include "network/topology/builders/tree.h"
#include "tests/benchmark/peers/cost.h"

namespace {

using namespace orrery;

class Holder final : public EventHandler {
 public:
  Holder() : handler_(queue_.add_handler(*this)) {
    RandomStream random(1, "hold");
    for (std::int64_t& wait : waits_) wait = static_cast<std::int64_t>(random.exponential(1e6));
    for (int i = 0; i < 10'000; ++i) hold();
  }
  // CPU nanoseconds of one.
  double cost() {
    constexpr int count = 3'000'000;
    const double begin = cpu_seconds();
    for (int i = 0; i < count; ++i) queue_.run_one();
    return (cpu_seconds() - begin) * 1e9 / count;
  }

 private:
  void on_event(std::uint64_t) override { hold(); }
  void hold() {
    queue_.schedule_at(queue_.now() + picoseconds(waits_[next_++ % waits_.size()]), handler_, 0);
  }

  EventQueue queue_;
  EventQueue::HandlerId handler_;
  std::vector<std::int64_t> waits_ = std::vector<std::int64_t>(1 << 18);
  std::size_t next_ = 0;
};

class Ends final : public MessageListener {
 public:
  std::int64_t delivered_count = 0;

 private:
  void delivered(const MessageToken&, Bytes) override { ++delivered_count; }
  void injected(const MessageToken&, NodeId) override {}
};

struct Cost {
  double hold_ns = 0, set_up_s = 0, hop_ns = 0;
  std::uint64_t hops = 0, events = 0;
  double events_a_hop() const { return static_cast<double>(events) / static_cast<double>(hops); }
};

struct Case {
  RoutingPolicy policy = RoutingPolicy::ecmp;
  TransportKind kind = TransportKind::roce;
  RecoveryKind recovery = RecoveryKind::go_back_n;
};

Cost measure(std::int32_t ports, std::uint64_t seed, const Case& of) {
  Cost cost;
  cost.hold_ns = Holder().cost();
  const double begin = cpu_seconds();
  const Wire wire{gigabits_per_second(100), microseconds(1)};
  TreeSpec tree;
  tree.tiers = {{"leaf", ports / 2, ports / 2, wire},
                {"spine", ports / 2, ports / 2, wire},
                {"core", ports, 0, wire}};
  const Topology topology(build_tree(tree));
  EventQueue queue;
  NetworkSpec spec;
  spec.seed = spec.routing.seed = seed;
  spec.routing.policy = of.policy;
  spec.transport.kind = of.kind;
  spec.transport.roce.payload = bytes(4'000);
  spec.transport.roce.recovery = of.recovery;
  const auto network = find_backend("packet")->make(queue, topology, spec);
  std::vector<std::int32_t> to(static_cast<std::size_t>(topology.npu_count()));
  std::iota(to.begin(), to.end(), 0);
  RandomStream random(seed, "permutation");
  for (std::size_t i = to.size(); --i > 0;) std::swap(to[i], to[random.uniform_int(i)]);
  Ends ends;
  for (std::int32_t from = 0; from < topology.npu_count(); ++from)
    network->send({.source = {from}, .target = {to[from]}, .size = bytes(2'000'000), .token = {}},
                  ends);
  const double ready = cpu_seconds();
  cost.set_up_s = ready - begin;
  queue.run();
  cost.hops = network->statistics().packets->packet_hops;
  cost.events = queue.executed();
  cost.hop_ns = (cpu_seconds() - ready) * 1e9 / static_cast<double>(cost.hops);
  if (ends.delivered_count != topology.npu_count()) fmt::print("messages are missing\n");
  return cost;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

RoutingPolicy policy_called(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(RoutingPolicy::source); ++i)
    if (name_of(static_cast<RoutingPolicy>(i)) == name) return static_cast<RoutingPolicy>(i);
  return RoutingPolicy::ecmp;
}

TransportKind transport_called(std::string_view name) {
  for (const TransportKind kind : transport_kinds)
    if (name_of(kind) == name) return kind;
  return TransportKind::roce;
}

}  // namespace

int main(int argc, char** argv) {
  const int ports = argc > 1 ? std::atoi(argv[1]) : 8;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 5;
  Case of{.policy = policy_called(argc > 3 ? argv[3] : "ecmp"),
          .kind = transport_called(argc > 4 ? argv[4] : "roce")};
  if (of.policy != RoutingPolicy::ecmp || argc > 5) of.recovery = RecoveryKind::selective_repeat;
  std::vector<double> holds, ratios, event_ratios;
  for (int i = 0; i < repetitions; ++i) {
    const auto seed = static_cast<std::uint64_t>(i) + 1;
    const Cost cost = measure(ports, seed, of);
    holds.push_back(cost.hop_ns / cost.hold_ns);
    fmt::print(
        "{} hosts: {} hops, {:.2f} events a hop, {:.1f} ns a hop, hold {:.1f} ns, {:.2f} holds a "
        "hop, set-up {:.3f} s\n",
        ports * ports * ports / 4, cost.hops, cost.events_a_hop(), cost.hop_ns, cost.hold_ns,
        holds.back(), cost.set_up_s);
    if (of.policy == RoutingPolicy::ecmp) continue;
    Case fixed = of;
    fixed.policy = RoutingPolicy::ecmp;
    const Cost of_fixed = measure(ports, seed, fixed);
    ratios.push_back(cost.hop_ns / of_fixed.hop_ns);
    event_ratios.push_back(ratios.back() * of_fixed.events_a_hop() / cost.events_a_hop());
  }
  fmt::print("median {:.2f} holds a hop, {:.0f} MB", median(holds), peak_megabytes());
  if (!ratios.empty())
    fmt::print(", {:.2f} times ecmp's hop, {:.2f} times its event", median(ratios),
               median(event_ratios));
  fmt::print("\n");
}
