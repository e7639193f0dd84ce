#include "execution/interrupt.h"

#include <atomic>

namespace orrery {

namespace {

// A signal handler has no argument to reach anything else through.
std::atomic<bool> seen{false};
static_assert(std::atomic<bool>::is_always_lock_free);
int guards = 0;  // that live

extern "C" void note_interrupt(int) { seen = true; }

}  // namespace

InterruptGuard::InterruptGuard() {
  if (guards++ == 0) seen = false;
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one kills
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i], nullptr, &before_[i]);
    const bool ignored = signals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN;
    if (!ignored) sigaction(signals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  --guards;
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
}

bool InterruptGuard::interrupted() const { return seen; }

}  // namespace orrery
