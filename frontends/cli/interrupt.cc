#include "frontends/cli/interrupt.h"

#include <atomic>

namespace orrery::cli {

namespace {

// A signal handler has no argument to reach anything else through.
std::atomic<bool> seen{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_interrupt(int) { seen = true; }

}  // namespace

InterruptGuard::InterruptGuard() {
  seen = false;
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one kills
  sigaction(SIGINT, &action, &before_);
}

InterruptGuard::~InterruptGuard() { sigaction(SIGINT, &before_, nullptr); }

bool InterruptGuard::interrupted() const { return seen; }

}  // namespace orrery::cli
