// Whole-process benchmark of one all-reduce through the executor and the analytical backend:
// messages and events per CPU second, peak memory. Every rank and every message is simulated.
//
//   collective_benchmark [ranks] [chunks] [algorithm] [injection latency in ns]
//
// The default, a ring over 1,024 ranks in 64 chunks, is what ASTRA-sim 2 needs about 106 CPU
// seconds and 400 MB for (its congestion-unaware backend, measured on a machine of this size).
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <string>

#include "tests/system/harness.h"

namespace {

double cpu_seconds(const rusage& usage) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace orrery;
  const std::int32_t ranks = argc > 1 ? std::atoi(argv[1]) : 1024;
  const std::int32_t chunks = argc > 2 ? std::atoi(argv[2]) : 64;
  const std::string algorithm = argc > 3 ? argv[3] : "ring";
  SystemSpec spec = test::plain_system(algorithm);
  spec.injection_latency = nanoseconds(argc > 4 ? std::atoi(argv[4]) : 10);
  spec.collectives[0].chunks = chunks;
  spec.queue_limit = 64;
  test::World world({test::switch_level(ranks, gigabits_per_second(100), nanoseconds(500))}, spec,
                    test::World::everywhere(
                        ranks, {test::collective(0, Collective::all_reduce, bytes(114'820'096))}));
  const Duration time = world.run();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double cpu = cpu_seconds(usage);
  const auto messages = static_cast<double>(world.network->statistics().messages);
  const auto events = static_cast<double>(world.queue.executed());
  fmt::print(
      "{} all-reduce, {} ranks, {} chunks: {:.3f} ms simulated, {:.0f} messages, {:.0f} events\n"
      "{:.2f} CPU s, {:.1f} M messages/s, {:.1f} M events/s, {:.1f} MB peak\n",
      algorithm, ranks, chunks, static_cast<double>(time.value) * 1e-9, messages, events, cpu,
      messages / cpu * 1e-6, events / cpu * 1e-6, static_cast<double>(usage.ru_maxrss) * 1e-3);
  return world.runner->finished() ? 0 : 1;
}
