// Traces on the wire: messages, each behind its length as a varint. The first is the head, all
// others are nodes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/config_error.h"
#include "formats/chakra/trace_nodes.h"
#include "formats/chakra/wire_node.h"

namespace orrery::chakra {

namespace {

class Messages {
 public:
  explicit Messages(ByteStream& bytes) : bytes_(bytes) {}

  bool damaged = false;  // the last message is not whole

  // Valid until the next call; nothing at the end.
  std::optional<std::string_view> next() {
    const std::optional<std::uint64_t> size = length();
    if (!size) return std::nullopt;
    if (*size > std::numeric_limits<std::int32_t>::max()) {
      damaged = true;
      return std::nullopt;
    }
    if (*size <= left_.size()) {
      const std::string_view message = left_.substr(0, *size);
      left_.remove_prefix(*size);
      return message;
    }
    return gathered(*size);
  }

 private:
  bool refill() {
    left_ = bytes_.next();
    return !left_.empty();
  }

  std::optional<std::uint64_t> length() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (left_.empty() && !refill()) {
        damaged = shift > 0;
        return std::nullopt;
      }
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
    damaged = true;
    return std::nullopt;
  }

  // A message that is in several pieces. Takes as much memory as is there, whatever its length
  // says.
  std::optional<std::string_view> gathered(std::size_t size) {
    whole_.assign(left_);
    while (whole_.size() < size) {
      if (!refill()) {
        damaged = true;
        return std::nullopt;
      }
      const std::size_t part = std::min(size - whole_.size(), left_.size());
      whole_.append(left_.substr(0, part));
      left_.remove_prefix(part);
    }
    return whole_;
  }

  ByteStream& bytes_;
  std::string_view left_;  // of the last piece
  std::string whole_;
};

[[noreturn]] void refuse_format(const std::string& file, bool is_old) {
  throw ConfigError(
      {.file = file,
       .what = is_old ? "this is a Chakra trace of format 0.0.1, which is another format under the "
                        "same ending"
                      : "this is no Chakra trace of format 0.0.4 or 1.0.0, nor one in JSON",
       .remedy = is_old ? "convert it with the tools of Chakra, to 0.0.4 or 1.0.0"
                        : "name a trace; text workloads of ASTRA-sim 1.0 are \"workload: {text: "
                          "FILE}\""});
}

TraceHead read_head(const std::string& file, Messages& messages) {
  const std::optional<std::string_view> bytes = messages.next();
  if (!bytes && !messages.damaged)
    throw ConfigError({.file = file, .what = "the file is empty", .remedy = "write it again"});
  TraceHead head;
  const HeadKind kind = bytes ? read_wire_head(*bytes, head) : HeadKind::other;
  if (kind != HeadKind::head) refuse_format(file, kind == HeadKind::old);
  return head;
}

[[noreturn]] void refuse_damage(const std::string& file, std::int64_t nodes, std::uint64_t last) {
  const std::string place = nodes == 0
                                ? "in its first node"
                                : fmt::format("behind node {}, number {} of the file", last, nodes);
  throw ConfigError({.file = file,
                     .what = "the trace is damaged or cut short " + place,
                     .remedy = "write it again"});
}

}  // namespace

TraceHead read_wire_nodes(const std::string& file, ByteStream& bytes, const UseNode& use) {
  Messages messages(bytes);
  TraceHead head = read_head(file, messages);
  WireNode read;
  std::int64_t nodes = 0;
  std::uint64_t last = 0;
  while (const std::optional<std::string_view> message = messages.next()) {
    if (!read_wire_node(*message, read)) refuse_damage(file, nodes, last);
    ++nodes;
    last = read.node.id;
    constexpr std::uint64_t kLongest = 1'000'000'000'000;  // us; the clock ends at 9.2e12
    if (read.duration_us > kLongest)
      throw ConfigError({.file = file,
                         .what = fmt::format("node {} takes {} us", last, read.duration_us),
                         .remedy = fmt::format("a time in a file is at most {} us", kLongest)});
    read.node.duration = microseconds(static_cast<std::int64_t>(read.duration_us));
    use(read.node);
  }
  if (messages.damaged) refuse_damage(file, nodes, last);
  return head;
}

}  // namespace orrery::chakra
