#include "formats/import/launch_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/config_error.h"
#include "core/base/quoted.h"
#include "formats/import/arithmetic.h"
#include "formats/input/parsed_json.h"

namespace orrery {

namespace {

using Words = std::vector<LaunchWord>;
// An array has several words; a plain variable one.
using Variables = std::map<std::string, std::vector<std::string>>;

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text, is_name_character);
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

class Script {
 public:
  // `file`: nullptr = the text may be no script, so that its quotes need not be closed.
  Script(const std::string* file, std::string_view text, Variables& variables,
         const std::map<std::string, std::string>& given, int first_line)
      : file_(file), text_(text), variables_(variables), given_(given), line_(first_line) {}

  // Each command in turn; its words are expanded with what came before it.
  template <class Visit>
  void each_command(Visit visit) {
    while (!at_end()) {
      Words words = command();
      while (!words.empty() && assign(words.front())) words.erase(words.begin());
      if (!words.empty()) visit(words);
    }
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  char take() {
    const char c = text_[at_++];
    if (c == '\n') ++line_;
    return c;
  }

  Words command() {
    Words words;
    while (!at_end()) {
      const char c = peek();
      if (c == '\\' && peek(1) == '\n') {
        take();
        take();
      } else if (c == '#') {
        while (!at_end() && peek() != '\n') take();
      } else if (std::string_view("\n;|&<>(){}").find(c) != std::string_view::npos) {
        take();
        if (!words.empty()) return words;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        take();
      } else {
        word(words);
      }
    }
    return words;
  }

  // One word as it is written may become several, or none.
  void word(Words& words) {
    current_.clear();
    has_text_ = false;
    const int line = line_;
    const auto finish = [&] {
      if (has_text_) words.push_back({current_, line});
      current_.clear();
      has_text_ = false;
    };
    while (!at_end()) {
      const char c = peek();
      if (std::isspace(static_cast<unsigned char>(c)) != 0 ||
          std::string_view(";|&<>)").find(c) != std::string_view::npos)
        break;
      if (c == '(' && !in_array_ && assign_array()) return;
      if (c == '\\') {
        take();
        if (!at_end()) add(std::string(1, take()));
      } else if (c == '\'') {
        const int begin = line_;
        take();
        std::string text;
        while (!at_end() && peek() != '\'') text += take();
        close_quote('\'', begin);
        add(text);
      } else if (c == '"') {
        quoted(finish);
      } else if (c == '$' || c == '`') {
        for (const bool is_assignment = current_.find('=') != std::string::npos;
             const std::string& part : split(expanded(), is_assignment)) {
          if (part.empty())
            finish();
          else
            add(part);
        }
      } else {
        add(std::string(1, take()));
      }
    }
    finish();
  }

  void close_quote(char quote, int begin) {
    if (at_end() && file_ == nullptr) return;
    if (at_end())
      throw ConfigError({.file = *file_,
                         .line = begin,
                         .what = fmt::format("the quote {} is not closed", quote),
                         .remedy = "write it again where the text ends"});
    take();
  }

  void add(const std::string& text) {
    current_ += text;
    has_text_ = true;
  }

  // A=$A$A doubles with every line, and so do words: A=($A $A).
  std::vector<std::string> expanded() {
    constexpr std::size_t most = 1 << 18, of_word = 64;
    std::vector<std::string> values = expansion();
    for (const std::string& value : values) expanded_ += of_word + value.size();
    if (expanded_ > most + text_.size())
      throw ConfigError({.file = file_ == nullptr ? "" : *file_,
                         .line = line_,
                         .what = "the variables of the script become longer than 256 KiB",
                         .remedy = "write the launch line by itself"});
    return values;
  }

  // Words with "" where a new one begins. What is assigned is not split.
  static std::vector<std::string> split(const std::vector<std::string>& values, bool keep) {
    if (keep) return {joined(values)};
    std::vector<std::string> parts;
    std::string part;
    for (const char c : joined(values)) {
      if (std::isspace(static_cast<unsigned char>(c)) == 0) {
        part += c;
        continue;
      }
      if (!part.empty()) parts.push_back(std::move(part));
      part.clear();
      if (parts.empty() || !parts.back().empty()) parts.emplace_back();
    }
    if (!part.empty()) parts.push_back(std::move(part));
    return parts;
  }

  template <class Finish>
  void quoted(const Finish& finish) {
    const int begin = line_;
    take();
    add("");
    while (!at_end() && peek() != '"') {
      if (peek() == '\\' && std::string_view("\"\\$`\n").find(peek(1)) != std::string_view::npos) {
        take();
        if (const char c = take(); c != '\n') add(std::string(1, c));
      } else if (peek() == '$') {
        const std::vector<std::string> values = expanded();
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (i > 0) finish();  // "${ARRAY[@]}" is a word for each element
          add(values[i]);
        }
      } else {
        add(std::string(1, take()));
      }
    }
    close_quote('"', begin);
  }

  // NAME=(...) or NAME+=(...), whose words are the value.
  bool assign_array() {
    std::string name = current_;
    if (!name.ends_with('=')) return false;
    name.pop_back();
    const bool more = name.ends_with('+');
    if (more) name.pop_back();
    if (!is_name(name)) return false;
    take();
    in_array_ = true;
    Words inside;
    while (!at_end() && peek() != ')') {
      if (peek() == '#') {
        while (!at_end() && peek() != '\n') take();
      } else if (std::isspace(static_cast<unsigned char>(peek())) != 0 ||
                 (peek() == '\\' && peek(1) == '\n')) {
        take();
      } else if (std::string_view(";|&<>").find(peek()) != std::string_view::npos) {
        take();
      } else {
        word(inside);
      }
    }
    if (!at_end()) take();
    std::vector<std::string>& value = variables_[name];
    if (!more) value.clear();
    for (const LaunchWord& element : inside) value.push_back(element.text);
    current_.clear();
    has_text_ = in_array_ = false;
    return true;
  }

  bool assign(const LaunchWord& first) {
    for (const char* word :
         {"export", "declare", "local", "readonly", "set", "eval", "exec", "then", "else", "do"})
      if (first.text == word) return true;
    const std::size_t equals = first.text.find('=');
    if (equals == std::string::npos) return false;
    std::string name = first.text.substr(0, equals);
    const bool more = name.ends_with('+');
    if (more) name.pop_back();
    if (!is_name(name)) return false;
    std::vector<std::string>& value = variables_[name];
    if (more && !value.empty())
      value.back() += first.text.substr(equals + 1);
    else
      value = {first.text.substr(equals + 1)};
    return true;
  }

  std::optional<std::vector<std::string>> value_of(const std::string& name) const {
    if (const auto found = given_.find(name); found != given_.end()) return {{found->second}};
    if (const auto found = variables_.find(name); found != variables_.end()) return found->second;
    return std::nullopt;
  }

  // Up to the bracket that closes the one that was taken, which is taken too.
  std::string inside(char open, char close) {
    std::string text;
    for (int depth = 1; !at_end();) {
      const char c = take();
      depth += c == open ? 1 : c == close ? -1 : 0;
      if (depth == 0) break;
      text += c;
    }
    return text;
  }

  // At $ or `.
  std::vector<std::string> expansion() {
    const std::size_t begin = at_;
    if (take() == '`') {
      while (!at_end() && take() != '`') {
      }
      return {std::string(text_.substr(begin, at_ - begin))};
    }
    if (peek() == '(' && peek(1) == '(') {
      take();
      take();
      std::string text = inside('(', ')');
      if (peek() == ')') take();
      return {computed(text)};
    }
    if (peek() == '(') {
      take();
      inside('(', ')');
      return {std::string(text_.substr(begin, at_ - begin))};
    }
    if (peek() == '{') {
      take();
      return braces(inside('{', '}'));
    }
    std::string name;
    while (is_name_character(peek())) name += take();
    if (name.empty() && !at_end() &&
        std::string_view("@*#?$!").find(peek()) != std::string_view::npos)
      take();
    if (const auto value = value_of(name)) return *value;
    if (name.empty()) return {};  // of a function's or the script's own arguments
    return {"$" + name};
  }

  std::string computed(const std::string& text) const {
    const std::optional<std::int64_t> value =
        arithmetic_value(text, [this](const std::string& name) {
          const auto known = value_of(name);
          return known ? joined(*known) : std::string();
        });
    if (value) return std::to_string(*value);
    std::string unknown = fmt::format("$(({}))", text);
    std::erase_if(unknown, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
    return unknown;  // one word
  }

  // NAME, NAME[@], NAME:-DEFAULT.
  std::vector<std::string> braces(std::string text) const {
    std::size_t length = 0;
    while (length < text.size() && is_name_character(text[length])) ++length;
    const std::string name = text.substr(0, length);
    std::string rest = text.substr(length);
    if (rest.starts_with("[@]") || rest.starts_with("[*]")) rest = rest.substr(3);
    const auto value = value_of(name);
    if (rest.starts_with(":-") || rest.starts_with("-") || rest.starts_with(":=")) {
      if (value && !joined(*value).empty()) return *value;
      std::string fallback = rest.substr(rest.find_first_of("-=") + 1);
      if (fallback.size() > 1 && fallback.front() == '"' && fallback.back() == '"')
        fallback = fallback.substr(1, fallback.size() - 2);
      const std::string inner = fallback.starts_with('$') ? fallback.substr(1) : "";
      if (const auto known = value_of(inner)) return *known;
      return {fallback};
    }
    if (value && rest.empty()) return *value;
    return {fmt::format("${{{}}}", text)};
  }

  const std::string* file_;
  std::string_view text_;
  Variables& variables_;
  const std::map<std::string, std::string>& given_;
  std::size_t at_ = 0;
  int line_;
  std::size_t expanded_ = 0;  // bytes of what variables gave
  std::string current_;       // the word so far
  bool has_text_ = false;
  bool in_array_ = false;
};

bool has_mark(const Words& words, const std::vector<std::string_view>& marks) {
  return std::ranges::any_of(words, [&](const LaunchWord& word) {
    return std::ranges::any_of(marks, [&](std::string_view mark) {
      return word.text == mark || word.text.starts_with(std::string(mark) + '=');
    });
  });
}

LaunchLine from_json(const std::string& file, const std::string& text) {
  LaunchLine line;
  for (const auto& word : parsed_json(file, text, "the list of arguments")) {
    if (word.is_structured())
      throw ConfigError(
          {.file = file,
           .what = fmt::format("argument {} is {}", line.words.size() + 1, shown(word)),
           .remedy = R"(write words: ["--num-layers", "32", ...])"});
    line.words.push_back({word.is_string() ? word.get<std::string>() : word.dump(), 0});
  }
  return line;
}

}  // namespace

LaunchLine launch_line(const std::string& file, const std::string& text,
                       const std::vector<std::string_view>& marks,
                       const std::map<std::string, std::string>& given) {
  constexpr const char* spaces = " \t\r\n";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first != std::string::npos && text[first] == '[' &&
      text[text.find_last_not_of(spaces)] == ']')
    return from_json(file, text);
  LaunchLine found;
  Variables variables;
  Words nested;  // a command in one word: bash -c "..."
  Script(&file, text, variables, given, 1).each_command([&](const Words& words) {
    if (words.front().text == "if" || words.front().text == "case") found.has_branches = true;
    if (has_mark(words, marks)) {
      found.words = words;
      return;
    }
    for (const LaunchWord& word : words)
      if (word.text.find(' ') != std::string::npos) nested.push_back(word);
  });
  for (const LaunchWord& word : nested) {
    if (!found.words.empty()) break;
    Script(nullptr, word.text, variables, given, word.line).each_command([&](const Words& words) {
      if (has_mark(words, marks)) found.words = words;
    });
  }
  return found;
}

}  // namespace orrery
