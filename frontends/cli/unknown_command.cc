#include "frontends/cli/unknown_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/base/quoted.h"
#include "core/base/suggestion.h"

namespace orrery::cli {

std::string unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string_view> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  if (arguments.empty()) return "error: no command\n" + app.help();
  const std::string& first = arguments.front();
  if (first.starts_with('-') || std::ranges::find(known, first) != known.end()) return "";
  return fmt::format("error: {} is not a command: {}", in_quotes(first), suggestion(first, known));
}

}  // namespace orrery::cli
