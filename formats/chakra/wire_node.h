// The messages of a trace from their bytes. Protobuf's own parser takes several times as long, and
// most of the time of reading a trace.
//
// The fields are those that MLCommons publishes for format 0.0.4 and 1.0.0, which are the same on
// the wire (github.com/mlcommons/chakra, schema/protobuf/et_def.proto):
//   head       1 version, 2 attribute, ...
//   node       1 id, 2 name, 3 type, 4 control and 5 data dependencies, 6 start and 7 duration in
//   us,
//              8 inputs and 9 outputs (1 values, 2 shapes, 3 types), 10 attribute, ...
//   attribute  1 name, 2 documentation, 3 double, 5 float, 7 int32, 9 int64, 11 uint32, 13 uint64,
//              15 sint32, 17 sint64, 19 fixed32, 21 fixed64, 23 sfixed32, 25 sfixed64, 27 bool,
//              29 string, 31 bytes; each with a list under the next number
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/chakra/execution_trace.h"
#include "formats/chakra/trace_nodes.h"

namespace orrery::chakra {

struct WireNode {
  Node node;  // without its duration, which may be beyond the clock
  std::uint64_t duration_us = 0;
};

// What a file begins with. `other`: no head of these formats. `old`: a node of format 0.0.1, whose
// first field is a number.
enum class HeadKind : std::uint8_t { head, old, other };
HeadKind read_wire_head(std::string_view bytes, TraceHead& result);

// Reads into `result`, whose memory is used again. False if the bytes are damaged. As protobuf does
// it: fields that are not known, or of another wire type, are skipped, the last of several counts,
// and lists may be packed or not.
bool read_wire_node(std::string_view bytes, WireNode& result);

}  // namespace orrery::chakra
