// What a rank is asked to do, one operation at a time.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <variant>

#include "core/units/units.h"
#include "network/tensor_part.h"
#include "system/collective_algorithm.h"
#include "system/pair_sizes.h"

namespace orrery {

using Rank = std::int32_t;  // of the job
using OperationId = std::int64_t;

// What carries out the operations of a Compute: how near they come to the peak differs.
enum class Kernel : std::uint8_t {
  matrix,     // matrix products, and all that has no kernel of its own
  attention,  // scores, softmax and weighted values in one (flash attention)
};

// The shape of a product of rows x depth by depth x columns; 0 = no product, or several shapes.
struct MatrixShape {
  std::int32_t rows = 0, columns = 0, depth = 0;
  constexpr auto operator<=>(const MatrixShape&) const = default;
};

// Work of the rank's processor: either a measured time, or a size that a ComputeModel turns into
// one. A rank computes one operation at a time, in the order handed out; in a job with lanes
// (Job::lanes) one at a time on each lane.
struct Compute {
  Flops flops;
  Bytes memory_traffic;
  std::optional<Duration> measured;
  Kernel kernel = Kernel::matrix;
  MatrixShape shape = {};
  std::int32_t lane = 0;  // index into Job::lanes, if the job has lanes
  std::int32_t keys = 0;  // of attention: that a query meets, on average; 0 = not known
  Bytes result = {};      // of memory_traffic, the result of a product (written, or added to)
  // On a lane: `measured` in a run whose communication had taken its share of the processor.
  bool beside_communication = false;
};

// The rank of a collective among those that wait. `highest` goes before all others under every
// policy; values between count under SchedulingPolicy::priority only.
enum class Priority : std::int32_t {
  normal = 0,
  highest = std::numeric_limits<std::int32_t>::max()
};

struct CollectiveCall {
  Collective kind;
  std::int32_t communicator;  // index into Job::communicators
  Bytes size;                 // of the whole buffer of a rank, as nccl-tests counts it; >= 0
  Priority priority = Priority::normal;
  Duration update;        // follows the completion before waiters go on (applying the gradient)
  std::int32_t root = 0;  // position in the group, of kinds that have one (has_root)
  // The calls of a group that have one number are one collective, whatever the order in which its
  // ranks make them. -1 = the number of calls that the rank has made in the communicator; a job
  // gives all calls of a communicator a number, or none.
  std::int32_t number = -1;
  // Of an all_to_allv, whose `size` is then the largest row; null: parts of equal size. Shared,
  // because every rank of every group has it in its call.
  std::shared_ptr<const PairSizes> pair_sizes = {};
  // Gradients, if it has a way: what is added up is pushed, what is copied is pulled.
  TensorPart tensor = {};
};

// A receive takes the send of its source, target, tag and number. Those without a number (-1) meet
// in the order of the calls.
struct SendCall {
  Rank to;
  Bytes size;
  std::int32_t tag = 0;
  std::int32_t number = -1;
  TensorPart tensor = {};
  bool copied = false;  // by a copy engine: no multiprocessor is taken
};

struct ReceiveCall {
  Rank from;
  Bytes size;
  std::int32_t tag = 0;
  std::int32_t number = -1;
  bool copied = false;
};

// Holds the rank until an earlier operation of the same rank is finished (with its update). The
// time that passes is exposed communication, booked to the label of this operation.
struct Wait {
  OperationId operation;
};

struct Operation {
  OperationId id;           // unique within the rank
  std::int32_t label = -1;  // row of Job::labels
  std::variant<Compute, CollectiveCall, SendCall, ReceiveCall, Wait> what;
};

// Where in a training iteration an operation is; -1 = nowhere in particular. For traces: nothing
// that happens depends on it. Sixteen bytes.
struct OperationPlace {
  // What is done with a micro-batch; a backward pass is one step, or two.
  enum class Step : std::uint8_t { none, forward, backward, input_gradient, weight_gradient };
  std::int32_t micro_batch = -1;
  std::int32_t layer = -1;  // of the model
  std::int32_t group = 0;   // steps that are done together, operation by operation, are in one
  std::int16_t chunk = -1;  // of the layers of the rank's stage of the pipeline
  Step step = Step::none;
  bool operator==(const OperationPlace&) const = default;
};

}  // namespace orrery
