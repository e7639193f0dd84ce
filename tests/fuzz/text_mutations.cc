#include "tests/fuzz/text_mutations.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace orrery::fuzz {

namespace {

using std::string_view;

constexpr std::size_t most_bytes = 256 * 1024;

// Zero, one, the ends of the ranges of 32 and 64 bits and what lies beyond, forms that only some
// readers take for a number.
constexpr string_view numbers[] = {"0",
                                   "1",
                                   "2",
                                   "3",
                                   "7",
                                   "-1",
                                   "0.5",
                                   "1.5",
                                   "1e-9",
                                   "1e9",
                                   "1e18",
                                   "1e308",
                                   "1e-320",
                                   "1000",
                                   "65536",
                                   "131072",
                                   "1000000",
                                   "2147483647",
                                   "2147483648",
                                   "4294967295",
                                   "4294967296",
                                   "9007199254740993",
                                   "9223372036854775807",
                                   "9223372036854775808",
                                   "-9223372036854775808",
                                   "18446744073709551616",
                                   "99999999999999999999999999999999999999999",
                                   "0.000000000000000000000000000000000000001",
                                   "nan",
                                   ".nan",
                                   ".inf",
                                   "-.inf",
                                   "0x10",
                                   "007",
                                   "1_000",
                                   "+5",
                                   "1.",
                                   ".5"};
constexpr string_view units[] = {"ps",  "ns",   "us",   "ms",   "s",    "B",      "kB",      "MB",
                                 "GB",  "TB",   "KiB",  "MiB",  "GiB",  "TiB",    "b/s",     "Gb/s",
                                 "B/s", "GB/s", "TB/s", "Gbps", "FLOP", "FLOP/s", "TFLOP/s", "%"};
// What is not what was there, and what YAML, JSON or XML read in a way of their own.
constexpr string_view other_kinds[] = {"",
                                       "[]",
                                       "{}",
                                       "null",
                                       "~",
                                       "\"\"",
                                       "[1, 2]",
                                       "{a: 1}",
                                       "true",
                                       "no",
                                       "text",
                                       "*x",
                                       "&x 1",
                                       "!!int x",
                                       "'",
                                       "\"",
                                       "<<: *x",
                                       "? :",
                                       "|",
                                       ">-",
                                       "- - -",
                                       "[[[",
                                       "}",
                                       "#",
                                       ".",
                                       "..",
                                       "/",
                                       "0-7",
                                       "0-0",
                                       "7-0",
                                       "0-2147483647",
                                       "1:2:3",
                                       "\xff\xfe",
                                       "\xC3\xA9",
                                       "&amp;",
                                       "<a/>",
                                       "auto",
                                       "a,b",
                                       "1,,2",
                                       "%"};
constexpr string_view signs = "{}[]:-,\"'&*!|>%@`#\n\t ~?<=/0123456789eE.\\";

struct Part {
  std::size_t begin, length;
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

// The words and numbers of a text.
std::vector<Part> words_of(const std::string& text) {
  std::vector<Part> words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_word(text[i])) continue;
    const std::size_t begin = i;
    while (i < text.size() && is_word(text[i])) ++i;
    words.push_back({begin, i - begin});
  }
  return words;
}

bool is_number(const std::string& text, const Part& word) {
  return std::isdigit(static_cast<unsigned char>(text[word.begin])) != 0;
}

// Elements in brackets, {..}, [..] or <..>, brackets included.
std::vector<Part> elements_of(const std::string& text) {
  std::vector<Part> elements;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (string_view("{[<").find(text[i]) != string_view::npos) open.push_back(i);
    if (string_view("}]>").find(text[i]) == string_view::npos || open.empty()) continue;
    elements.push_back({open.back(), i + 1 - open.back()});
    open.pop_back();
  }
  return elements;
}

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string text_of(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

std::size_t indentation(const std::string& line) {
  return std::min(line.find_first_not_of(" -"), line.size());
}

// How many lines a block has: the line and what is indented more below it.
std::size_t block_length(const Lines& lines, std::size_t first) {
  std::size_t next = first + 1;
  while (next < lines.size() && indentation(lines[next]) > indentation(lines[first])) ++next;
  return next - first;
}

Lines cut(Lines& lines, std::size_t first, std::size_t count) {
  const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = begin + static_cast<std::ptrdiff_t>(count);
  Lines part(begin, end);
  lines.erase(begin, end);
  return part;
}

// A block goes where it is as deep as the line that it stands before.
void put(Lines& lines, std::size_t where, Lines block) {
  if (where < lines.size()) {
    const std::size_t from = indentation(block.front()), to = indentation(lines[where]);
    for (std::string& line : block)
      line = to >= from ? std::string(to - from, ' ') + line
                        : line.substr(std::min(from - to, line.find_first_not_of(' ')));
  }
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(where), block.begin(), block.end());
}

class Mutation {
 public:
  Mutation(const std::string& other, RandomChoice& random) : other_(other), random_(random) {}

  std::string apply(const std::string& text);

 private:
  std::string change_blocks(const std::string& text);
  std::string change_value(const std::string& text);
  std::string change_word(const std::string& text);
  std::string change_number(const std::string& text);
  std::string change_element(const std::string& text);
  std::string change_bytes(std::string text);
  std::string nest_deeply(std::string text);

  std::string any_value();

  const std::string& other_;
  RandomChoice& random_;
};

std::string Mutation::any_value() {
  if (random_.one_in(3)) return std::string(random_.of(other_kinds));
  const std::string number(random_.of(numbers));
  return random_.one_in(2) ? number : number + ' ' + std::string(random_.of(units));
}

// Drops, doubles, repeats, swaps or moves blocks, or takes one over from the other text.
std::string Mutation::change_blocks(const std::string& text) {
  Lines lines = lines_of(text);
  if (lines.empty()) return text;
  const std::size_t first = random_.below(lines.size());
  const std::size_t length = block_length(lines, first);
  switch (random_.below(6)) {
    case 0:
      cut(lines, first, length);
      break;
    case 1: {
      Lines block = cut(lines, first, length);
      const std::size_t copies = random_.one_in(20) ? 1'000 : 2;
      for (std::size_t i = 0; i < copies && (i + 1) * block.size() < 10'000; ++i)
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(first), block.begin(),
                     block.end());
      break;
    }
    case 2: {
      const Lines block = cut(lines, first, length);
      put(lines, random_.below(lines.size() + 1), block);
      break;
    }
    case 3:
      std::swap(lines[first], lines[random_.below(lines.size())]);
      break;
    case 4:  // one level deeper or higher
      if (random_.one_in(2))
        lines[first].insert(0, "  ");
      else
        lines[first].erase(0, std::min<std::size_t>(2, indentation(lines[first])));
      break;
    default: {
      Lines theirs = lines_of(other_);
      if (theirs.empty()) break;
      const std::size_t begin = random_.below(theirs.size());
      put(lines, first, cut(theirs, begin, block_length(theirs, begin)));
    }
  }
  return text_of(lines);
}

// Of "key: value", up to the end of the line, a comma or a bracket.
std::string Mutation::change_value(const std::string& text) {
  std::vector<Part> values;
  for (std::size_t at = text.find(": "); at != std::string::npos; at = text.find(": ", at + 1)) {
    const std::size_t end = std::min(text.find_first_of("\n,]}", at), text.size());
    values.push_back({at + 2, end - std::min(end, at + 2)});
  }
  if (values.empty()) return change_word(text);
  const Part value = values[random_.below(values.size())];
  std::string changed = text;
  return changed.replace(value.begin, value.length, any_value());
}

// Into another word of either text, or of another kind.
std::string Mutation::change_word(const std::string& text) {
  const std::vector<Part> words = words_of(text);
  if (words.empty()) return text;
  const Part word = words[random_.below(words.size())];
  const std::string& source = random_.one_in(2) ? text : other_;
  const std::vector<Part> theirs = words_of(source);
  std::string into = any_value();
  if (!theirs.empty() && !random_.one_in(4)) {
    const Part one = theirs[random_.below(theirs.size())];
    into = source.substr(one.begin, one.length);
  }
  std::string changed = text;
  return changed.replace(word.begin, word.length, into);
}

// Into an extreme one, or by a digit or a power of ten.
std::string Mutation::change_number(const std::string& text) {
  std::vector<Part> found = words_of(text);
  std::erase_if(found, [&](const Part& word) { return !is_number(text, word); });
  if (found.empty()) return change_word(text);
  const Part number = found[random_.below(found.size())];
  std::string into(random_.of(numbers));
  if (random_.one_in(2)) {
    into = text.substr(number.begin, number.length);
    if (random_.one_in(2))
      into.insert(random_.below(into.size()) + 1, 1 + random_.below(12), '0');
    else
      into[0] = static_cast<char>('0' + random_.below(10));
  }
  std::string changed = text;
  return changed.replace(number.begin, number.length, into);
}

std::string Mutation::change_element(const std::string& text) {
  const std::vector<Part> elements = elements_of(text);
  if (elements.empty()) return change_blocks(text);
  const Part one = elements[random_.below(elements.size())];
  const std::string content = text.substr(one.begin, one.length);
  std::string changed = text;
  switch (random_.below(4)) {
    case 0:
      return changed.erase(one.begin, one.length);
    case 1:
      return changed.insert(one.begin, content + (random_.one_in(2) ? ", " : "\n"));
    case 2:
      return changed.replace(one.begin, one.length, any_value());
    default: {
      const Part two = elements[random_.below(elements.size())];
      return changed.replace(two.begin, two.length, content);
    }
  }
}

std::string Mutation::change_bytes(std::string text) {
  if (text.empty()) return text;
  if (random_.one_in(4)) return text.substr(0, random_.below(text.size()));
  for (std::size_t i = 0; i <= random_.below(4); ++i)
    text[random_.below(text.size())] = random_.one_in(2) ? signs[random_.below(signs.size())]
                                                         : static_cast<char>(random_.below(256));
  return text;
}

std::string Mutation::nest_deeply(std::string text) {
  constexpr string_view brackets[] = {"[", "{", "- ", "{a: ", "<a>", "(", "? "};
  constexpr std::size_t depths[] = {3, 100, 3'000, 30'000};
  const string_view bracket = random_.of(brackets);
  std::string nest;
  for (std::size_t i = depths[random_.below(std::size(depths))]; i > 0; --i) nest += bracket;
  return text.insert(random_.below(text.size() + 1), nest);
}

std::string Mutation::apply(const std::string& text) {
  const std::size_t choice = random_.below(100);
  if (choice < 20) return change_blocks(text);
  if (choice < 40) return change_value(text);
  if (choice < 70) return change_number(text);
  if (choice < 82) return change_word(text);
  if (choice < 93) return change_element(text);
  if (choice < 99) return change_bytes(text);
  return nest_deeply(text);
}

}  // namespace

std::string mutated_text(std::string text, const std::string& other, RandomChoice& random) {
  Mutation mutation(other, random);
  const std::size_t more = random.one_in(2) ? random.below(4) : 0;
  for (std::size_t changes = 0; changes <= more; ++changes) {
    text = mutation.apply(text);
    if (text.size() > most_bytes) text.resize(most_bytes);
  }
  return text;
}

}  // namespace orrery::fuzz
