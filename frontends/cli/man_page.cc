#include "frontends/cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace orrery::cli {

namespace {

// Text that roff takes as it is: with real minus signs, and no control line.
std::string roff(std::string_view text) {
  std::string safe;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) safe += "\\&";
    if (c == '-' || c == '\\') safe += '\\';
    safe += c == '\\' ? 'e' : c;
    begins_line = c == '\n';
  }
  return safe;
}

std::string title(const CommandEntry& command) {
  std::string name = command.name.empty() ? "orrery" : "orrery-" + command.name;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string synopsis(const CommandEntry& command) {
  std::string text = "\\fBorrery";
  if (!command.name.empty()) text += ' ' + roff(command.name);
  text += "\\fR";
  if (!command.below.empty()) return text + " \\fICOMMAND\\fR ...\n";
  for (const OptionEntry& option : command.options) {
    if (!option.is_positional) continue;
    const std::string name =
        fmt::format("\\fI{}\\fR{}", roff(option.names.front()), option.is_repeatable ? "..." : "");
    text += option.is_required ? ' ' + name : fmt::format(" [{}]", name);
  }
  return text + " [\\fIOPTION\\fR...]\n";
}

std::string option_text(const OptionEntry& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += fmt::format("{}{}{}\\fR", names.empty() ? "" : ", ",
                         option.is_positional ? "\\fI" : "\\fB", roff(name));
  if (!option.value.empty()) names += fmt::format(" \\fI{}\\fR", roff(option.value));
  return fmt::format(".TP\n{}\n{}\n", names, roff(option.help));
}

std::string options_text(const CommandEntry& command) {
  std::string text;
  for (const bool positional : {true, false})
    for (const OptionEntry& option : command.options)
      if (option.is_positional == positional) text += option_text(option);
  return text;
}

std::string commands_text(const CommandEntry& command) {
  std::string text = ".SH COMMANDS\n";
  for (const CommandEntry& below : command.below) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(below.name), roff(below.sentence));
    if (command.name.empty() || below.options.empty()) continue;
    text += fmt::format(".RS\n{}.RE\n", options_text(below));
  }
  return text;
}

}  // namespace

std::string man_page_file(const CommandEntry& command) { return title(command) + ".1"; }

std::string man_page(const CommandEntry& program, const CommandEntry& command,
                     const std::string& version) {
  std::string upper = title(command);
  std::ranges::transform(upper, upper.begin(), [](const char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  std::string text = fmt::format(".TH {} 1 \"\" \"orrery {}\" \"Orrery\"\n", roff(upper), version);
  std::string sentence = command.name.empty()
                             ? "simulates clusters that train machine-learning models"
                             : command.sentence;
  if (sentence.ends_with('.')) sentence.pop_back();
  text += fmt::format(".SH NAME\n{} \\- {}\n", roff(title(command)), roff(sentence));
  text += ".SH SYNOPSIS\n" + synopsis(command);
  text += fmt::format(".SH DESCRIPTION\n{}\n", roff(command.sentence));
  if (!command.below.empty()) text += commands_text(command);
  text += ".SH OPTIONS\n" + options_text(command);
  if (!command.footer.empty())
    text += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", roff(command.footer));
  text += ".SH SEE ALSO\n";
  if (!command.name.empty()) return text + "\\fBorrery\\fR(1)\n";
  for (const CommandEntry& below : program.below)
    text += fmt::format("{}\\fB{}\\fR(1)", &below == program.below.data() ? "" : ",\n",
                        roff(title(below)));
  return text + '\n';
}

}  // namespace orrery::cli
