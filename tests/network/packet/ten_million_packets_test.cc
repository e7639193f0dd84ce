// Long runs of every transport of our own: nothing wraps, leaks or is forgotten. RoCE's controls
// are in tests/network/roce/roce_test.cc. Meant for the sanitizers, too.
#include <catch2/catch.hpp>

#include "tests/network/network_under_test.h"

namespace orrery {
namespace {

// 16 NPUs send 42 MB each to the next one and, but for the first, to the first: 31 messages of
// 164,063 packets of at most 256 B: 5,085,953, and as many acknowledgements. MLT has none, so it
// sends twice as much.
void check_ten_million(NetworkSpec spec) {
  spec.transport.roce.payload = bytes(256);
  const bool acknowledges = spec.transport.kind != TransportKind::mlt;
  test::NetworkUnderTest net("packet",
                             {{{"", LevelKind::switched, 16, gigabits_per_second(100),
                                nanoseconds(500), Scope::scale_out}}},
                             spec);
  const std::int64_t size = acknowledges ? 42'000'000 : 84'000'000;
  for (std::int32_t from = 0; from < 16; ++from) {
    net.send(from, (from + 1) % 16, size);
    if (from > 0) net.send(from, 0, size);
  }
  net.queue.run();
  CAPTURE(name_of(*spec.transport.kind), name_of(spec.transport.uet.control));
  for (const int count : net.log.deliveries) CHECK(count == 1);
  CHECK(net.network->unfinished().empty());
  CHECK(net.network->statistics().packets->packets >= 10'171'906);
}

TEST_CASE("ten million packets over every transport besides RoCE and TCP arrive", "[slow]") {
  NetworkSpec spec;
  for (const TransportKind kind : {TransportKind::ndp, TransportKind::pfabric, TransportKind::pias,
                                   TransportKind::mlt, TransportKind::uet}) {
    spec.transport.kind = kind;
    check_ten_million(spec);
  }
  for (const UetControl control : {UetControl::rccc, UetControl::both}) {
    spec.transport.uet.control = control;
    check_ten_million(spec);
  }
}

}  // namespace
}  // namespace orrery
