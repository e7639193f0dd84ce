// What all files of a trace have in common, which has to be known before any of them becomes a
// graph: the groups that are used, the streams, and the names that work is summed under.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formats/chakra/trace_groups.h"
#include "formats/chakra/trace_settings.h"

namespace orrery::chakra {

// What a node does. Communication with is_cpu_op is what the host does to begin it.
enum class Role : std::uint8_t {
  structure,  // nothing: metadata
  host,
  processor,
  memory,
  send,
  receive,
  collective
};
Role role_of(const Node& node);

// The stream of the processor or thread of the host that the node says it runs on.
struct StreamName {
  bool host = false;
  std::int64_t number = 0;
  auto operator<=>(const StreamName&) const = default;
};
std::optional<StreamName> stream_of(const Node& node);

// The name of a kernel without its arguments.
std::string kernel_name(std::string_view name);

// The groups of one rank's file.
class RankGroups {
 public:
  // `given`: of a file of their own; none = those that the trace holds.
  RankGroups(const RankTrace& trace, const GroupRanks& given, const TraceSettings& settings,
             Rank rank, std::int32_t ranks);
  // Of a collective; nothing if the rank is alone in it. Throws ConfigError.
  std::optional<UsedGroup> of(const Node& node) const;

 private:
  const RankTrace& trace_;
  GroupRanks groups_;
  bool whole_;  // every group is all ranks
  Rank rank_;
  std::int32_t ranks_;
};

class TraceScan {
 public:
  void add(const RankTrace& trace, const RankGroups& groups);

  std::set<UsedGroup> groups;
  std::set<StreamName> streams;
  std::map<std::string, Duration> kernels;  // recorded time by name
  bool from_text = false;                   // a converter of ASTRA-sim 1.0's texts wrote it
};

}  // namespace orrery::chakra
