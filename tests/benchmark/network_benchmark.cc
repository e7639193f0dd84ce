// The patterns of peers/pattern.h on a backend of ours, hosts around one switch (50 GB/s and 1 us a
// link) or, "@torus", on a square torus (50 GB/s, no latency): makespan, CPU seconds, messages per
// second. peers/simgrid_driver runs the same on SimGrid.
//
//   network_benchmark ring|halving_doubling|pairwise|burst[@torus] RANKS BYTES JITTER [BACKEND
//   [TOLERANCE in millionths]]
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <vector>

#include "network/backends.h"
#include "tests/benchmark/peers/pattern.h"

namespace {

using namespace orrery;

class Exchange final : public MessageListener {
 public:
  Exchange(EventQueue& queue, NetworkBackend& network, const Pattern& pattern)
      : queue_(queue), network_(network), pattern_(pattern), ranks_(pattern.ranks) {}

  void start() {
    for (int rank = 0; rank < pattern_.ranks; ++rank) enter(rank, 0);
  }

 private:
  struct Rank {
    int step = -1;
    int pending = 0;
  };

  void enter(int rank, int step) {
    Rank& here = ranks_[rank];
    here.step = step;
    if (step == pattern_.steps()) return;
    here.pending = 2 * pattern_.messages_per_step();
    for (int i = 0; i < pattern_.messages_per_step(); ++i) {
      const int to = pattern_.target(rank, step, i), from = pattern_.source(rank, step, i);
      if (ranks_[to].step == step) post(rank, to, step);
      if (ranks_[from].step == step) post(from, rank, step);
    }
  }
  void post(int from, int to, int step) {
    network_.send({.source = {from},
                   .target = {to},
                   .size = bytes(pattern_.bytes(from, to, step)),
                   .token = {.owner = static_cast<std::uint32_t>(from),
                             .position = static_cast<std::uint32_t>(to)}},
                  *this);
  }
  void delivered(const MessageToken& token, Bytes) override {
    finish_one(static_cast<int>(token.owner));
    finish_one(static_cast<int>(token.position));
  }
  void finish_one(int rank) {
    if (--ranks_[rank].pending == 0) enter(rank, ranks_[rank].step + 1);
  }
  void injected(const MessageToken&, NodeId) override {}

  EventQueue& queue_;
  NetworkBackend& network_;
  const Pattern& pattern_;
  std::vector<Rank> ranks_;
};

TopologySpec hosts(const Pattern& pattern) {
  if (pattern.on_torus) {
    const LevelSpec dimension{"",         LevelKind::ring, pattern.side(), gigabytes_per_second(50),
                              Duration{}, Scope::scale_out};
    return {{dimension, dimension}};
  }
  return {{{"", LevelKind::switched, pattern.ranks, gigabytes_per_second(50), microseconds(1),
            Scope::scale_out}}};
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const Pattern pattern = Pattern::parse(argv);
  NetworkSpec spec;
  spec.backend = argc > 5 ? argv[5] : "fluid";
  if (argc > 6) spec.fluid.completion_tolerance = {std::atoi(argv[6]), 1'000'000};
  const BackendEntry* backend = find_backend(spec.backend);
  if (backend == nullptr) return 2;
  EventQueue queue;
  const Topology topology(hosts(pattern));
  const auto network = backend->make(queue, topology, spec);
  Exchange exchange(queue, *network, pattern);
  exchange.start();
  queue.run();
  const double cpu = cpu_seconds();
  const auto messages = static_cast<double>(network->statistics().messages);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{} {} {}: makespan {:.12f} s, {:.0f} flows, {:.3f} CPU s, {:.1f} k flows/s, {:.1f} MB\n",
      spec.backend, argv[1], pattern.ranks,
      static_cast<double>(queue.now().since_start.value) * 1e-12, messages, cpu,
      messages / cpu * 1e-3, static_cast<double>(usage.ru_maxrss) * 1e-3);
}
