#include "frontends/cli/option_tables.h"

#include <CLI/CLI.hpp>
#include <string_view>

namespace orrery::cli {

namespace {

bool is_word(std::string_view text) {
  constexpr auto letters = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos;
}

// Of "text, json or csv (the layers)": text, json, csv. Empty if the help begins otherwise, or has
// fewer.
std::vector<std::string> listed_words(std::string_view help, std::size_t least) {
  std::vector<std::string> words;
  std::string_view list = help.substr(0, help.find_first_of("(;:"));
  while (!list.empty()) {
    std::size_t end = list.find(", "), next = 2;
    if (end == std::string_view::npos) end = list.find(" or "), next = 4;
    std::string_view word = list.substr(0, end);
    while (word.ends_with(' ')) word.remove_suffix(1);
    if (!is_word(word)) return {};
    words.emplace_back(word);
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + next);
  }
  if (words.size() < least) words.clear();
  return words;
}

// Of an option that has a place and a name, such as "KIND,--of", each is an entry.
OptionEntry entry_of(const CLI::Option& option, bool is_positional) {
  OptionEntry entry;
  entry.is_positional = is_positional;
  entry.is_required = option.get_required();
  entry.help = option.get_description();
  entry.words = listed_words(entry.help, entry.is_positional ? 1 : 2);
  if (entry.is_positional) {
    entry.names.push_back(option.get_name(true));
    entry.is_repeatable = option.get_items_expected_max() > 1;
    return entry;
  }
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0)
    entry.value = option.get_positional() ? option.get_name(true) : option.get_type_name();
  return entry;
}

CommandEntry entry_of(const CLI::App& command, const std::string& above) {
  CommandEntry entry;
  entry.name = above.empty() ? command.get_name() : above + ' ' + command.get_name();
  entry.sentence = command.get_description();
  entry.footer = command.get_footer();
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    if (option->get_positional()) entry.options.push_back(entry_of(*option, true));
    if (!option->get_positional() || !option->get_lnames().empty())
      entry.options.push_back(entry_of(*option, false));
  }
  for (const CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; }))
    if (!below->get_group().empty()) entry.below.push_back(entry_of(*below, entry.name));
  return entry;
}

}  // namespace

CommandEntry option_tables(const CLI::App& program) {
  CommandEntry entry = entry_of(program, "");
  entry.name = "";
  for (CommandEntry& command : entry.below) {
    command.name = command.name.substr(program.get_name().size() + 1);
    for (CommandEntry& below : command.below)
      below.name = below.name.substr(program.get_name().size() + 1);
  }
  return entry;
}

}  // namespace orrery::cli
