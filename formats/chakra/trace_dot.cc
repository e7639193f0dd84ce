#include "formats/chakra/trace_dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/config_error.h"
#include "core/base/quoted.h"
#include "core/units/unit_text.h"
#include "formats/chakra/node_role.h"

namespace orrery::chakra {

namespace {

constexpr std::int32_t kFar = -1, kLeftOut = -2;

const char* colour_of(Role role) {
  switch (role) {
    case Role::host:
      return "lightyellow";
    case Role::processor:
      return "lightblue";
    case Role::memory:
      return "lightgrey";
    case Role::send:
    case Role::receive:
    case Role::collective:
      return "lightsalmon";
    case Role::structure:
      break;
  }
  return "white";
}

// Within quotes.
std::string escaped(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result;
  for (const char c : printable(text, longest)) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result;
}

class DotWriter {
 public:
  DotWriter(const RankTrace& trace, const DotOptions& options) : trace_(trace), options_(options) {}

  std::string text() {
    choose();
    std::string text =
        "digraph trace {\n  node [shape=box, style=filled, fontname=\"sans-serif\"];\n";
    for (const std::int32_t index : chosen_) text += node_line(index);
    for (const std::int32_t index : chosen_) text += edges_to(index);
    if (left_out_ > 0)
      text += fmt::format("  // {} nodes as near as the last of these are left out\n", left_out_);
    return text + "}\n";
  }

 private:
  std::int32_t size() const { return static_cast<std::int32_t>(trace_.nodes.size()); }

  template <class Visit>
  void each_neighbour(std::int32_t index, Visit visit) const {
    for (const std::int32_t follower : followers_[static_cast<std::size_t>(index)]) visit(follower);
    const Node& node = trace_.nodes[static_cast<std::size_t>(index)];
    for (const auto* ids : {&node.data_dependencies, &node.control_dependencies})
      for (const std::uint64_t id : *ids)
        if (const auto found = trace_.index_of.find(id); found != trace_.index_of.end())
          visit(found->second);
  }

  void note_followers() {
    followers_.resize(trace_.nodes.size());
    for (std::int32_t i = 0; i < size(); ++i)
      for (const auto* ids : {&trace_.nodes[static_cast<std::size_t>(i)].data_dependencies,
                              &trace_.nodes[static_cast<std::size_t>(i)].control_dependencies})
        for (const std::uint64_t id : *ids)
          if (const auto found = trace_.index_of.find(id); found != trace_.index_of.end())
            followers_[static_cast<std::size_t>(found->second)].push_back(i);
  }

  // Whose box is drawn, in the order of the file.
  void choose() {
    distance_.assign(trace_.nodes.size(), kFar);
    if (!options_.around) {
      if (trace_.nodes.size() > options_.most)
        throw ConfigError({.file = trace_.file,
                           .what = fmt::format("the trace has {} nodes, a picture {} at most",
                                               trace_.nodes.size(), options_.most),
                           .remedy = "name one, of which the neighbours are drawn: --around NODE"});
      for (std::int32_t i = 0; i < size(); ++i) take(i, 0);
      return;
    }
    const auto middle = trace_.index_of.find(*options_.around);
    if (middle == trace_.index_of.end())
      throw ConfigError({.file = trace_.file,
                         .path = "--around",
                         .what = fmt::format("no node has the id {}", *options_.around),
                         .remedy = "orrery trace json lists nodes with their ids"});
    note_followers();
    take(middle->second, 0);
    for (std::size_t next = 0; next < chosen_.size(); ++next) {
      const std::int32_t index = chosen_[next];
      const std::int32_t far = distance_[static_cast<std::size_t>(index)] + 1;
      if (far <= options_.steps)
        each_neighbour(index, [&](std::int32_t neighbour) { take(neighbour, far); });
    }
    std::ranges::sort(chosen_);
  }

  void take(std::int32_t index, std::int32_t distance) {
    std::int32_t& known = distance_[static_cast<std::size_t>(index)];
    if (known != kFar) return;
    if (chosen_.size() == options_.most) {
      ++left_out_;
      known = kLeftOut;
      return;
    }
    known = distance;
    chosen_.push_back(index);
  }
  bool is_shown(std::int32_t index) const {
    return distance_[static_cast<std::size_t>(index)] >= 0;
  }

  std::string node_line(std::int32_t index) const {
    const Node& node = trace_.nodes[static_cast<std::size_t>(index)];
    std::string label = fmt::format("{} {}\\n{}", node.id, escaped(node.name), name_of(node.type));
    if (node.duration > Duration{}) label += ' ' + to_text(node.duration);
    if (const auto size = node.number("comm_size")) label += fmt::format(" {} B", *size);
    const bool is_middle = options_.around == node.id;
    return fmt::format("  n{} [label=\"{}\", fillcolor={}{}];\n", node.id, label,
                       colour_of(role_of(node)), is_middle ? ", penwidth=3" : "");
  }

  std::string edges_to(std::int32_t index) const {
    const Node& node = trace_.nodes[static_cast<std::size_t>(index)];
    std::string text;
    const auto add = [&](const std::vector<std::uint64_t>& ids, const char* style) {
      for (const std::uint64_t id : ids) {
        const auto found = trace_.index_of.find(id);
        if (found == trace_.index_of.end())
          text += fmt::format("  \"{} is not there\" -> n{}{};\n", id, node.id, style);
        else if (is_shown(found->second))
          text += fmt::format("  n{} -> n{}{};\n", id, node.id, style);
      }
    };
    add(node.data_dependencies, "");
    add(node.control_dependencies, " [style=dashed]");
    return text;
  }

  const RankTrace& trace_;
  const DotOptions& options_;
  std::vector<std::vector<std::int32_t>> followers_;
  std::vector<std::int32_t> distance_;  // of each node from the middle
  std::vector<std::int32_t> chosen_;
  std::int64_t left_out_ = 0;
};

}  // namespace

std::string dot_text(const RankTrace& trace, const DotOptions& options) {
  return DotWriter(trace, options).text();
}

}  // namespace orrery::chakra
