// Chakra traces in JSON, as its feeder reads them: {"workload_graph": [{"Id", "Name", "NodeType",
// "ctrlDeps", "data_deps", "runtime", ...}]}, runtime in microseconds. All other values of a node
// are attributes.
#include <fmt/format.h>

#include <istream>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/config_error.h"
#include "formats/chakra/rank_trace.h"
#include "formats/input/parsed_json.h"

namespace orrery::chakra {

namespace {

using Json = nlohmann::json;

class JsonNodes {
 public:
  explicit JsonNodes(const std::string& file) : file_(file) {}

  Node node_of(const Json& json, std::size_t index) const {
    if (!json.is_object()) refuse(index, "is not an object");
    Node node;
    for (const auto& [key, value] : json.items()) {
      if (key == "Id" || key == "id")
        node.id = whole(value, index, key);
      else if (key == "Name" || key == "name")
        node.name = value.is_string() ? value.get<std::string>() : "";
      else if (key == "NodeType" || key == "type")
        node.type = type_of(whole(value, index, key));
      else if (key == "ctrlDeps" || key == "ctrl_deps")
        node.control_dependencies = ids(value, index, key);
      else if (key == "data_deps" || key == "dataDeps")
        node.data_dependencies = ids(value, index, key);
      else if (key == "runtime" || key == "duration_micros")
        node.duration = time_of(value, index, key);
      else
        add_attribute(node, key, value);
    }
    return node;
  }

 private:
  [[noreturn]] void refuse(std::size_t index, const std::string& what) const {
    throw ConfigError({.file = file_,
                       .what = fmt::format("workload_graph[{}] {}", index, what),
                       .remedy = "write it as Chakra's JSON traces have it"});
  }
  std::uint64_t whole(const Json& value, std::size_t index, const std::string& key) const {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    refuse(index, fmt::format("has no whole number of 0 or more as \"{}\"", key));
  }
  static NodeType type_of(std::uint64_t number) {
    return number <= static_cast<std::uint64_t>(NodeType::collective)
               ? static_cast<NodeType>(number)
               : NodeType::invalid;
  }
  Duration time_of(const Json& value, std::size_t index, const std::string& key) const {
    constexpr std::uint64_t kLongest = 1'000'000'000'000;
    const std::uint64_t time = whole(value, index, key);
    if (time > kLongest) refuse(index, fmt::format("takes {} us, more than {} us", time, kLongest));
    return microseconds(static_cast<std::int64_t>(time));
  }
  std::vector<std::uint64_t> ids(const Json& list, std::size_t index,
                                 const std::string& key) const {
    if (!list.is_array()) refuse(index, fmt::format("has no list as \"{}\"", key));
    std::vector<std::uint64_t> ids;
    for (const Json& id : list) ids.push_back(whole(id, index, key));
    return ids;
  }
  static void add_attribute(Node& node, const std::string& key, const Json& value) {
    if (value.is_boolean())
      node.attributes.push_back({key, std::int64_t{value.get<bool>() ? 1 : 0}});
    else if (value.is_number_integer())
      node.attributes.push_back({key, value.get<std::int64_t>()});
    else if (value.is_number())
      node.attributes.push_back({key, value.get<double>()});
    else if (value.is_string())
      node.attributes.push_back({key, value.get<std::string>()});
  }

  const std::string& file_;
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
    for (const auto& [name, value] : node.attributes)
      std::visit([&](const auto& plain) { json[name] = plain; }, value);
    text += &node == trace.nodes.data() ? "\n  " : ",\n  ";
    text += json.dump(-1, ' ', false, kReplace);
  }
  return text + "\n]}\n";
}

std::vector<Node> read_json_nodes(const std::string& file, std::istream& text) {
  const Json json = parsed_json(file, text, "the trace");
  const auto graph = json.find("workload_graph");
  if (graph == json.end() || !graph->is_array())
    throw ConfigError({.file = file,
                       .what = "there is no list \"workload_graph\"",
                       .remedy = "give a Chakra trace: one in JSON has such a list"});
  const JsonNodes reader(file);
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < graph->size(); ++i) nodes.push_back(reader.node_of((*graph)[i], i));
  return nodes;
}

}  // namespace orrery::chakra
