// What reports sum the nodes of a trace under: kernels by name, those that take longest; host work;
// collectives by kind and group.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "formats/chakra/trace_groups.h"
#include "formats/chakra/trace_names.h"
#include "system/job.h"

namespace orrery::chakra {

// What a node's work is called until all files are read: the number of a kernel, or one of these.
namespace work {
inline constexpr std::int32_t other_kernels = TraceNames::no_kernel;
inline constexpr std::int32_t host = -2, memory = -3, send = -4, receive = -5, alone = -6;
inline constexpr std::int32_t recorded = -7;  // a collective of a kind that is not known
constexpr std::int32_t recorded_of(Collective kind) {
  return recorded - 1 - static_cast<std::int32_t>(kind);
}
}  // namespace work

class TraceLabels {
 public:
  // Kernels beyond the longest are one row.
  explicit TraceLabels(const TraceNames& names);

  std::int32_t of(std::int32_t work);
  std::int32_t of_call(Collective kind, std::int32_t communicator,
                       const TraceCommunicators& communicators);

  const std::vector<Label>& all() const { return labels_; }

 private:
  // `traffic`: Label::traffic.
  std::int32_t named(const std::string& name, const std::string& traffic = "");

  std::vector<std::int32_t> row_of_kernel_;    // -1 = that of other kernels
  std::map<std::int32_t, std::int32_t> rows_;  // of other work
  std::map<std::pair<Collective, std::int32_t>, std::int32_t> rows_of_calls_;
  std::map<std::string, std::int32_t> index_of_;
  std::vector<Label> labels_;
};

}  // namespace orrery::chakra
