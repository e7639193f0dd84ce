#include "frontends/cli/interrupt.h"

#include <catch2/catch.hpp>
#include <csignal>

using orrery::cli::InterruptGuard;

TEST_CASE("the first Ctrl-C is noted, the second would end the process", "[cli]") {
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
