// Chakra execution traces (.et): the nodes of one rank's graph, read one after the other, so that a
// trace need not fit into memory; and written. A trace in JSON is read by json_trace.h.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/units/units.h"

namespace google::protobuf {
class UnknownFieldSet;
}

namespace orrery::chakra {

enum class NodeType : std::uint8_t {
  invalid,
  metadata,
  memory_load,
  memory_store,
  compute,
  send,
  receive,
  collective
};
std::string_view name_of(NodeType type);

// Writers choose the type of a number freely; readers take any.
struct Attribute {
  std::string name;
  std::variant<std::int64_t, double, std::string> value;
};

struct Node {
  std::uint64_t id = 0;  // unique in its file
  std::string name = {};
  NodeType type = NodeType::invalid;
  std::vector<std::uint64_t> control_dependencies = {}, data_dependencies = {};  // ids of any nodes
  Duration duration = {};  // whole microseconds on disk
  std::vector<Attribute> attributes = {};
  std::string inputs = {};  // the values of its inputs, as PyTorch writes them

  // Nothing if there is no such attribute, or it is no whole number.
  std::optional<std::int64_t> number(std::string_view attribute) const;
  // "" if there is none; a number as its digits.
  std::string text(std::string_view attribute) const;
};

class TraceReader {
 public:
  // `bytes` outlives this; `file_name` is what messages call it. Throws ConfigError if the trace is
  // not of format 0.0.4 or 1.0.0.
  TraceReader(std::string file_name, std::istream& bytes);
  ~TraceReader();

  const std::string& version() const { return version_; }  // what the file says; often nothing
  const std::vector<Attribute>& attributes() const { return attributes_; }  // of the whole trace
  // Nothing at the end of the file. Throws ConfigError where it is damaged.
  std::optional<Node> next();

 private:
  struct Input;
  [[noreturn]] void refuse_format(const google::protobuf::UnknownFieldSet& unknown) const;
  std::string file_name_, version_;
  std::vector<Attribute> attributes_;
  std::unique_ptr<Input> input_;
};

// As format 1.0.0.
std::string trace_bytes(const std::vector<Node>& nodes);
// The same as a file. Throws IoError.
void write_trace(const std::string& path, const std::vector<Node>& nodes);

}  // namespace orrery::chakra
