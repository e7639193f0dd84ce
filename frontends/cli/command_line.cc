#include "frontends/cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "core/base/io_error.h"
#include "execution/failure.h"
#include "frontends/cli/command_line_parser.h"
#include "frontends/cli/failure_json.h"
#include "frontends/cli/unknown_command.h"
#include "report/wrapped_text.h"

namespace orrery::cli {

CommandLine::CommandLine(const Build& build, const Terminal& terminal,
                         std::optional<log::Session>& messages)
    : version_(fmt::format("orrery {} (commit {})", build.version, build.commit)),
      invocation_{build.version, build.commit, ""},
      terminal_(terminal),
      messages_(messages) {
  app_.set_version_flag("--version", version_);
  app_.footer(help::program_footer);
  app_.require_subcommand(1);
  app_.get_formatter()->column_width(28);
  add_simulations();
  add_collectives();
  add_traffic();
  add_reports();
  add_sweeps();
  add_batch();
  add_imports();
  add_exports();
  add_astra();
  add_search();
  add_calibration();
  add_topologies();
  add_execution_traces();
  add_checks();
  add_information();
}

namespace {

// `sweep FILE` is `sweep run FILE`.
void insert_run(std::vector<std::string>& arguments) {
  if (arguments.size() < 2 || arguments.front() != "sweep") return;
  constexpr std::array known{"run", "plan", "exec", "slurm", "status", "collect", "-h", "--help"};
  if (std::ranges::find(known, arguments[1]) == known.end())
    arguments.insert(arguments.begin() + 1, "run");
}

}  // namespace

ExitCode CommandLine::run(std::vector<std::string> arguments) {
  if (const std::string wrong = unknown_command(app_, arguments); !wrong.empty()) {
    log::write(log::Level::error, log::Room::frontends, wrong);
    return wrong_configuration;
  }
  std::vector<std::string> command = arguments;
  insert_run(arguments);
  command.insert(command.begin(), "orrery");
  invocation_.command = shell_text(command);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app_.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    // Prints the help or the version that was asked for, or what is wrong.
    std::ostringstream text;
    const bool good = app_.exit(error, text, terminal_.error) == 0;
    terminal_.out << wrapped_text(text.str(), default_width,
                                  app_.get_formatter()->get_column_width());
    return good ? ok : wrong_configuration;
  }
  messages_.emplace(settings_of(log_), terminal_.error);
  try {
    return command_();
  } catch (...) {
    if (log_.error_format != "json") throw;
    terminal_.error << failure_json(std::current_exception()) << '\n';
    return describe_failure(std::current_exception()).exit_code;
  }
}

// Progress rewrites its line; messages in between would break it.
Terminal CommandLine::shown() const {
  Terminal terminal = terminal_;
  if (log_.quiet || (log_.verbose > 0 && log_.file.empty())) terminal.shows_progress = false;
  return terminal;
}

CLI::App* CommandLine::add(const char* name, const help::Text& text,
                           std::function<ExitCode()> command) {
  CLI::App* added = app_.add_subcommand(name, text.sentence);
  added->footer(text.footer);
  add_log_options(*added, log_);
  added->callback([this, command = std::move(command)] { command_ = command; });
  return added;
}

void CommandLine::add_overrides(CLI::App* command) {
  command->add_option("--set", sets_, "another value for a key, like system.chunks=64; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

std::vector<Override> CommandLine::overrides() const {
  std::vector<Override> all;
  for (const std::string& text : sets_) all.push_back({text});
  if (!seed_.empty()) all.push_back({"seed=" + seed_});
  return all;
}

ExitCode run_command_line(const std::vector<std::string>& arguments, const Build& build,
                          const Terminal& terminal) {
  const log::Session at_first({}, terminal.error);  // until the arguments say what to listen to
  std::optional<log::Session> messages;
  try {
    const ExitCode exit_code = CommandLine(build, terminal, messages).run(arguments);
    terminal.out.flush();
    if (!terminal.out) throw IoError("cannot write to standard output");
    return exit_code;
  } catch (...) {
    const Failure failure = describe_failure(std::current_exception());
    log::write(log::Level::error, log::Room::frontends, failure.text);
    return failure.exit_code;
  }
}

}  // namespace orrery::cli
