// One file of a trace as its nodes, in whatever form it is: on the wire or in JSON, plain or packed
// by gzip. The form is known from the contents, not from the name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/chakra/execution_trace.h"

namespace orrery::chakra {

struct RankTrace {
  std::string file, version;          // the version as the file says it; often nothing
  std::vector<Attribute> attributes;  // of the whole trace
  std::vector<Node> nodes;            // in the order of the file
  std::unordered_map<std::uint64_t, std::int32_t> index_of;  // of each id

  // "gpt.0.et: node 17 (name): what"
  [[noreturn]] void refuse(const Node& node, std::string what, std::string remedy) const;
};

// Throws ConfigError.
RankTrace read_rank_trace(const std::string& file, std::string_view bytes);

// A line for each node; read_rank_trace() reads it again.
std::string json_text(const RankTrace& trace);

// What {"workload_graph": [...]} holds. Throws ConfigError.
std::vector<Node> read_json_nodes(const std::string& file, std::istream& text);

}  // namespace orrery::chakra
