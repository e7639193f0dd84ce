// What is wrong with the first word of a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace orrery::cli {

// "" if it is a command of `app`, or an option. CLI11 would only say that a subcommand is required.
std::string unknown_command(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace orrery::cli
