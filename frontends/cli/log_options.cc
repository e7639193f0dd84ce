#include "frontends/cli/log_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string_view>

#include "core/base/config_error.h"
#include "core/base/quoted.h"
#include "frontends/cli/common_options.h"

namespace orrery::cli {

namespace {

std::optional<log::Level> level_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(log::Level::silent); ++i)
    if (const auto level = static_cast<log::Level>(i); log::name_of(level) == name) return level;
  return std::nullopt;
}

std::optional<std::size_t> room_named(std::string_view name) {
  for (std::size_t room = 0; room < log::room_count; ++room)
    if (log::name_of(static_cast<log::Room>(room)) == name) return room;
  return std::nullopt;
}

[[noreturn]] void refuse(const std::string& text, const std::string& what) {
  throw ConfigError({.path = "--log-level",
                     .what = fmt::format("{} {}", in_quotes(text), what),
                     .remedy = "write debug, info, notice, error or silent; for one room "
                               "ROOM=LEVEL, with core, network, system, workload, simulation or "
                               "frontends"});
}

void apply(const std::string& text, log::Thresholds& thresholds) {
  const std::size_t sign = text.find('=');
  const auto level = level_named(sign == std::string::npos ? text : text.substr(sign + 1));
  if (!level) refuse(text, "names no level");
  if (sign == std::string::npos) {
    thresholds = log::all_from(*level);
    return;
  }
  const auto room = room_named(text.substr(0, sign));
  if (!room) refuse(text, "names no room");
  thresholds[*room] = *level;
}

}  // namespace

void add_log_options(CLI::App& command, LogOptions& options) {
  const char* const group = "Messages";
  command.add_flag("-v,--verbose", options.verbose, "say what is decided; -vv: also single events")
      ->group(group);
  command.add_flag("-q,--quiet", options.quiet, "no progress and no notices, only errors")
      ->group(group);
  command
      .add_option("--log-level", options.levels,
                  "the lowest level that is said, like info or network=debug,notice")
      ->type_name("LEVELS")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--log-file", options.file,
                  "messages go there; standard error keeps notices and errors")
      ->type_name("FILE")
      ->check(a_name())
      ->group(group);
  command
      .add_option("--error-format", options.error_format,
                  "text or json: what ends the command, with file, line, column and remedy")
      ->transform(CLI::IsMember({"text", "json"}).description(""))
      ->type_name("FORMAT")
      ->group(group);
}

log::Settings settings_of(const LogOptions& options) {
  using log::Level;
  const bool to_file = !options.file.empty();
  Level kept = options.quiet ? Level::error : Level::notice;
  if (to_file || options.verbose > 0) kept = options.verbose > 1 ? Level::debug : Level::info;
  log::Settings settings{log::all_from(kept), Level::debug, options.file};
  if (options.quiet)
    settings.shown = Level::error;
  else if (to_file)
    settings.shown = Level::notice;
  for (const std::string& text : options.levels) apply(text, settings.thresholds);
  return settings;
}

void say(const std::string& text) { log::write(log::Level::notice, log::Room::frontends, text); }

}  // namespace orrery::cli
