#include "formats/chakra/rank_trace.h"

#include <fmt/format.h>

#include <istream>
#include <limits>
#include <utility>

#include "core/base/config_error.h"
#include "formats/chakra/unpacked_bytes.h"

namespace orrery::chakra {

namespace {

// A trace on the wire may begin with '{' as well, which is then the length of its first message.
bool is_json(std::istream& text) {
  std::string begin(64, '\0');
  text.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(text.gcount()));
  const std::size_t brace = begin.find_first_not_of(" \t\r\n");
  if (brace == std::string::npos || begin[brace] != '{') return false;
  const std::size_t next = begin.find_first_not_of(" \t\r\n", brace + 1);
  return next != std::string::npos && begin[next] == '"';
}

void index_nodes(RankTrace& trace) {
  if (trace.nodes.size() > std::numeric_limits<std::int32_t>::max() / 2)
    throw ConfigError({.file = trace.file,
                       .what = fmt::format("the trace has {} nodes", trace.nodes.size()),
                       .remedy = "cut it: a thousand million are the most"});
  for (std::size_t i = 0; i < trace.nodes.size(); ++i)
    if (!trace.index_of.emplace(trace.nodes[i].id, static_cast<std::int32_t>(i)).second)
      trace.refuse(trace.nodes[i], "another node has the same id",
                   "give each node of a file an id of its own");
}

}  // namespace

void RankTrace::refuse(const Node& node, std::string what, std::string remedy) const {
  const std::string name = node.name.empty() ? "" : fmt::format(" ({})", node.name.substr(0, 60));
  throw ConfigError({.file = file,
                     .what = fmt::format("node {}{}: {}", node.id, name, what),
                     .remedy = std::move(remedy)});
}

RankTrace read_rank_trace(const std::string& file, std::string_view bytes) {
  RankTrace trace;
  trace.file = file;
  const bool json = is_json(*unpacked(file, bytes));
  const auto stream = unpacked(file, bytes);
  if (json) {
    trace.version = "JSON";
    trace.nodes = read_json_nodes(file, *stream);
  } else {
    TraceReader reader(file, *stream);
    trace.version = reader.version();
    trace.attributes = reader.attributes();
    while (std::optional<Node> node = reader.next()) trace.nodes.push_back(std::move(*node));
  }
  index_nodes(trace);
  return trace;
}

}  // namespace orrery::chakra
