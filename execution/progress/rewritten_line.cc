#include "execution/progress/rewritten_line.h"

#include "core/base/log.h"

namespace orrery {

namespace {

constexpr auto interval = std::chrono::milliseconds(100);
constexpr const char* erase_line = "\r\x1b[K";

}  // namespace

RewrittenLine::RewrittenLine(const Terminal& terminal, std::chrono::milliseconds first_after,
                             std::string what)
    : terminal_(terminal), what_(std::move(what)), next_(start_ + first_after) {}

RewrittenLine::~RewrittenLine() {
  if (printed_) terminal_.error << erase_line << std::flush;
}

bool RewrittenLine::is_seen() const {
  return terminal_.shows_progress || log::is_on(log::Level::info, log::Room::frontends);
}

void RewrittenLine::show(double fraction, const std::function<std::string(double elapsed)>& text) {
  if (!is_seen()) return;
  const std::lock_guard lock(mutex_);
  if (log::is_on(log::Level::info, log::Room::frontends)) record(fraction);
  const Clock::time_point now = Clock::now();
  if (!terminal_.shows_progress || now < next_) return;
  const std::chrono::duration<double> elapsed = now - start_;
  terminal_.error << erase_line << text(elapsed.count()) << std::flush;
  printed_ = true;
  next_ = now + interval;
}

// Without a rate or a time that is left: two runs write equal logs.
void RewrittenLine::record(double fraction) {
  const int tenths = static_cast<int>(fraction * 10);
  if (tenths <= recorded_ || tenths >= 10) return;
  recorded_ = tenths;
  log::record(log::Level::info, log::Room::frontends, "{} % {}", tenths * 10, what_);
}

}  // namespace orrery
