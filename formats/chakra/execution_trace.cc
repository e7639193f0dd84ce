#include "formats/chakra/execution_trace.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/delimited_message_util.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <sstream>
#include <utility>

#include <execution_trace.pb.h>
#include "core/base/config_error.h"
#include "core/base/io_error.h"
#include "formats/chakra/wire_node.h"

namespace orrery::chakra {

namespace io = google::protobuf::io;
namespace util = google::protobuf::util;

namespace {

constexpr std::array<std::string_view, 8> kTypeNames = {"invalid",      "metadata",  "memory load",
                                                        "memory store", "compute",   "send",
                                                        "receive",      "collective"};

Attribute attribute_of(const wire::Attribute& from) {
  const auto number = [&]() -> std::int64_t {
    switch (from.value_case()) {
      case wire::Attribute::kInt32Value:
        return from.int32_value();
      case wire::Attribute::kInt64Value:
        return from.int64_value();
      case wire::Attribute::kUint32Value:
        return from.uint32_value();
      case wire::Attribute::kUint64Value:
        return static_cast<std::int64_t>(from.uint64_value());
      case wire::Attribute::kSint32Value:
        return from.sint32_value();
      case wire::Attribute::kSint64Value:
        return from.sint64_value();
      case wire::Attribute::kFixed32Value:
        return from.fixed32_value();
      case wire::Attribute::kFixed64Value:
        return static_cast<std::int64_t>(from.fixed64_value());
      case wire::Attribute::kSfixed32Value:
        return from.sfixed32_value();
      case wire::Attribute::kSfixed64Value:
        return from.sfixed64_value();
      default:
        return from.bool_value() ? 1 : 0;
    }
  };
  switch (from.value_case()) {
    case wire::Attribute::kDoubleValue:
      return {from.name(), from.double_value()};
    case wire::Attribute::kFloatValue:
      return {from.name(), static_cast<double>(from.float_value())};
    case wire::Attribute::kStringValue:
      return {from.name(), from.string_value()};
    case wire::Attribute::kBytesValue:
    case wire::Attribute::VALUE_NOT_SET:  // or a list
      return {from.name(), std::string()};
    default:
      return {from.name(), number()};
  }
}

}  // namespace

std::string_view name_of(NodeType type) { return kTypeNames[static_cast<std::size_t>(type)]; }

std::optional<std::int64_t> Node::number(std::string_view attribute) const {
  for (const Attribute& one : attributes)
    if (one.name == attribute)
      if (const auto* value = std::get_if<std::int64_t>(&one.value)) return *value;
  return std::nullopt;
}

std::string Node::text(std::string_view attribute) const {
  for (const Attribute& one : attributes) {
    if (one.name != attribute) continue;
    if (const auto* value = std::get_if<std::string>(&one.value)) return *value;
    if (const auto* value = std::get_if<std::int64_t>(&one.value)) return std::to_string(*value);
  }
  return "";
}

struct TraceReader::Input {
  explicit Input(std::istream& bytes) : stream(&bytes) {}
  io::IstreamInputStream stream;
  std::int64_t nodes = 0;  // so far
  std::size_t taken = 0;   // bytes of the last message that are still in the stream
  std::string buffer;      // of a message that is in several blocks of it
  std::optional<std::string_view> message(bool& damaged);
  std::uint64_t last_id = 0;  // of the last one
  // Protobuf prints on standard error when a name is not UTF-8, which does not matter here.
  google::protobuf::LogSilencer silence;
};

TraceReader::TraceReader(std::string file_name, std::istream& bytes)
    : file_name_(std::move(file_name)), input_(std::make_unique<Input>(bytes)) {
  wire::Metadata metadata;
  bool at_end = false;
  const bool parsed = util::ParseDelimitedFromZeroCopyStream(&metadata, &input_->stream, &at_end);
  if (at_end)
    throw ConfigError(
        {.file = file_name_, .what = "the file is empty", .remedy = "write it again"});
  const auto& unknown = metadata.GetReflection()->GetUnknownFields(metadata);
  if (!parsed || unknown.field_count() > 0) refuse_format(unknown);
  version_ = metadata.version();
  for (const wire::Attribute& attribute : metadata.attributes())
    attributes_.push_back(attribute_of(attribute));
}

TraceReader::~TraceReader() = default;

// A file of format 0.0.1 begins with a node, whose field 1 is a number and whose field 2 a name.
void TraceReader::refuse_format(const google::protobuf::UnknownFieldSet& unknown) const {
  const bool is_old = unknown.field_count() > 0 && unknown.field(0).number() == 1 &&
                      unknown.field(0).type() == google::protobuf::UnknownField::TYPE_VARINT;
  throw ConfigError(
      {.file = file_name_,
       .what = is_old ? "this is a Chakra trace of format 0.0.1, which is another format under the "
                        "same ending"
                      : "this is no Chakra trace of format 0.0.4 or 1.0.0, nor one in JSON",
       .remedy = is_old ? "convert it with the tools of Chakra, to 0.0.4 or 1.0.0"
                        : "name a trace; text workloads of ASTRA-sim 1.0 are \"workload: {text: "
                          "FILE}\""});
}

// The bytes of the next message; nothing at the end of the file.
std::optional<std::string_view> TraceReader::Input::message(bool& damaged) {
  if (taken > 0) stream.Skip(static_cast<int>(std::exchange(taken, 0)));
  io::CodedInputStream coded(&stream);
  const int begin = coded.CurrentPosition();
  std::uint32_t size = 0;
  if (!coded.ReadVarint32(&size)) {
    damaged = coded.CurrentPosition() != begin;
    return std::nullopt;
  }
  if (size > std::numeric_limits<std::int32_t>::max()) {
    damaged = true;
    return std::nullopt;
  }
  const void* data = nullptr;
  int available = 0;
  coded.GetDirectBufferPointerInline(&data, &available);
  if (available >= static_cast<int>(size)) {
    taken = size;  // its bytes stay where they are until the next call
    return std::string_view(static_cast<const char*>(data), size);
  }
  buffer.clear();
  damaged = !coded.ReadString(&buffer, static_cast<int>(size));
  if (damaged) return std::nullopt;
  return buffer;
}

std::optional<Node> TraceReader::next() {
  bool damaged = false;
  const std::optional<std::string_view> bytes = input_->message(damaged);
  if (!bytes && !damaged) return std::nullopt;
  std::optional<WireNode> read;
  if (bytes) read = wire_node(*bytes);
  if (!read) {
    const std::string place =
        input_->nodes == 0
            ? "in its first node"
            : fmt::format("behind node {}, number {} of the file", input_->last_id, input_->nodes);
    throw ConfigError({.file = file_name_,
                       .what = "the trace is damaged or cut short " + place,
                       .remedy = "write it again"});
  }
  Node& node = read->node;
  ++input_->nodes;
  input_->last_id = node.id;
  constexpr std::uint64_t kLongest = 1'000'000'000'000;  // us; the clock ends at 9.2e12
  if (read->duration_us > kLongest)
    throw ConfigError({.file = file_name_,
                       .what = fmt::format("node {} takes {} us", node.id, read->duration_us),
                       .remedy = fmt::format("a time in a file is at most {} us", kLongest)});
  node.duration = microseconds(static_cast<std::int64_t>(read->duration_us));
  return std::move(node);
}

std::string trace_bytes(const std::vector<Node>& nodes) {
  std::ostringstream file;
  wire::Metadata metadata;
  metadata.set_version("1.0.0");
  util::SerializeDelimitedToOstream(metadata, &file);
  for (const Node& node : nodes) {
    wire::Node to;
    to.set_id(node.id);
    to.set_name(node.name);
    to.set_type(static_cast<int>(node.type));
    for (const std::uint64_t id : node.control_dependencies) to.add_control_dependencies(id);
    for (const std::uint64_t id : node.data_dependencies) to.add_data_dependencies(id);
    to.set_duration_us(static_cast<std::uint64_t>(node.duration.value / 1'000'000));
    for (const Attribute& attribute : node.attributes) {
      wire::Attribute& one = *to.add_attributes();
      one.set_name(attribute.name);
      const auto* number = std::get_if<std::int64_t>(&attribute.value);
      if (number != nullptr && attribute.name == "is_cpu_op")  // some readers take no other type
        one.set_bool_value(*number != 0);
      else if (number != nullptr)
        one.set_int64_value(*number);
      else if (const auto* real = std::get_if<double>(&attribute.value))
        one.set_double_value(*real);
      else
        one.set_string_value(std::get<std::string>(attribute.value));
    }
    util::SerializeDelimitedToOstream(to, &file);
  }
  return file.str();
}

void write_trace(const std::string& path, const std::vector<Node>& nodes) {
  std::ofstream file(path, std::ios::binary);
  file << trace_bytes(nodes);
  if (!file.flush()) throw IoError(fmt::format("cannot write {}", path));
}

}  // namespace orrery::chakra
