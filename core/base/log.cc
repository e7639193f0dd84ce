#include "core/base/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/ostream_sink.h>

#include "core/base/io_error.h"
#include "core/base/running_clock.h"
#include "core/units/unit_text.h"

namespace orrery::log {

namespace {

constexpr std::array<std::string_view, 5> level_names = {"debug", "info", "notice", "error",
                                                         "silent"};
constexpr std::array<std::string_view, room_count> room_names = {
    "core", "network", "system", "workload", "simulation", "frontends"};

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::notice:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
    case Level::silent:
      break;
  }
  return spdlog::level::off;
}

Level level_of(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::debug:
      return Level::debug;
    case spdlog::level::info:
      return Level::info;
    case spdlog::level::warn:
      return Level::notice;
    default:
      return Level::error;
  }
}

// One record as lines. The time of day is left out: two runs write equal files.
class Lines final : public spdlog::formatter {
 public:
  explicit Lines(bool to_file) : to_file_(to_file) {}

  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) override {
    const Level level = level_of(message.level);
    const std::string_view text(message.payload.data(), message.payload.size());
    const std::string_view room(message.logger_name.data(), message.logger_name.size());
    // On a terminal an error has its own first word, "error:" or a place in a file.
    std::string head =
        level == Level::error && !to_file_ ? "" : fmt::format("{}: ", name_of(level));
    if (to_file_ || level < Level::notice) head += fmt::format("{}: ", room);
    const std::string all = fmt::format("{}{}\n", head, text);
    line.append(all.data(), all.data() + all.size());
  }

  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<Lines>(to_file_);
  }

 private:
  bool to_file_;
};

}  // namespace

namespace internal {

struct Sinks {
  std::array<std::unique_ptr<spdlog::logger>, room_count> loggers;
};

namespace {
Sinks* newest = nullptr;
}

}  // namespace internal

std::string_view name_of(Level level) { return level_names[static_cast<std::size_t>(level)]; }
std::string_view name_of(Room room) { return room_names[static_cast<std::size_t>(room)]; }

void write(Level level, Room room, std::string_view text) {
  if (internal::newest == nullptr || !is_on(level, room)) return;
  spdlog::logger& logger = *internal::newest->loggers[static_cast<std::size_t>(room)];
  if (const Time* now = RunningClock::now())
    logger.log(spdlog_level(level), "at {}: {}", to_text(*now), text);
  else
    logger.log(spdlog_level(level), "{}", text);
}

Session::Session(const Settings& settings, std::ostream& error)
    : sinks_(std::make_unique<internal::Sinks>()), outer_(internal::newest) {
  std::vector<spdlog::sink_ptr> sinks;
  sinks.push_back(std::make_shared<spdlog::sinks::ostream_sink_mt>(error, true));
  sinks.back()->set_formatter(std::make_unique<Lines>(false));
  sinks.back()->set_level(spdlog_level(settings.shown));
  if (!settings.file.empty()) {
    try {
      sinks.push_back(std::make_shared<spdlog::sinks::basic_file_sink_mt>(settings.file, true));
    } catch (const spdlog::spdlog_ex& failed) {
      throw IoError(failed.what());
    }
    sinks.back()->set_formatter(std::make_unique<Lines>(true));
  }
  for (std::size_t room = 0; room < room_count; ++room) {
    auto logger =
        std::make_unique<spdlog::logger>(std::string(room_names[room]), sinks.begin(), sinks.end());
    logger->set_level(spdlog::level::debug);  // is_on() has asked already
    logger->flush_on(spdlog::level::debug);
    sinks_->loggers[room] = std::move(logger);
    outer_thresholds_[room] = internal::thresholds[room].load();
    internal::thresholds[room].store(settings.thresholds[room]);
  }
  internal::newest = sinks_.get();
}

Session::~Session() {
  internal::newest = outer_;
  for (std::size_t room = 0; room < room_count; ++room)
    internal::thresholds[room].store(outer_thresholds_[room]);
}

}  // namespace orrery::log
