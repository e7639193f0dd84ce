// Traces in JSON, token by token, so that they need not fit into memory as a tree.
#include <fmt/format.h>

#include <cstdint>
#include <istream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/config_error.h"
#include "formats/chakra/rank_trace.h"
#include "formats/chakra/trace_nodes.h"
#include "formats/input/parsed_json.h"

namespace orrery::chakra {

namespace {

using Json = nlohmann::json;

enum class Key : std::uint8_t { id, name, type, control, data, time, attribute };

Key key_named(const std::string& name) {
  if (name == "Id" || name == "id") return Key::id;
  if (name == "Name" || name == "name") return Key::name;
  if (name == "NodeType" || name == "type") return Key::type;
  if (name == "ctrlDeps" || name == "ctrl_deps") return Key::control;
  if (name == "data_deps" || name == "dataDeps") return Key::data;
  if (name == "runtime" || name == "duration_micros") return Key::time;
  return Key::attribute;
}

// What the parser calls. Level 1 is within the text's map, 2 in the list of nodes, 3 in a node, 4
// in a list of ids.
class NodeReader {
 public:
  NodeReader(const std::string& file, const UseNode& use) : file_(file), use_(use) {}

  bool found = false;       // the list
  bool is_of_host = false;  // as PyTorch's ExecutionTraceObserver writes it
  bool is_profile = false;  // as PyTorch's profiler writes it

  // NOLINTBEGIN: the parser's names
  bool null() { return other(); }
  bool boolean(bool value) {
    if (is_attribute()) add_attribute(std::int64_t{value ? 1 : 0});
    return is_attribute() || other();
  }
  bool number_integer(std::int64_t value) {
    if (is_attribute()) add_attribute(value);
    return is_attribute() || other();
  }
  bool number_unsigned(std::uint64_t value) {
    if (in_node() && level_ == 4 && (key_ == Key::control || key_ == Key::data)) {
      (key_ == Key::data ? node_.data_dependencies : node_.control_dependencies).push_back(value);
      return true;
    }
    if (!in_node() || level_ != 3) return other();
    return take(value);
  }
  bool number_float(double value, const std::string&) {
    if (is_attribute()) add_attribute(value);
    return is_attribute() || other();
  }
  bool string(std::string& value) {
    if (in_node() && level_ == 3 && key_ == Key::name) {
      node_.name = std::move(value);
      return true;
    }
    if (is_attribute()) add_attribute(std::move(value));
    return is_attribute() || other();
  }
  bool binary(std::vector<std::uint8_t>&) { return true; }
  bool key(std::string& name) {
    if (level_ == 1) is_list_of_nodes_ = name == "workload_graph";
    if (level_ == 1) is_of_host = is_of_host || name == "nodes";
    if (level_ == 1) is_profile = is_profile || name == "traceEvents";
    if (!in_node() || level_ != 3) return true;
    key_ = key_named(name);
    key_name_ = std::move(name);
    return true;
  }
  bool start_object(std::size_t) {
    if (in_list_ && level_ == 2) {
      node_ = {};
    } else {
      other();
    }
    enter();
    return true;
  }
  bool end_object() {
    leave();
    if (in_list_ && level_ == 2) {
      use_(node_);
      ++index_;
    }
    return true;
  }
  bool start_array(std::size_t) {
    const bool is_list = in_node() && level_ == 3 && (key_ == Key::control || key_ == Key::data);
    if (is_list)
      (key_ == Key::data ? node_.data_dependencies : node_.control_dependencies).clear();
    else if (level_ == 1 && is_list_of_nodes_)
      found = in_list_ = true;
    else
      other();
    enter();
    return true;
  }
  bool end_array() {
    leave();
    if (level_ == 1) in_list_ = false;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) {
    throw json_refusal(file_, "the trace", error.what());
  }
  // NOLINTEND

 private:
  bool in_node() const { return in_list_ && level_ >= 3; }
  bool is_attribute() const { return in_node() && level_ == 3 && key_ == Key::attribute; }

  void enter() {
    constexpr int kDeepest = 100;
    if (++level_ > kDeepest + 1)
      throw ConfigError({.file = file_,
                         .what = fmt::format("the trace is nested deeper than {} levels", kDeepest),
                         .remedy = "look for a bracket that is not closed"});
  }
  void leave() { --level_; }

  [[noreturn]] void refuse(const std::string& what) const {
    throw ConfigError({.file = file_,
                       .what = fmt::format("workload_graph[{}] {}", index_, what),
                       .remedy = "write it as Chakra's JSON traces have it"});
  }

  // A value of a kind that its place does not have.
  bool other() const {
    if (in_list_ && level_ == 2) refuse("is not an object");
    if (!in_node() || level_ > 4) return true;
    const bool is_list = key_ == Key::control || key_ == Key::data;
    if (level_ == 3 && is_list) refuse(fmt::format("has no list as \"{}\"", key_name_));
    const bool is_number = key_ == Key::id || key_ == Key::type || key_ == Key::time;
    if (level_ == 3 ? is_number : is_list)
      refuse(fmt::format("has no whole number of 0 or more as \"{}\"", key_name_));
    return true;
  }

  bool take(std::uint64_t value) {
    constexpr std::uint64_t kLongest = 1'000'000'000'000;  // us; the clock ends at 9.2e12
    switch (key_) {
      case Key::id:
        node_.id = value;
        return true;
      case Key::type:
        node_.type = value <= static_cast<std::uint64_t>(NodeType::collective)
                         ? static_cast<NodeType>(value)
                         : NodeType::invalid;
        return true;
      case Key::time:
        if (value > kLongest) refuse(fmt::format("takes {} us, more than {} us", value, kLongest));
        node_.duration = microseconds(static_cast<std::int64_t>(value));
        return true;
      case Key::attribute:
        add_attribute(static_cast<std::int64_t>(value));
        return true;
      default:
        return other();
    }
  }

  template <class Value>
  void add_attribute(Value value) {
    if (node_.attributes.size() == most_attributes)
      refuse(fmt::format("has more than {} keys", most_attributes));
    node_.attributes.push_back({key_name_, std::move(value)});
  }

  const std::string& file_;
  const UseNode& use_;
  Node node_;
  Key key_ = Key::attribute;
  std::string key_name_;
  std::size_t index_ = 0;  // of the node
  int level_ = 0;
  bool is_list_of_nodes_ = false, in_list_ = false;
};

}  // namespace

std::string json_text(const RankTrace& trace) {
  constexpr auto kReplace = Json::error_handler_t::replace;  // names need not be UTF-8
  std::string text = "{\"workload_graph\": [";
  for (const Node& node : trace.nodes) {
    nlohmann::ordered_json json = {{"Id", node.id},
                                   {"Name", node.name},
                                   {"NodeType", static_cast<int>(node.type)},
                                   {"ctrlDeps", node.control_dependencies},
                                   {"data_deps", node.data_dependencies},
                                   {"runtime", node.duration.value / 1'000'000}};
    for (const auto& attribute : node.attributes)
      std::visit([&](const auto& plain) { json[attribute.name] = plain; }, attribute.value);
    text += &node == trace.nodes.data() ? "\n  " : ",\n  ";
    text += json.dump(-1, ' ', false, kReplace);
  }
  return text + "\n]}\n";
}

void read_json_nodes(const std::string& file, std::istream& text, const UseNode& use) {
  NodeReader reader(file, use);
  Json::sax_parse(text, &reader);
  if (!reader.found && reader.is_of_host)
    throw ConfigError({.file = file,
                       .what = "this is a trace of PyTorch's host, without the device's times",
                       .remedy = "make a Chakra trace of it and of the profile: chakra_trace_link, "
                                 "then chakra_converter PyTorch"});
  if (!reader.found && reader.is_profile)
    throw ConfigError({.file = file,
                       .what = "this is a profile of PyTorch, no Chakra trace",
                       .remedy = "orrery trace info reads it, and orrery import kineto"});
  if (!reader.found)
    throw ConfigError({.file = file,
                       .what = "there is no list \"workload_graph\"",
                       .remedy = "give a Chakra trace: one in JSON has such a list"});
}

}  // namespace orrery::chakra
