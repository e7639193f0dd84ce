#include "frontends/cli/shell_completion.h"

#include <fmt/format.h>

#include <vector>

namespace orrery::cli {

namespace {

// Of what is completed by asking the program: `orrery words KIND`.
struct Asked {
  const char* name;  // of an option or a positional argument
  const char* kind;
};
constexpr Asked asked[] = {{"--platform", "platforms"}, {"PLATFORM", "platforms"},
                           {"--set", "keys"},           {"--npu", "platform.npu.preset="},
                           {"FILE", "examples"},        {"FILE|KEY", "keys"}};

std::string kind_of(const OptionEntry& option) {
  for (const Asked& entry : asked)
    for (const std::string& name : option.names)
      if (name == entry.name) return entry.kind;
  return "";
}

// The functions that differ; what they are called with is the same in both shells.
constexpr const char* bash_head =
    R"bash(# bash completion for orrery(1). `orrery completion bash` writes it.

_orrery_words() {
  COMPREPLY+=($(compgen -W "$1" -- "$current"))
}

_orrery_ask() {
  _orrery_words "$(orrery words "$1" 2>/dev/null)"
  [[ $1 != keys ]] || compopt -o nospace 2>/dev/null
  return 0
}

_orrery_files() {
  local file
  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$current")
  compopt -o filenames 2>/dev/null
  return 0
}

_orrery() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command=${COMP_WORDS[1]} below=${COMP_WORDS[2]} place=$COMP_CWORD key=
  COMPREPLY=()
  if [[ $current == = ]]; then  # bash cuts KEY=VALUE in three
    current= key=$previous
  elif [[ $previous == = ]]; then
    key=${COMP_WORDS[COMP_CWORD-2]}
  fi
  if [[ -n $key ]]; then
    _orrery_ask "$key="
    return
  fi
)bash";
constexpr const char* bash_foot = R"bash(
complete -F _orrery orrery
)bash";

constexpr const char* zsh_head =
    R"zsh(#compdef orrery
# zsh completion for orrery(1). `orrery completion zsh` writes it.

_orrery_words() {
  compadd -- ${=1}
}

_orrery_ask() {
  local -a known
  if [[ $1 == keys && $current == *=* ]]; then
    known=(${(f)"$(orrery words ${current%%=*}= 2>/dev/null)"})
    compset -P '*='
    compadd -a known
    return
  fi
  known=(${(f)"$(orrery words $1 2>/dev/null)"})
  if [[ $1 == keys ]]; then
    compadd -S "" -a known
  else
    compadd -a known
  fi
}

_orrery_files() {
  _files
}

_orrery() {
  local current=${words[CURRENT]} previous=${words[CURRENT-1]}
  local command=${words[2]} below=${words[3]} place=$((CURRENT - 1))
)zsh";
// Loaded by its name from fpath it completes at once; sourced it is made known.
constexpr const char* zsh_foot = R"zsh(
if [[ ${funcstack[1]} == _orrery ]]; then
  _orrery "$@"
else
  compdef _orrery orrery
fi
)zsh";

// What comes after an option that takes a value.
std::string value_cases(const CommandEntry& command, const std::string& indent) {
  std::string text;
  for (const OptionEntry& option : command.options) {
    if (option.is_positional || option.value.empty()) continue;
    std::string action = "return";  // numbers and lists
    if (const std::string kind = kind_of(option); !kind.empty())
      action = fmt::format("_orrery_ask {}; {}return", kind,
                           kind == "platforms" ? "_orrery_files; " : "");
    else if (!option.words.empty())
      action = fmt::format("_orrery_words \"{}\"; return", fmt::join(option.words, " "));
    else if (option.value == "FILE" || option.value == "DIR")
      action = "_orrery_files; return";
    text += fmt::format("{}  {}) {} ;;\n", indent, fmt::join(option.names, "|"), action);
  }
  return fmt::format("{}case $previous in\n{}{}esac\n", indent, text, indent);
}

std::string arguments(const CommandEntry& command, const std::string& indent) {
  std::vector<std::string> options;
  std::string others;
  for (const OptionEntry& option : command.options) {
    if (!option.is_positional) {
      options.insert(options.end(), option.names.begin(), option.names.end());
    } else if (!option.words.empty()) {
      others += fmt::format("{}  _orrery_words \"{}\"\n", indent, fmt::join(option.words, " "));
    } else {
      others += indent + "  _orrery_files\n";
      if (const std::string kind = kind_of(option); !kind.empty())
        others += fmt::format("{}  _orrery_ask {}\n", indent, kind);
    }
  }
  std::string text = value_cases(command, indent);
  text += fmt::format("{}if [[ $current == -* ]]; then\n{}  _orrery_words \"{}\"\n", indent, indent,
                      fmt::join(options, " "));
  if (!others.empty()) text += fmt::format("{}else\n{}", indent, others);
  return text + indent + "fi\n";
}

std::string names_below(const CommandEntry& command) {
  std::string names;
  for (const CommandEntry& below : command.below) {
    const std::string name = below.name.substr(below.name.rfind(' ') + 1);
    names += (names.empty() ? "" : " ") + name;
  }
  return names;
}

std::string command_case(const CommandEntry& command) {
  std::string text = fmt::format("    {})\n", command.name);
  const std::string indent = "      ";
  if (command.below.empty()) return text + arguments(command, indent) + "      ;;\n";
  text += fmt::format(
      "{}if [[ $place -eq 2 ]]; then\n{}  _orrery_words \"{}\"\n{}  return\n"
      "{}fi\n{}case $below in\n",
      indent, indent, names_below(command), indent, indent, indent);
  for (const CommandEntry& below : command.below)
    text +=
        fmt::format("{}  {})\n{}{}    ;;\n", indent, below.name.substr(below.name.rfind(' ') + 1),
                    arguments(below, indent + "    "), indent);
  return text + indent + "esac\n      ;;\n";
}

// `_orrery` from its variables on.
std::string body(const CommandEntry& program) {
  std::string text = fmt::format(
      "  if [[ $place -eq 1 ]]; then\n    _orrery_words \"{} --help --version\"\n    return\n  fi\n"
      "  case $command in\n",
      names_below(program));
  for (const CommandEntry& command : program.below) text += command_case(command);
  return text + "  esac\n}\n";
}

}  // namespace

std::string bash_completion(const CommandEntry& program) {
  return bash_head + body(program) + bash_foot;
}

std::string zsh_completion(const CommandEntry& program) {
  return zsh_head + body(program) + zsh_foot;
}

}  // namespace orrery::cli
