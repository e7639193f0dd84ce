// What the program says beside its results. A record has a level, the room that speaks and, while a
// simulation runs, the simulated time. Nobody listens until a log::Session lives; then a record
// that nobody asked for costs one load and one branch. log.cc is the only user of spdlog.
#pragma once

#include <fmt/core.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace orrery::log {

enum class Level : std::uint8_t {
  debug,   // single events of a simulation
  info,    // what was decided, and how far the program is
  notice,  // what the user should know about his results
  error,   // why the program ends without them
  silent,  // no record has it: as a threshold, it lets nothing pass
};
enum class Room : std::uint8_t { core, network, system, workload, simulation, frontends };
inline constexpr std::size_t room_count = 6;

std::string_view name_of(Level level);
std::string_view name_of(Room room);

using Thresholds = std::array<Level, room_count>;  // the lowest level of each room that is kept
constexpr Thresholds all_from(Level level) {
  Thresholds all{};
  all.fill(level);
  return all;
}

struct Settings {
  Thresholds thresholds = all_from(Level::notice);
  Level shown = Level::debug;  // the lowest level that standard error shows of what is kept
  std::string file = {};       // gets all that is kept; "" = none
};

namespace internal {
struct Sinks;
inline std::array<std::atomic<Level>, room_count> thresholds{
    Level::silent, Level::silent, Level::silent, Level::silent, Level::silent, Level::silent};
}  // namespace internal

inline bool is_on(Level level, Room room) noexcept {
  return level >=
         internal::thresholds[static_cast<std::size_t>(room)].load(std::memory_order_relaxed);
}

// Lines for people. `text` may have several lines and has no end of line.
void write(Level level, Room room, std::string_view text);

template <class... Values>
void record(Level level, Room room, fmt::format_string<Values...> format, Values&&... values) {
  if (is_on(level, room)) [[unlikely]]
    write(level, room, fmt::format(format, std::forward<Values>(values)...));
}

// Listens while it lives, on all threads. The newest session counts.
// REQUIRES: made and ended while no other thread records; `error` outlives it.
class Session {
 public:
  Session(const Settings& settings, std::ostream& error);  // throws IoError about the file
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  std::unique_ptr<internal::Sinks> sinks_;
  internal::Sinks* outer_;
  Thresholds outer_thresholds_;
};

}  // namespace orrery::log
