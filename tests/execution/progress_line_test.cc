#include "execution/progress/progress_line.h"

#include <catch2/catch.hpp>
#include <sstream>
#include <thread>

#include "core/base/log.h"

using namespace orrery;

TEST_CASE("progress says how far, how fast and how long", "[execution]") {
  // 20 M events in 4 s are 5 M/s; a quarter took 4 s, three quarters take 12.
  CHECK(progress_text(0.25, Time{milliseconds(3)}, 20'000'000, 4) ==
        "25 %, 3 ms simulated, 5.0 M events/s, 12 s left");
  CHECK(progress_text(0.5, std::nullopt, 1'000'000, 1) == "50 %, 1.0 M events/s, 1 s left");
  CHECK(progress_text(0, Time{}, 0, 0) == "0 %, 0 s simulated");
}

TEST_CASE("the progress line is rewritten at most ten times a second, and erased", "[execution]") {
  std::ostringstream out, error;
  {
    ProgressLine line({out, error, true}, 1);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(650);
    while (std::chrono::steady_clock::now() < end) line.update(0, {0.5, Time{}, 10});
  }
  std::size_t lines = 0;
  const std::string text = error.str();
  for (std::size_t at = text.find("\r"); at != text.npos; at = text.find("\r", at + 1)) ++lines;
  CHECK(lines >= 2);  // one line and the erasing
  CHECK(lines <= 5);  // from 0.3 s: at 0.3, 0.4, 0.5, 0.6, and the erasing
  CHECK(text.ends_with("\r\x1b[K"));
  CHECK(out.str() == "");
}

TEST_CASE("there is no progress line where there is no terminal", "[execution]") {
  std::ostringstream out, error;
  ProgressLine({out, error, false}, 1).update(0, {0.5, Time{}, 10});
  CHECK(error.str() == "");
}

// Tenths that are passed at once are one record.
TEST_CASE("who listens to info is told each tenth of the work", "[execution]") {
  std::ostringstream out, error;
  {
    const log::Session session({.thresholds = log::all_from(log::Level::info)}, error);
    ProgressLine line({out, error, false}, 2);
    line.update(0, {0.3, Time{}, 10});  // of two simulations: 15 % of all
    line.update(0, {0.35, Time{}, 11});
    line.update(1, {0.5, Time{}, 10});  // 42.5 %
    line.update(0, {1, Time{}, 20});    // 75 %
    line.update(1, {1, Time{}, 20});    // all: the result says so
  }
  CHECK(error.str() ==
        "info: frontends: 10 % simulated\n"
        "info: frontends: 40 % simulated\n"
        "info: frontends: 70 % simulated\n");
}
