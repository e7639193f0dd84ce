#include "formats/astra/text_lines.h"

#include <algorithm>
#include <charconv>

#include "formats/astra/text_words.h"

namespace orrery::astra {

namespace {

constexpr std::size_t kMostDiagnostics = 20;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

std::vector<Token> split_tokens(std::string_view line) {
  std::vector<Token> tokens;
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && is_space(line[at])) ++at;
    if (at == line.size()) return tokens;
    const std::size_t begin = at;
    while (at < line.size() && !is_space(line[at])) ++at;
    tokens.push_back({line.substr(begin, at - begin), static_cast<int>(begin) + 1});
  }
}

}  // namespace

std::vector<Line> split_lines(std::string_view text) {
  std::vector<Line> lines;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Line line{text.substr(0, end), number, split_tokens(text.substr(0, end))};
    if (!line.tokens.empty()) lines.push_back(std::move(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

int end_column(const Line& line) {
  const Token& last = line.tokens.back();
  return last.column + static_cast<int>(last.text.size());
}

void LineProblems::add(const Line& line, int column, std::string path, std::string what,
                       std::string remedy) {
  constexpr int longest_excerpt = 200;
  if (diagnostics_.size() == kMostDiagnostics) return;
  Diagnostic diagnostic{.file = file_name_,
                        .line = line.number,
                        .column = column,
                        .path = std::move(path),
                        .what = std::move(what),
                        .remedy = std::move(remedy),
                        .source_line = {}};
  if (column <= longest_excerpt) {
    std::string_view text = line.text.substr(0, longest_excerpt);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    diagnostic.source_line = with_question_marks(text);
  }
  diagnostics_.push_back(std::move(diagnostic));
}

void LineProblems::throw_if_any() {
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.line < b.line; });
  if (!diagnostics_.empty()) throw ConfigError(std::move(diagnostics_));
}

std::optional<std::int64_t> LineProblems::read_number(const Line& line, std::size_t token,
                                                      std::string path, std::int64_t most,
                                                      const std::string& remedy) {
  const auto [text, column] = line.tokens[token];
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  const bool is_number = stopped == end && error != std::errc::invalid_argument;
  std::string what;
  if (!is_number) {
    what = " is not a whole number";
  } else if (text.starts_with('-')) {
    what = " is negative";
  } else if (error == std::errc::result_out_of_range || value > most) {
    what = " is more than " + std::to_string(most);
  } else {
    return value;
  }
  add(line, column, std::move(path), quoted(text) + what, remedy);
  return std::nullopt;
}

}  // namespace orrery::astra
