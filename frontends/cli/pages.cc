#include <fmt/format.h>

#include <filesystem>

#include "core/base/config_error.h"
#include "core/base/quoted.h"
#include "core/base/suggestion.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/man_page.h"
#include "frontends/cli/named_examples.h"
#include "frontends/cli/option_tables.h"
#include "frontends/cli/shell_completion.h"
#include "frontends/yaml/bundled_platforms.h"
#include "frontends/yaml/key_reference.h"
#include "report/result_folder.h"

namespace orrery::cli {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_of(const std::string& kind) {
  std::vector<std::string> words;
  if (kind == "platforms")
    for (const yaml::BundledFile& platform : yaml::bundled_platforms())
      words.push_back(platform.name);
  if (kind == "examples") words = example_names();
  if (kind == "keys")
    for (const KeyEntry& key : key_reference())
      if (key.below.empty() && key.path.find('[') == std::string::npos)
        words.push_back(key.path + '=');
  if (kind.ends_with('='))
    for (const KeyEntry& key : key_reference())
      if (key.path + '=' == kind) words = key.names;
  return words;
}

}  // namespace

ExitCode words(const std::string& kind, const Terminal& terminal) {
  for (const std::string& word : words_of(kind)) terminal.out << word << '\n';
  return ok;
}

ExitCode completion(const CLI::App& program, const std::string& shell, const Terminal& terminal) {
  const CommandEntry tables = option_tables(program);
  terminal.out << (shell == "zsh" ? zsh_completion(tables) : bash_completion(tables));
  return ok;
}

ExitCode pages(const CLI::App& program, const std::string& version, const std::string& folder) {
  const CommandEntry tables = option_tables(program);
  const fs::path root(folder);
  const auto write = [&](const fs::path& file, const std::string& text) {
    prepare_result_folder((root / file).parent_path(), Overwrite::allow);
    write_whole_file(root / file, text);
  };
  write(fs::path("man") / man_page_file(tables), man_page(tables, tables, version));
  for (const CommandEntry& command : tables.below)
    write(fs::path("man") / man_page_file(command), man_page(tables, command, version));
  write("bash-completion/orrery", bash_completion(tables));
  write("zsh/_orrery", zsh_completion(tables));
  for (const std::string& kind : schema_kinds())
    write(fmt::format("schema/{}.schema.json", kind), schema_text(kind));
  return ok;
}

}  // namespace orrery::cli
