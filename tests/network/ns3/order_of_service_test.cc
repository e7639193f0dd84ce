// In which order a sending port serves messages to several targets: why TCP can be faster than the
// analytical model, docs/studies/hoti20.md.
#include <catch2/catch.hpp>

#include <memory>

#include "network/analytical/analytical_backend.h"
#include "network/ns3/ns3_backend.h"

namespace orrery {
namespace {

constexpr std::int32_t L = 0, M = 1, R = 2, S = 3, X = 4;
const Bytes size = bytes(1'000'000);

// L sends one message to M, M passes it on to R, and R to S. M's port has four messages to X to
// send before.
class Relay final : public MessageListener {
 public:
  explicit Relay(NetworkBackend& network, EventQueue& queue) : network_(network), queue_(queue) {}

  void start() {
    for (int i = 0; i < 4; ++i) send(M, X);
    send(L, M);
  }
  double us_at(std::int32_t npu) const {
    return static_cast<double>(at_[static_cast<std::size_t>(npu)].since_start.value) * 1e-6;
  }

 private:
  void send(std::int32_t from, std::int32_t to) {
    network_.send({.source = {from},
                   .target = {to},
                   .size = size,
                   .token = {.owner = static_cast<std::uint32_t>(to)}},
                  *this);
  }
  void delivered(const MessageToken& token, Bytes) override {
    at_[token.owner] = queue_.now();
    if (token.owner == M) send(M, R);
    if (token.owner == R) send(R, S);
  }
  void injected(const MessageToken&, NodeId) override {}

  NetworkBackend& network_;
  EventQueue& queue_;
  Time at_[5];  // of the last message to each
};

struct OrderedRun {
  template <typename Make>
  explicit OrderedRun(Make make, const NetworkSpec& spec = {})
      : topology({{{"", LevelKind::switched, 5, gigabits_per_second(100), nanoseconds(500),
                    Scope::scale_out}}}),
        backend(make(queue, topology, spec)),
        relay(*backend, queue) {
    relay.start();
    queue.run();
  }
  EventQueue queue;
  Topology topology;
  std::unique_ptr<NetworkBackend> backend;
  Relay relay;
};

TEST_CASE("a relayed message waits for whole messages on the analytical backend") {
  // T = 1 MB at 100 Gb/s = 80 us, latency of the path 1 us. It is at M at 81 us, when M's port has
  // 320 us of messages to X, the first three of them not begun or not done: it leaves M from 320 to
  // 400 us, is at R at 401, at S at 482. X has its last at 321.
  const OrderedRun run(make_analytical_backend);
  CHECK(run.relay.us_at(R) == Approx(401));
  CHECK(run.relay.us_at(S) == Approx(482));
  CHECK(run.relay.us_at(X) == Approx(321));
}

TEST_CASE("a relayed message waits for a window over TCP, and is there before the analytical one") {
  // Two connections with equal windows of 100 kB (8 us at the port, twice the idle round trip)
  // share M's port packet by packet from 81 us on: 1 MB at half the rate takes 160 us, so R has it
  // at 81 + 161 = 242 us plus 0.9 % of headers (9,038 B for 8,960: 2 us), the stored packet and the
  // first window of X's that is before it (9 us): 242 to 256. It then goes to S alone: 82 us more,
  // 338 at most. M's port is never idle, so X has its last when 5 MB have left it, 400 us * 1.009 +
  // 2.
  NetworkSpec spec;
  spec.transport.window = bytes(100'000);
  const OrderedRun run(make_ns3_backend, spec);
  CHECK(run.relay.us_at(R) > 242);
  CHECK(run.relay.us_at(R) < 256);
  CHECK(run.relay.us_at(S) < 338);
  CHECK(run.relay.us_at(X) > 403);
  CHECK(run.relay.us_at(X) < 408);
}

}  // namespace
}  // namespace orrery
