// The nodes of one file of a trace, one after the other, in whatever form it is: on the wire or in
// JSON, plain or packed by gzip. The form is known from the contents, not from the name. A file
// need not fit into memory.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "formats/chakra/execution_trace.h"
#include "formats/input/byte_stream.h"

namespace orrery::chakra {

struct TraceHead {
  std::string version;                // as the file says it; often nothing. "JSON" of JSON
  std::vector<Attribute> attributes;  // of the whole trace
};

// Told each node, in the order of the file. It may take what is in it, and throw.
using UseNode = std::function<void(Node&)>;

// Throws ConfigError where the file is no trace of format 0.0.4 or 1.0.0, or is damaged; and what
// `use` and `bytes` throw. `file` is what messages call it.
TraceHead read_nodes(const std::string& file, std::unique_ptr<ByteStream> bytes,
                     const UseNode& use);

// The two forms, unpacked.
TraceHead read_wire_nodes(const std::string& file, ByteStream& bytes, const UseNode& use);
// {"workload_graph": [{"Id", "Name", "NodeType", "ctrlDeps", "data_deps", "runtime", ...}]}, as
// Chakra's feeder reads it: runtime in microseconds, all other values of a node are attributes.
void read_json_nodes(const std::string& file, std::istream& text, const UseNode& use);

}  // namespace orrery::chakra
