// DCTCP twice: ours over RoCE, and that of ns-3's TCP.
#include <catch2/catch.hpp>

#include <utility>

#include "tests/network/roce/shared_port.h"

namespace orrery {
namespace {

using test::at;
using test::roce;
using test::SharedPort;
using test::utilisation;

// Mean queue and goodput of `flows` under DCTCP with a step of `threshold`.
std::pair<double, double> dctcp(bool tcp, std::int32_t flows, Bytes threshold) {
  NetworkSpec spec = roce("dctcp");
  if (tcp) spec.transport.kind = TransportKind::tcp;
  spec.transport.mtu = bytes(4'136);  // 4,096 B and the headers of IP and TCP
  spec.transport.delayed_ack_count = 1;
  spec.switches.queue = QueueKind::red;
  spec.switches.red_minimum = spec.switches.red_maximum = threshold;
  if (!tcp) {
    PacketClass data, control;
    data.priority = 3;
    data.lossless = true;
    data.ecn = EcnRamp{.minimum = threshold, .maximum = threshold, .on_leaving = false};
    control.priority = 6;
    control.carries = ClassContent::control;
    spec.switches.classes = {data, control};
  }
  SharedPort port(spec, flows, microseconds(10));
  port.delivered(at(0), at(5));
  const double mean = port.mean_waiting(at(5), at(15), bytes(4'178));
  return {mean, utilisation(port.delivered(at(15), at(25)), 4'096, milliseconds(10))};
}

TEST_CASE("our DCTCP and ns-3's have the same queue and goodput") {
  // The same algorithm, g = 1/16, a packet more in a round trip, a mark for each packet that finds
  // more than the threshold: the queue hangs below it.
  for (const std::int32_t flows : {2, 8})
    for (const Bytes threshold : {bytes(100'000), bytes(300'000)}) {
      CAPTURE(flows, threshold.value);
      const auto [ours, our_goodput] = dctcp(false, flows, threshold);
      const auto [theirs, their_goodput] = dctcp(true, flows, threshold);
      CHECK(ours == Approx(theirs).epsilon(0.2));
      CHECK(our_goodput == Approx(their_goodput).epsilon(0.02));
    }
}

}  // namespace
}  // namespace orrery
