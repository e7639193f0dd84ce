#include "simulation/sweep_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "core/base/suggestion.h"

namespace orrery {

namespace {

constexpr const char* example = "write for example `where: system.chunks < 64`";
constexpr std::size_t most_nodes = 1000;
constexpr int deepest = 64;  // parentheses and `not` inside each other

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '[' ||
         c == ']' || c == '-';
}

std::string_view last_step(std::string_view key) { return key.substr(key.rfind('.') + 1); }

}  // namespace

class ConditionParser {
 public:
  ConditionParser(SweepCondition& condition, std::string_view text,
                  std::span<const std::string> known)
      : condition_(condition), text_(text), known_(known) {}

  std::size_t parse() {
    const std::size_t root = either();
    if (skip() < text_.size())
      fail(at_, fmt::format("\"{}\" is not expected here", text_.substr(at_, 20)),
           "join conditions by `and` and `or`");
    need_truth(root);
    return root;
  }

 private:
  using Operator = SweepCondition::Operator;

  [[noreturn]] static void fail(std::size_t offset, const std::string& what,
                                const std::string& remedy) {
    throw SweepConditionError(offset, what, remedy);
  }

  std::size_t skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_;
  }

  bool sign(std::string_view wanted) {
    skip();
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }

  std::string_view word_at(std::size_t begin) const {
    std::size_t end = begin;
    while (end < text_.size() && is_of_word(text_[end])) ++end;
    return text_.substr(begin, end - begin);
  }

  bool word(std::string_view wanted) {
    if (word_at(skip()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  std::size_t add(Operator kind, std::size_t offset, std::size_t left, std::size_t right = 0) {
    if (condition_.nodes_.size() == most_nodes)
      fail(offset, "the condition is too long", "write a list of conditions");
    condition_.nodes_.push_back({kind, offset, left, right});
    return condition_.nodes_.size() - 1;
  }

  bool is_truth(std::size_t node) const {
    const Operator kind = condition_.nodes_[node].kind;
    return kind >= Operator::either && kind <= Operator::unequal;
  }

  void need_truth(std::size_t node) const {
    if (!is_truth(node))
      fail(condition_.nodes_[node].offset, "this is a value and no condition", example);
  }

  void need_value(std::size_t node) const {
    if (is_truth(node))
      fail(condition_.nodes_[node].offset, "this is a condition and no value",
           "compare two values, and join comparisons by `and`");
  }

  std::size_t either() {
    std::size_t left = both();
    for (std::size_t offset = skip(); word("or"); offset = skip()) {
      need_truth(left);
      const std::size_t right = both();
      need_truth(right);
      left = add(Operator::either, offset, left, right);
    }
    return left;
  }

  std::size_t both() {
    std::size_t left = negated();
    for (std::size_t offset = skip(); word("and"); offset = skip()) {
      need_truth(left);
      const std::size_t right = negated();
      need_truth(right);
      left = add(Operator::both, offset, left, right);
    }
    return left;
  }

  std::size_t negated() {
    const std::size_t offset = skip();
    if (!word("not")) return comparison();
    enter();
    const std::size_t inner = negated();
    --depth_;
    need_truth(inner);
    return add(Operator::negation, offset, inner);
  }

  std::size_t comparison() {
    const std::size_t left = sum();
    const std::size_t offset = skip();
    // The longer signs first.
    constexpr std::pair<std::string_view, Operator> signs[] = {
        {"<=", Operator::at_most}, {">=", Operator::at_most}, {"==", Operator::equal},
        {"!=", Operator::unequal}, {"<", Operator::less},     {">", Operator::less}};
    for (const auto& [written, kind] : signs) {
      if (!sign(written)) continue;
      const std::size_t right = sum();
      need_value(left);
      need_value(right);
      if (!reads_key(left) && !reads_key(right)) fail_without_key(left);
      return written.front() == '>' ? add(kind, offset, right, left)
                                    : add(kind, offset, left, right);
    }
    if (sign("=")) fail(offset, "\"=\" compares nothing", "write ==");
    return left;
  }

  std::size_t sum() {
    std::size_t left = product();
    while (true) {
      const std::size_t offset = skip();
      if (sign("+"))
        left = arithmetic(Operator::sum, offset, left, product());
      else if (sign("-"))
        left = arithmetic(Operator::difference, offset, left, product());
      else
        return left;
    }
  }

  std::size_t product() {
    std::size_t left = atom();
    while (true) {
      const std::size_t offset = skip();
      if (sign("*"))
        left = arithmetic(Operator::product, offset, left, atom());
      else if (sign("/"))
        left = arithmetic(Operator::quotient, offset, left, atom());
      else
        return left;
    }
  }

  std::size_t arithmetic(Operator kind, std::size_t offset, std::size_t left, std::size_t right) {
    need_value(left);
    need_value(right);
    return add(kind, offset, left, right);
  }

  void enter() {
    if (++depth_ > deepest) fail(at_, "the condition is too deep", "write fewer parentheses");
  }

  std::size_t atom() {
    const std::size_t offset = skip();
    if (offset == text_.size()) fail(offset, "the condition ends too early", example);
    if (sign("(")) {
      enter();
      const std::size_t inner = either();
      --depth_;
      if (!sign(")")) fail(offset, "this parenthesis is not closed", "write `)`");
      return inner;
    }
    if (text_[offset] == '\'' || text_[offset] == '"') return quoted(offset);
    const std::string_view word = word_at(offset);
    if (word.empty())
      fail(offset, fmt::format("\"{}\" is not expected here", text_.substr(offset, 1)), example);
    at_ += word.size();
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0)
      return constant(offset, number_and_unit(word));
    if (const std::optional<std::size_t> key = key_of(word))
      return add(Operator::key, offset, *key);
    if (word.find('.') != std::string_view::npos) fail_unknown(offset, word);
    return constant(offset, SweepValue{.text = std::string(word)});
  }

  std::size_t constant(std::size_t offset, SweepValue value) {
    const std::size_t node = add(Operator::value, offset, 0);
    condition_.nodes_[node].value = std::move(value);
    return node;
  }

  std::size_t quoted(std::size_t offset) {
    const std::size_t end = text_.find(text_[offset], offset + 1);
    if (end == std::string_view::npos)
      fail(offset, "this quotation mark is not closed", "write one after the text");
    at_ = end + 1;
    return constant(offset,
                    SweepValue{.text = std::string(text_.substr(offset + 1, end - offset - 1))});
  }

  // The unit may follow after a space, and has letters and one "/", or is "%".
  SweepValue number_and_unit(std::string_view number) {
    std::size_t begin = at_;
    while (begin < text_.size() && text_[begin] == ' ') ++begin;
    for (const bool with_slash : {true, false}) {
      std::size_t end = begin;
      while (end < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[end])) != 0 ||
                                    text_[end] == '%' || (with_slash && text_[end] == '/')))
        ++end;
      const std::string unit(text_.substr(begin, end - begin));
      SweepValue value = sweep_value(fmt::format("{} {}", number, unit));
      if (unit.empty() || value.kind == SweepValueKind::text) continue;
      at_ = end;
      return value;
    }
    // "4MB" and "1e3" are one word, but "1 GB/s" without the space ends at the slash.
    if (at_ < text_.size() && text_[at_] == '/') {
      SweepValue rate = sweep_value(fmt::format("{}{}", number, text_.substr(at_, 2)));
      if (rate.kind != SweepValueKind::text) {
        at_ += 2;
        return rate;
      }
    }
    return sweep_value(number);
  }

  std::optional<std::size_t> key_of(std::string_view word) {
    const std::string* found = nullptr;
    std::size_t alike = 0;
    for (const std::string& key : known_) {
      if (key == word) return used(key);
      if (last_step(key) != word) continue;
      found = &key;
      ++alike;
    }
    if (alike == 1) return used(*found);
    return std::nullopt;
  }

  std::size_t used(const std::string& key) {
    std::vector<std::string>& keys = condition_.keys_;
    const auto place = std::ranges::find(keys, key);
    if (place == keys.end()) {
      keys.push_back(key);
      return keys.size() - 1;
    }
    return static_cast<std::size_t>(place - keys.begin());
  }

  bool reads_key(std::size_t node) const {
    const SweepCondition::Node& is = condition_.nodes_[node];
    if (is.kind == Operator::value) return false;
    return is.kind == Operator::key || reads_key(is.left) || reads_key(is.right);
  }

  void fail_without_key(std::size_t node) const {
    const SweepCondition::Node& left = condition_.nodes_[node];
    if (left.kind == Operator::value && left.value.kind == SweepValueKind::text)
      fail_unknown(left.offset, left.value.text);
    fail(left.offset, "this comparison reads no key of the sweep", example);
  }

  [[noreturn]] void fail_unknown(std::size_t offset, std::string_view word) const {
    const std::vector<std::string_view> keys(known_.begin(), known_.end());
    fail(offset, fmt::format("the sweep gives no values to \"{}\"", word), suggestion(word, keys));
  }

  SweepCondition& condition_;
  std::string_view text_;
  std::span<const std::string> known_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

SweepCondition::SweepCondition(std::string_view text, std::span<const std::string> keys) {
  root_ = ConditionParser(*this, text, keys).parse();
}

bool SweepCondition::holds(std::span<const SweepValue* const> values) const {
  return is_true(root_, values);
}

bool SweepCondition::is_true(std::size_t index, std::span<const SweepValue* const> values) const {
  const Node& node = nodes_[index];
  switch (node.kind) {
    case Operator::either:
      return is_true(node.left, values) || is_true(node.right, values);
    case Operator::both:
      return is_true(node.left, values) && is_true(node.right, values);
    case Operator::negation:
      return !is_true(node.left, values);
    default:
      return compared(node, operand(node.left, values), operand(node.right, values));
  }
}

SweepCondition::Operand SweepCondition::operand(std::size_t index,
                                                std::span<const SweepValue* const> values) const {
  const Node& node = nodes_[index];
  if (node.kind == Operator::value || node.kind == Operator::key) {
    const SweepValue& value = node.kind == Operator::key ? *values[node.left] : node.value;
    return {value.kind, value.number, value.text};
  }
  return computed(node, operand(node.left, values), operand(node.right, values));
}

SweepCondition::Operand SweepCondition::computed(const Node& node, const Operand& left,
                                                 const Operand& right) const {
  const auto is_number = [](const Operand& one) { return one.kind == SweepValueKind::number; };
  const bool is_text = left.kind == SweepValueKind::text || right.kind == SweepValueKind::text;
  const bool alike = left.kind == right.kind && !is_text;
  if (node.kind == Operator::sum && alike) return {left.kind, left.number + right.number, ""};
  if (node.kind == Operator::difference && alike)
    return {left.kind, left.number - right.number, ""};
  if (node.kind == Operator::product && !is_text && (is_number(left) || is_number(right)))
    return {is_number(left) ? right.kind : left.kind, left.number * right.number, ""};
  if (node.kind == Operator::quotient && (alike || (!is_text && is_number(right))))
    return {alike ? SweepValueKind::number : left.kind, left.number / right.number, ""};
  throw SweepConditionError(
      node.offset,
      fmt::format("{} and {} cannot be put together", name_of(left.kind), name_of(right.kind)),
      "add what has one unit; multiply and divide by numbers");
}

bool SweepCondition::compared(const Node& node, const Operand& left, const Operand& right) const {
  if (left.kind == right.kind && left.kind != SweepValueKind::text) {
    if (node.kind == Operator::less) return left.number < right.number;
    if (node.kind == Operator::at_most) return left.number <= right.number;
    return (left.number == right.number) == (node.kind == Operator::equal);
  }
  const bool is_word = left.kind == SweepValueKind::text || right.kind == SweepValueKind::text;
  const bool is_equality = node.kind == Operator::equal || node.kind == Operator::unequal;
  if (is_word && is_equality)
    return (left.kind == right.kind && left.text == right.text) == (node.kind == Operator::equal);
  throw SweepConditionError(
      node.offset, fmt::format("{} is compared with {}", name_of(left.kind), name_of(right.kind)),
      is_word ? "compare words by == and !=" : "write the unit of the key's values");
}

}  // namespace orrery
