// Recoveries of RoCE, packet by packet.
#include "network/transport/recovery.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

Time microsecond(std::int64_t us) { return Time{} + microseconds(us); }

std::unique_ptr<Recovery> make(RecoveryKind kind) {
  RoceSpec spec;
  spec.recovery = kind;
  return make_recovery(spec);
}

void send(Recovery& recovery, int count) {
  for (int i = 0; i < count; ++i) recovery.sent(recovery.next());
}

TEST_CASE("go-back-N: the receiver tells a gap once, and again after 500 us") {
  const auto pair = make(RecoveryKind::go_back_n);
  CHECK(pair->received(microsecond(0), 0) == Verdict::in_order);
  CHECK(pair->received(microsecond(1), 2) == Verdict::gap);
  CHECK(pair->received(microsecond(2), 3) == Verdict::ignored);
  CHECK(pair->received(microsecond(500), 4) == Verdict::ignored);
  CHECK(pair->received(microsecond(501), 5) == Verdict::gap);
  CHECK(pair->received(microsecond(502), 0) == Verdict::duplicate);
  CHECK(pair->received(microsecond(503), 1) == Verdict::in_order);
  CHECK(pair->expected() == 2);  // what came behind the gap was dropped
  CHECK(pair->received(microsecond(504), 3) == Verdict::gap);  // a new gap, at once
}

TEST_CASE("go-back-N: the sender goes back to the gap") {
  const auto pair = make(RecoveryKind::go_back_n);
  send(*pair, 6);
  CHECK(pair->in_flight() == 6);
  pair->refused(2, 3);
  CHECK(pair->unacknowledged() == 2);
  CHECK(pair->next() == 2);
  CHECK(pair->in_flight() == 0);
  send(*pair, 2);
  pair->acknowledged(3);
  CHECK(pair->next() == 4);
  CHECK(pair->in_flight() == 1);
  pair->refused(2, 5);  // an old one
  CHECK(pair->next() == 4);
  pair->timed_out();
  CHECK(pair->next() == 3);
  pair->acknowledged(6);  // of what was sent before
  CHECK(pair->next() == 6);
  CHECK(pair->never_sent() == 6);
}

TEST_CASE("selective repeat: the receiver keeps what comes behind a gap") {
  const auto pair = make(RecoveryKind::selective_repeat);
  CHECK(pair->received(microsecond(0), 0) == Verdict::in_order);
  CHECK(pair->received(microsecond(1), 2) == Verdict::gap);
  CHECK(pair->received(microsecond(2), 4) == Verdict::gap);
  CHECK(pair->received(microsecond(3), 4) == Verdict::duplicate);
  CHECK(pair->received(microsecond(4), 1) == Verdict::in_order);
  CHECK(pair->expected() == 3);
  CHECK(pair->received(microsecond(5), 3) == Verdict::in_order);
  CHECK(pair->expected() == 5);
}

TEST_CASE("selective repeat: the sender repeats the gaps, and each once") {
  const auto pair = make(RecoveryKind::selective_repeat);
  send(*pair, 8);
  pair->refused(1, 2);            // 1 is missing
  CHECK(pair->in_flight() == 6);  // without 0 and 2
  CHECK(pair->next() == 1);
  CHECK(pair->replaces_a_lost_one());
  send(*pair, 1);
  pair->refused(1, 5);  // 3 and 4 too
  CHECK(pair->next() == 3);
  send(*pair, 2);
  CHECK(pair->next() == 8);
  CHECK_FALSE(pair->replaces_a_lost_one());
  CHECK(pair->in_flight() == 5);  // 1, 3, 4, 6, 7
  pair->acknowledged(3);
  CHECK(pair->unacknowledged() == 3);
  pair->timed_out();  // all that is not known to be there
  send(*pair, 2);
  CHECK(pair->next() == 6);
  send(*pair, 2);
  CHECK(pair->next() == 8);
  pair->acknowledged(8);
  CHECK(pair->in_flight() == 0);
}

}  // namespace
}  // namespace orrery
