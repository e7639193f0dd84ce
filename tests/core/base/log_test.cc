// Records reach whom they are for.
#include "core/base/log.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "core/base/io_error.h"
#include "core/base/running_clock.h"
#include "core/base/text_file.h"

using namespace orrery;
using log::Level;
using log::Room;

namespace {

void one_of_each() {
  log::record(Level::debug, Room::network, "link {} fails", 3);
  log::record(Level::info, Room::network, "ecmp");
  log::record(Level::notice, Room::system, "slow");
  log::record(Level::error, Room::frontends, "error: wrong");
}

std::string said(const log::Settings& settings) {
  std::ostringstream error;
  const log::Session session(settings, error);
  one_of_each();
  return error.str();
}

}  // namespace

TEST_CASE("without a session nobody listens, and nothing is formatted") {
  CHECK_FALSE(log::is_on(Level::error, Room::core));
  one_of_each();
  CHECK(said({}) == "notice: slow\nerror: wrong\n");
  CHECK_FALSE(log::is_on(Level::error, Room::core));
}

TEST_CASE("each room has a threshold of its own") {
  CHECK(said({log::all_from(Level::error)}) == "error: wrong\n");
  CHECK(said({log::all_from(Level::silent)}).empty());
  log::Settings settings;
  settings.thresholds[static_cast<std::size_t>(Room::network)] = Level::debug;
  CHECK(said(settings) ==
        "debug: network: link 3 fails\ninfo: network: ecmp\nnotice: slow\nerror: wrong\n");
}

TEST_CASE("a record of a run has the simulated time") {
  std::ostringstream error;
  const log::Session session({log::all_from(Level::debug)}, error);
  const Time now{microseconds(3)};
  const RunningClock clock(now);
  log::record(Level::info, Room::network, "ecmp");
  CHECK(error.str() == "info: network: at 3 us: ecmp\n");
}

TEST_CASE("a file gets what is kept, standard error what it shows of it") {
  const std::string file =
      std::filesystem::temp_directory_path() / ("orrery_log_test." + std::to_string(getpid()));
  CHECK(said({log::all_from(Level::info), Level::notice, file}) == "notice: slow\nerror: wrong\n");
  CHECK(read_text_file(file) ==
        "info: network: ecmp\nnotice: system: slow\nerror: frontends: error: wrong\n");
  std::remove(file.c_str());
  std::ostringstream error;
  CHECK_THROWS_AS(log::Session({log::all_from(Level::info), Level::notice, "/dev/null/log"}, error),
                  IoError);
}

TEST_CASE("the newest session listens, and hands back to the one before") {
  std::ostringstream outer, inner;
  const log::Session session({log::all_from(Level::info)}, outer);
  {
    const log::Session newest({}, inner);
    one_of_each();
  }
  log::record(Level::info, Room::core, "again");
  CHECK(inner.str() == "notice: slow\nerror: wrong\n");
  CHECK(outer.str() == "info: core: again\n");
}
