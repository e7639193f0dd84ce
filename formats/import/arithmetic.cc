#include "formats/import/arithmetic.h"

#include <cctype>
#include <charconv>

namespace orrery {

namespace {

using Number = std::optional<std::int64_t>;

Number applied(char sign, Number left, Number right) {
  std::int64_t value = 0;
  if (!left || !right) return std::nullopt;
  bool too_large = false;
  if (sign == '+') too_large = __builtin_add_overflow(*left, *right, &value);
  if (sign == '-') too_large = __builtin_sub_overflow(*left, *right, &value);
  if (sign == '*') too_large = __builtin_mul_overflow(*left, *right, &value);
  if (sign == '/' || sign == '%') {
    if (*right <= 0) return std::nullopt;
    value = sign == '/' ? *left / *right : *left % *right;
  }
  return too_large ? std::nullopt : Number(value);
}

class Expression {
 public:
  Expression(std::string_view text, const std::function<std::string(const std::string&)>& value_of)
      : text_(text), value_of_(value_of) {}

  Number value() {
    const Number sum = terms("+-", 0);
    skip_spaces();
    return text_.empty() ? sum : std::nullopt;
  }

 private:
  void skip_spaces() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.front())) != 0)
      text_.remove_prefix(1);
  }

  bool next_is_one_of(std::string_view signs) {
    skip_spaces();
    return !text_.empty() && signs.find(text_.front()) != std::string_view::npos;
  }

  Number terms(std::string_view signs, int depth) {
    const bool is_sum = signs.size() == 2;
    const auto part = [&] { return is_sum ? terms("*/%", depth) : factor(depth); };
    Number left = part();
    while (next_is_one_of(signs)) {
      const char sign = text_.front();
      text_.remove_prefix(1);
      left = applied(sign, left, part());
    }
    return left;
  }

  Number factor(int depth) {
    constexpr int deepest = 100;
    if (depth > deepest) return std::nullopt;
    if (next_is_one_of("(")) {
      text_.remove_prefix(1);
      const Number inside = terms("+-", depth + 1);
      if (!next_is_one_of(")")) return std::nullopt;
      text_.remove_prefix(1);
      return inside;
    }
    std::size_t length = 0;
    const auto is_name = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    const bool braces = text_.starts_with("${");
    if (!text_.empty() && text_.front() == '$') text_.remove_prefix(braces ? 2 : 1);
    while (length < text_.size() && is_name(text_[length])) ++length;
    const std::string word(text_.substr(0, length));
    text_.remove_prefix(length);
    if (braces && !next_is_one_of("}")) return std::nullopt;
    if (braces) text_.remove_prefix(1);
    if (word.empty()) return std::nullopt;
    const bool is_number = std::isdigit(static_cast<unsigned char>(word.front())) != 0;
    return number(is_number ? word : value_of_(word));
  }

  static Number number(const std::string& text) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && rest == end ? Number(value) : std::nullopt;
  }

  std::string_view text_;
  const std::function<std::string(const std::string&)>& value_of_;
};

}  // namespace

std::optional<std::int64_t> arithmetic_value(
    std::string_view text, const std::function<std::string(const std::string&)>& value_of) {
  return Expression(text, value_of).value();
}

}  // namespace orrery
