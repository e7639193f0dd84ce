// One file of a trace with all that its nodes say, for what looks at single nodes. Ranks are read
// without it (rank_graph.h), in a small part of its memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/chakra/trace_nodes.h"

namespace orrery::chakra {

struct RankTrace {
  std::string file;
  TraceHead head = {};
  std::vector<Node> nodes = {};                                   // in the order of the file
  std::unordered_map<std::uint64_t, std::int32_t> index_of = {};  // of each id

  // "gpt.0.et: node 17 (name): what"
  [[noreturn]] void refuse(const Node& node, std::string what, std::string remedy) const;
};

[[noreturn]] void refuse_node(const std::string& file, std::uint64_t id, const std::string& name,
                              const std::string& what, std::string remedy);

// Throws ConfigError.
RankTrace read_rank_trace(const std::string& file, std::unique_ptr<ByteStream> bytes);

// A line for each node; read_rank_trace() reads it again.
std::string json_text(const RankTrace& trace);

}  // namespace orrery::chakra
