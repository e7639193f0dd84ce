#include "formats/yaml/parse_yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace orrery::yaml {

namespace {

// Aliases repeat what they name: a few lines can stand for billions of values.
constexpr std::size_t nodes_at_most = 1'000'000;
constexpr std::size_t depth_at_most = 500;  // as yaml-cpp's own limit; the readers recurse

struct SyntaxError {
  Place place;
  std::string what, remedy;
};

constexpr const char* no_blank = "there is no blank after the colon";

// "server: hgx-h100" for "server:hgx-h100". "" if `text` does not begin with a word and a colon
// that something follows at once.
std::string with_blank_after_colon(std::string_view text) {
  constexpr std::string_view of_words = "abcdefghijklmnopqrstuvwxyz_0123456789";
  const std::size_t colon = text.find_first_not_of(of_words);
  if (colon == 0 || colon == std::string_view::npos || colon + 1 == text.size()) return "";
  if (text[colon] != ':') return "";
  if (const char next = text[colon + 1]; next == ' ' || next == ':' || next == '/') return "";
  return fmt::format("{}: {}", text.substr(0, colon), text.substr(colon + 1));
}

// Builds the tree from yaml-cpp's events rather than from its Node: only the events tell a null
// from a missing value, keep both of two equal keys, and position an alias where it is used.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const Source& source) : source_(source) {}

  YamlNode take_root() { return std::move(root_); }
  Place place_of(const YAML::Mark& mark) const {
    if (mark.is_null()) return {&source_, 0, 0};
    return {&source_, mark.line + 1, mark.column + 1};
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(leaf(mark, NodeKind::null, ""), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool plain = tag == "?";
    const bool null = plain && (value.empty() || value == "~" || value == "null");
    add(leaf(mark, null ? NodeKind::null : NodeKind::scalar, value), anchor, plain);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto named = anchors_.find(anchor);
    if (named == anchors_.end()) {
      throw SyntaxError{place_of(mark), "this alias stands for a value that contains it",
                        "write the value out instead"};
    }
    count(size_of(named->second), mark);
    // yaml-cpp counts the depth of what is written, not of what it stands for.
    if (open_.size() + depth_of(named->second) > depth_at_most) {
      throw SyntaxError{place_of(mark), "nested too deeply by this alias",
                        fmt::format("at most {} levels of lists and maps", depth_at_most)};
    }
    add(named->second, YAML::NullAnchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open_.push_back({leaf(mark, NodeKind::list, ""), anchor, std::nullopt});
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open_.push_back({leaf(mark, NodeKind::map, ""), anchor, std::nullopt});
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor;
    std::optional<YamlNode> key;  // read, and its value is not
    bool key_is_plain = false;    // without quotes
  };

  YamlNode leaf(const YAML::Mark& mark, NodeKind kind, const std::string& text) {
    count(1, mark);
    YamlNode node;
    node.kind = kind;
    node.text = text;
    node.place = place_of(mark);
    return node;
  }

  void count(std::size_t nodes, const YAML::Mark& mark) {
    nodes_ += nodes;
    if (nodes_ <= nodes_at_most) return;
    throw SyntaxError{place_of(mark), fmt::format("more than {} values", nodes_at_most),
                      "aliases count as often as they are used"};
  }

  static std::size_t size_of(const YamlNode& node) {
    std::size_t size = 1;
    for (const YamlNode& child : node.children) size += size_of(child);
    return size;
  }

  static std::size_t depth_of(const YamlNode& node) {
    std::size_t deepest = 0;
    for (const YamlNode& child : node.children) deepest = std::max(deepest, depth_of(child));
    return deepest + 1;
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.node), done.anchor);
  }

  void add(YamlNode node, YAML::anchor_t anchor, bool is_plain = false) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == NodeKind::list) {
      parent.node.children.push_back(std::move(node));
    } else if (!parent.key) {
      if (node.kind == NodeKind::list || node.kind == NodeKind::map) {
        throw SyntaxError{node.place,
                          "a key must be a word, not " + std::string(name_of(node.kind)),
                          "put braces and brackets behind a key: `key: {...}`"};
      }
      parent.key = std::move(node);
      parent.key_is_plain = is_plain;
    } else {
      if (node.kind == NodeKind::null && parent.key_is_plain) refuse_missing_blank(*parent.key);
      node.key = std::move(parent.key->text);
      node.key_place = parent.key->place;
      parent.key.reset();
      parent.node.children.push_back(std::move(node));
    }
  }

  // {nodes: 4, server:hgx-h100} has a key "server:hgx-h100" without a value.
  static void refuse_missing_blank(const YamlNode& key) {
    const std::string apart = with_blank_after_colon(key.text);
    if (apart.empty()) return;
    throw SyntaxError{key.place, no_blank, "write " + apart};
  }

  const Source& source_;
  YamlNode root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::size_t nodes_ = 0;
};

struct Line {
  std::string_view text;  // without its indentation
  std::size_t indent = 0;
};

Line line_of(const Source& source, std::size_t index) {
  const std::string_view line = index < source.lines.size() ? source.lines[index] : "";
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  return {line.substr(indent), indent};
}

// Where `place` is in a line that does not fit those above it: what the layout shows of the cause.
std::optional<SyntaxError> error_of_layout(const Place& place) {
  const Source& source = *place.source;
  const auto missing_blank = [&](std::size_t index) -> std::optional<SyntaxError> {
    const Line line = line_of(source, index);
    const std::string_view text = line.text.substr(0, line.text.find(" #"));
    const std::string apart =
        with_blank_after_colon(text.substr(0, text.find_last_not_of(' ') + 1));
    if (apart.empty()) return std::nullopt;
    const Place at{&source, static_cast<int>(index) + 1, static_cast<int>(line.indent) + 1};
    return SyntaxError{at, no_blank, "write " + apart};
  };
  const auto index = static_cast<std::size_t>(place.line) - 1;
  if (auto error = missing_blank(index)) return error;
  const auto says_nothing = [](const Line& line) {
    return line.text.empty() || line.text.front() == '#';
  };
  std::size_t above = index;
  while (above > 0 && says_nothing(line_of(source, --above))) continue;
  const Line line = line_of(source, index), previous = line_of(source, above);
  if (auto error = missing_blank(above)) return error;
  const bool is_first_colon =
      line.indent + line.text.find(':') + 1 == static_cast<std::size_t>(place.column);
  const bool is_value = previous.text.find(": ") != std::string_view::npos &&
                        previous.text.find_first_of("{[") == std::string_view::npos;
  if (!is_first_colon || !is_value || line.indent <= previous.indent) return std::nullopt;
  return SyntaxError{{&source, place.line, static_cast<int>(line.indent) + 1},
                     "this line is indented further than the one above, so it continues the value "
                     "there",
                     "begin it in the same column as the other keys of its map"};
}

// yaml-cpp's words for a syntax error -> what the writer of the file should look for.
SyntaxError reworded(const YAML::Exception& error, Place place) {
  struct Rewording {
    const char *theirs, *what, *remedy;
  };
  using namespace YAML::ErrorMsg;
  static const Rewording rewordings[] = {
      {BAD_FILE, "nested too deeply", "at most 500 levels of lists and maps"},
      {END_OF_MAP, "this line does not fit the map around it",
       "keys of one map begin in the same column; look for a missing `:` or a stray indent"},
      {END_OF_MAP_FLOW, "a `{` is not closed", "add the missing `}` or `,`"},
      {END_OF_SEQ, "this line does not fit the list around it",
       "items of one list begin with `- ` in the same column"},
      {END_OF_SEQ_FLOW, "a `[` is not closed", "add the missing `]` or `,`"},
      {MAP_VALUE, "a `:` that cannot stand here",
       "one `key: value` per line; put quotes round a value that holds `: `"},
      {MAP_KEY, "a key that cannot stand here", "check the indentation"},
      {BLOCK_ENTRY, "a `- ` that cannot stand here", "begin the list on a line of its own"},
      {FLOW_END, "this `}` or `]` closes nothing that is open",
       "close what was opened last first, or add what opens it"},
      {EOF_IN_SCALAR, "a quoted text is not closed",
       "add the closing quote; the opening one is in this line or above"},
      {DOC_IN_SCALAR, "a quoted text is not closed",
       "add the closing quote; the opening one is in this line or above"},
      {UNKNOWN_TOKEN, "a character that cannot begin a value",
       "put quotes round a value that begins with a tab or one of % @ `"},
      {UNKNOWN_ANCHOR, "an alias for an anchor that does not exist",
       "define it before with `&name`"},
  };
  const std::size_t line = static_cast<std::size_t>(place.line) - 1;
  if (line < place.source->lines.size()) {
    const std::string_view text = place.source->lines[line];
    const std::size_t tab = text.substr(0, text.find_first_not_of(" \t")).find('\t');
    if (tab != std::string_view::npos) {
      place.column = static_cast<int>(tab) + 1;
      return {place, "a tab in the indentation", "indent with spaces"};
    }
  }
  const bool is_of_line = error.msg.starts_with(END_OF_MAP) || error.msg.starts_with(MAP_VALUE);
  if (is_of_line && place.line > 0)
    if (auto better = error_of_layout(place)) return *better;
  for (const Rewording& rewording : rewordings) {
    if (error.msg.rfind(rewording.theirs, 0) == 0) return {place, rewording.what, rewording.remedy};
  }
  return {place, "not valid YAML: " + error.msg, "check the text before and at this place"};
}

std::optional<SyntaxError> find_non_text(const std::string& text, const Source& source) {
  int line = 1;
  std::size_t line_start = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    if (length == 0) {
      const Place place{&source, line, static_cast<int>(at - line_start) + 1};
      return SyntaxError{
          place,
          fmt::format("byte 0x{:02x} is not UTF-8 text", static_cast<unsigned char>(text[at])),
          "is this a YAML file? save it as UTF-8"};
    }
    at += length;
    if (text[at - 1] == '\n') {
      ++line;
      line_start = at;
    }
  }
  return std::nullopt;
}

// No map in the tree has a key twice, or a merge key.
bool keys_differ(const YamlNode& node) {
  if (node.kind == NodeKind::map) {
    std::vector<std::string_view> keys;
    keys.reserve(node.children.size());
    for (const YamlNode& child : node.children) keys.push_back(child.key);
    std::ranges::sort(keys);
    if (std::ranges::adjacent_find(keys) != keys.end() || std::ranges::binary_search(keys, "<<"))
      return false;
  }
  return std::ranges::all_of(node.children, keys_differ);
}

void remove_duplicates(YamlNode& node, const std::string& path, Problems& problems) {
  if (node.kind == NodeKind::map) {
    std::map<std::string, Place> seen;
    std::vector<YamlNode> kept;
    for (YamlNode& child : node.children) {
      const std::string child_path = join_path(path, child.key);
      if (child.key == "<<") {
        problems.add(
            child.key_place, path, "merge keys (`<<`) are not supported",
            "repeat the keys, or put them in a file of their own and name it with `file:`");
        continue;
      }
      const auto [first, is_new] = seen.emplace(child.key, child.key_place);
      if (!is_new) {
        problems.add(child.key_place, child_path, "this key is given twice",
                     fmt::format("remove this one or the one in line {}", first->second.line));
        continue;
      }
      kept.push_back(std::move(child));
    }
    node.children = std::move(kept);
  }
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    YamlNode& child = node.children[i];
    remove_duplicates(child,
                      node.kind == NodeKind::map ? join_path(path, child.key) : item_path(path, i),
                      problems);
  }
}

}  // namespace

std::optional<YamlNode> parse_yaml(const std::string& text, const Source& source,
                                   const std::string& path, Problems& problems) {
  TreeBuilder builder(source);
  const auto report = [&](const SyntaxError& error) {
    problems.add(error.place, path, error.what, error.remedy);
    return std::nullopt;
  };
  if (const auto error = find_non_text(text, source)) return report(*error);
  try {
    // yaml-cpp 0.7 takes the line break at the end of the file for the end of an open quotation.
    std::istringstream stream(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    TreeBuilder second(source);
    if (parser.HandleNextDocument(second)) {
      return report({second.take_root().place, "a second YAML document begins here",
                     "keep one document per file: remove the `---` between them"});
    }
  } catch (const YAML::Exception& error) {
    return report(reworded(error, builder.place_of(error.mark)));
  } catch (const SyntaxError& error) {
    return report(error);
  }
  YamlNode root = builder.take_root();
  if (root.place.source == nullptr) root.place = {&source, 0, 0};
  if (!keys_differ(root)) remove_duplicates(root, path, problems);
  return root;
}

}  // namespace orrery::yaml
