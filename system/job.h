// A job as the system layer sees it: who talks to whom, what the operations are called, and the
// source that hands them out.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "system/operation_source.h"

namespace orrery {

// A family of groups that share a shape: the ranks that differ only in the coordinates of the given
// levels (ascending) form one group. {0, 1} on a 16 x 8 platform is one group of 128; {1} is
// sixteen groups of 8, one for each local rank. Which group a rank is in follows from its
// coordinates, so a family costs no memory per rank.
struct Communicator {
  std::string name;         // "data", "model", "world"
  std::vector<int> levels;  // of the topology, innermost first; at least one
};

enum class Pass : std::uint8_t { none, forward, input_gradient, weight_gradient };
std::string_view name_of(Pass pass);

// Span::detail of the spans that system/ emits: the Collective, or one of these.
inline constexpr std::uint8_t kDetailSend = 100, kDetailReceive = 101, kDetailCompute = 102;

// A job that contradicts itself while it runs: ranks of a group that call different collectives, a
// receive of another size than its send. Exit code 1.
class JobError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A row of the layer table.
struct Label {
  std::string layer;
  std::int32_t iteration = 0;  // from 0
  Pass pass = Pass::none;
};

struct Job {
  std::string name;
  std::int32_t ranks = 0;  // rank r runs on NPU r
  std::vector<Communicator> communicators;
  std::vector<Label> labels;
  std::unique_ptr<OperationSource> operations;
};

}  // namespace orrery
