// The groups of ranks that a trace calls collectives in, by their names, and the communicators they
// become.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "formats/chakra/execution_trace.h"
#include "system/job.h"

namespace orrery::chakra {

// Ranks of each group, ascending; none = all ranks.
using GroupRanks = std::map<std::string, std::vector<Rank>>;

// {"1": [0, 1], "2": [2, 3]}. Throws ConfigError.
GroupRanks read_groups(const std::string& file, const std::string& text);
// Adds what a node says, if it is a metadata node "process_group:init". `file`: for messages.
void add_groups(const std::string& file, const Node& node, GroupRanks& groups);

// A group that is used: a name may stand for other ranks in the file of another rank.
struct UsedGroup {
  std::vector<Rank> ranks;  // none = all
  std::string name;
  // Communicator::rows and few_bytes, which files of our own say: a ring goes another way then.
  std::int32_t rows = 1;
  bool few_bytes = false;
  auto operator<=>(const UsedGroup&) const = default;
};

// Groups that cut the ranks alike are one communicator, so that ranks which do the same call the
// same one. Groups with two names are two, because each counts its calls.
class TraceCommunicators {
 public:
  TraceCommunicators(const std::set<UsedGroup>& used, std::int32_t ranks, int levels);

  const std::vector<Communicator>& all() const { return communicators_; }
  std::int32_t of(const UsedGroup& group) const { return index_of_.at(group); }

 private:
  std::vector<Communicator> communicators_;
  std::map<UsedGroup, std::int32_t> index_of_;
};

}  // namespace orrery::chakra
