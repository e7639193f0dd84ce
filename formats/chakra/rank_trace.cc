#include "formats/chakra/rank_trace.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/config_error.h"

namespace orrery::chakra {

void refuse_node(const std::string& file, std::uint64_t id, const std::string& name,
                 const std::string& what, std::string remedy) {
  const std::string named = name.empty() ? "" : fmt::format(" ({})", name.substr(0, 60));
  throw ConfigError({.file = file,
                     .what = fmt::format("node {}{}: {}", id, named, what),
                     .remedy = std::move(remedy)});
}

void RankTrace::refuse(const Node& node, std::string what, std::string remedy) const {
  refuse_node(file, node.id, node.name, what, std::move(remedy));
}

RankTrace read_rank_trace(const std::string& file, std::unique_ptr<ByteStream> bytes) {
  RankTrace trace{.file = file};
  trace.head = read_nodes(file, std::move(bytes), [&](Node& node) {
    const auto index = static_cast<std::int32_t>(trace.nodes.size());
    if (!trace.index_of.emplace(node.id, index).second)
      trace.refuse(node, "another node has the same id",
                   "give each node of a file an id of its own");
    trace.nodes.push_back(std::move(node));
  });
  return trace;
}

}  // namespace orrery::chakra
