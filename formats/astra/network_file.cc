// The network YAML of ASTRA-sim's analytical backends: four lists, each in brackets or a line an
// element. Nothing else of YAML is in these files, so a line reader does.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/base/config_error.h"
#include "core/base/quoted.h"
#include "core/base/suggestion.h"
#include "formats/astra/set_up.h"

namespace orrery::astra {

namespace {

constexpr std::array<std::string_view, 4> kKeys = {"topology", "npus_count", "bandwidth",
                                                   "latency"};
constexpr std::array<std::string_view, 3> kShapes = {"Ring", "FullyConnected", "Switch"};
constexpr std::int64_t kMostNpus = 1 << 20;

struct Word {
  std::string text;
  int line = 0;
};

struct List {
  int line = 0;  // of the key; 0 = not there
  std::vector<Word> words;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r";
  const std::size_t begin = text.find_first_not_of(space);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(space) + 1 - begin);
}

std::string_view without_quotes(std::string_view word) {
  const bool quoted = word.size() > 1 && (word.front() == '"' || word.front() == '\'') &&
                      word.back() == word.front();
  return quoted ? word.substr(1, word.size() - 2) : word;
}

class NetworkReader {
 public:
  explicit NetworkReader(const std::string& file) { network_.file = file; }

  NetworkFile read(std::string_view text) {
    if (text.find("TOPOLOGY_FILE") != std::string_view::npos)
      throw ConfigError({.file = network_.file,
                         .what = "is a configuration of ASTRA-sim's ns-3 backend",
                         .remedy = "write its TOPOLOGY_FILE as platform.topology.hpcc and "
                                   "network.transport: {kind: roce, preset: astra-sim}"});
    for (int line = 1; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      read_line(text.substr(0, end), line);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (in_brackets_) problem(open_->line, "", "a bracket is not closed", "write ] at its end");
    throw_if_any();
    check_lists();
    throw_if_any();
    for (std::size_t i = 0; i < lists_[0].words.size(); ++i)
      network_.dimensions.push_back({.shape = shape(lists_[0].words[i]),
                                     .size = size(lists_[1].words[i]),
                                     .bandwidth = number(2, lists_[2].words[i]),
                                     .latency = number(3, lists_[3].words[i])});
    check_size();
    throw_if_any();
    return std::move(network_);
  }

 private:
  // One of each line and key: the others are alike.
  void problem(int line, std::string_view path, std::string what, std::string remedy) {
    for (const Diagnostic& known : problems_)
      if (known.line == line && known.path == path) return;
    problems_.push_back({.file = network_.file,
                         .line = line,
                         .path = std::string(path),
                         .what = std::move(what),
                         .remedy = std::move(remedy)});
  }
  void throw_if_any() {
    if (!problems_.empty()) throw ConfigError(std::move(problems_));
  }

  void read_line(std::string_view line, int number) {
    std::string_view text = trimmed(line.substr(0, line.find('#')));
    if (text.empty() || text == "---") return;
    if (open_ != nullptr && (in_brackets_ || text.starts_with('-'))) {
      if (!in_brackets_) return add(trimmed(text.substr(1)), number);
      return add_until_bracket(text, number);
    }
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
      return problem(number, "", in_quotes(text) + " is no key with a list",
                     "write for example: topology: [ Ring, Switch ]");
    const std::string_view key = without_quotes(trimmed(text.substr(0, colon)));
    const auto* known = std::ranges::find(kKeys, key);
    open_ = known == kKeys.end() ? &unknown_ : &lists_[known - kKeys.begin()];
    if (known == kKeys.end())
      network_.remarks.push_back({std::string(key), "ASTRA-sim does not read this key"});
    else if (open_->line > 0)
      problem(number, key, "is there twice", "remove one of them");
    open_->line = number;
    text = trimmed(text.substr(colon + 1));
    in_brackets_ = text.starts_with('[');
    if (in_brackets_) return add_until_bracket(text.substr(1), number);
    if (!text.empty() && known != kKeys.end())
      problem(number, key, in_quotes(text) + " is no list", "write it in brackets: [ 8 ]");
  }

  void add_until_bracket(std::string_view text, int line) {
    const std::size_t end = text.find(']');
    in_brackets_ = end == std::string_view::npos;
    text = text.substr(0, end);
    while (!text.empty()) {
      const std::size_t comma = std::min(text.find(','), text.size());
      add(trimmed(text.substr(0, comma)), line);
      text.remove_prefix(std::min(comma + 1, text.size()));
    }
  }
  void add(std::string_view word, int line) {
    if (!word.empty()) open_->words.push_back({std::string(without_quotes(word)), line});
  }

  void check_lists() {
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
      const List& list = lists_[i];
      if (list.line == 0)
        problem(0, kKeys[i], "is missing", "write a value for each dimension");
      else if (list.words.empty())
        problem(list.line, kKeys[i], "is empty", "write a value for each dimension");
      else if (lists_[0].line > 0 && list.words.size() != lists_[0].words.size())
        problem(list.line, kKeys[i],
                fmt::format("has {} values, topology has {}", list.words.size(),
                            lists_[0].words.size()),
                "write one for each dimension");
    }
  }

  Shape shape(const Word& word) {
    const auto* found = std::ranges::find(kShapes, word.text);
    if (found != kShapes.end()) return static_cast<Shape>(found - kShapes.begin());
    problem(word.line, kKeys[0], in_quotes(word.text) + " is unknown",
            suggestion(word.text, kShapes));
    return Shape::ring;
  }
  std::int32_t size(const Word& word) {
    std::int64_t value = 0;
    const char* end = word.text.data() + word.text.size();
    const auto [stopped, error] = std::from_chars(word.text.data(), end, value);
    if (stopped == end && error == std::errc() && value > 1 && value <= kMostNpus)
      return static_cast<std::int32_t>(value);
    problem(word.line, kKeys[1],
            in_quotes(word.text) + fmt::format(" is no number from 2 to {}", kMostNpus),
            "write how many NPUs the dimension has; leave out a dimension of one");
    return 2;
  }
  double number(std::size_t key, const Word& word) {
    constexpr double kMost[] = {0, 0, 1e9, 1e12};
    double value = 0;
    const char* end = word.text.data() + word.text.size();
    const auto [stopped, error] = std::from_chars(word.text.data(), end, value);
    const bool is_number = stopped == end && error == std::errc() && std::isfinite(value);
    if (is_number && value <= kMost[key] && (key == 2 ? value > 0 : value >= 0)) return value;
    problem(word.line, kKeys[key],
            in_quotes(word.text) + (is_number ? " is out of range" : " is not a number"),
            key == 2 ? "write GB/s of a link, for example 50.0"
                     : "write ns of a hop, for example 500.0");
    return 1;
  }

  void check_size() {
    std::int64_t npus = 1;
    for (const Dimension& dimension : network_.dimensions) {
      npus *= dimension.size;
      if (npus > kMostNpus)
        return problem(lists_[1].line, kKeys[1], fmt::format("are more than {} NPUs", kMostNpus),
                       "describe a smaller network");
    }
  }

  NetworkFile network_;
  std::array<List, 4> lists_;
  List unknown_;
  List* open_ = nullptr;
  bool in_brackets_ = false;
  std::vector<Diagnostic> problems_;
};

}  // namespace

std::string_view name_of(Shape shape) { return kShapes[static_cast<std::size_t>(shape)]; }

std::int32_t NetworkFile::npus() const {
  std::int32_t npus = 1;
  for (const Dimension& dimension : dimensions) npus *= dimension.size;
  return npus;
}

NetworkFile read_network(const std::string& file, const std::string& text) {
  return NetworkReader(file).read(text);
}

}  // namespace orrery::astra
