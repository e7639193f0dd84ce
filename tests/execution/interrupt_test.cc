#include "execution/interrupt.h"

#include <catch2/catch.hpp>
#include <csignal>

using orrery::InterruptGuard;

TEST_CASE("SIGTERM and SIGHUP are noted too, but not a SIGHUP that nohup ignores", "[execution]") {
  for (const int signal : {SIGTERM, SIGHUP}) {
    const InterruptGuard guard;
    std::raise(signal);
    CHECK(guard.interrupted());
    CHECK(InterruptGuard().interrupted());  // inside another guard: the same interruption
  }
  struct sigaction before {};
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGHUP, &ignore, &before);
  {
    const InterruptGuard guard;
    std::raise(SIGHUP);
    CHECK_FALSE(guard.interrupted());
  }
  sigaction(SIGHUP, &before, nullptr);
}

TEST_CASE("the first Ctrl-C is noted, the second would end the process", "[execution]") {
  struct sigaction before {};
  sigaction(SIGINT, nullptr, &before);
  {
    const InterruptGuard guard;
    CHECK_FALSE(guard.interrupted());
    std::raise(SIGINT);
    CHECK(guard.interrupted());
    struct sigaction now {};
    sigaction(SIGINT, nullptr, &now);
    CHECK(now.sa_handler == SIG_DFL);
  }
  struct sigaction after {};
  sigaction(SIGINT, nullptr, &after);
  CHECK(after.sa_handler == before.sa_handler);
  CHECK_FALSE(InterruptGuard().interrupted());
}
