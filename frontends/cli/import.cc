#include <fmt/format.h>

#include "core/base/config_error.h"
#include "core/base/quoted.h"
#include "core/base/text_file.h"
#include "core/units/unit_text.h"
#include "formats/import/import_megatron.h"
#include "formats/import/import_nccl_topology.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/log_options.h"

namespace orrery::cli {

namespace {

// The result to standard output; what was made of the file to standard error.
ExitCode print(const Imported& imported, const Terminal& terminal) {
  terminal.out << imported.yaml;
  say(fmt::format("import: {} fields read, {} ignored, {} not known, {} assumed", imported.read,
                  imported.ignored.size(), imported.unknown.size(), imported.assumed.size()));
  if (!imported.ignored.empty()) say(fmt::format("ignored: {}", fmt::join(imported.ignored, ", ")));
  if (!imported.unknown.empty())
    say(fmt::format("not known: {}", fmt::join(imported.unknown, ", ")));
  for (const std::string& sentence : imported.assumed) say("assumed: " + sentence);
  return ok;
}

std::optional<Bandwidth> rate(const std::string& option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const Parsed<Bandwidth> parsed = parse_bandwidth(text);
  if (const auto* wrong = std::get_if<UnitError>(&parsed))
    throw ConfigError({.path = option,
                       .what = in_quotes(text) + ' ' + wrong->what,
                       .remedy = "write for example \"400 Gb/s\""});
  const Bandwidth value = std::get<Bandwidth>(parsed);
  if (value <= Bandwidth{})
    throw ConfigError({.path = option, .what = "the rate is 0", .remedy = "leave it out"});
  return value;
}

}  // namespace

ExitCode import_megatron(const ImportOptions& options, const Terminal& terminal) {
  MegatronOptions given{.variables = {},
                        .vocabulary = options.vocabulary,
                        .ranks = options.ranks,
                        .platform = options.platform};
  for (const std::string& text : options.variables) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw ConfigError({.path = "--variable",
                         .what = in_quotes(text) + " has no name and value",
                         .remedy = "write NAME=VALUE"});
    given.variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return print(import_megatron(options.file, read_text_file(options.file), given), terminal);
}

ExitCode import_nccl_topology(const ImportOptions& options, const Terminal& terminal) {
  const NcclTopologyOptions given{.npu = options.npu,
                                  .nic = rate("--nic", options.nic),
                                  .nvlink = rate("--nvlink", options.nvlink),
                                  .bus = rate("--bus", options.bus),
                                  .nodes = options.nodes};
  return print(import_nccl_topology(options.file, read_text_file(options.file), given), terminal);
}

}  // namespace orrery::cli
