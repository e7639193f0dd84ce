// Training with parameter servers: workers push gradients to the servers and pull parameters back;
// every server has a share of each bucket.
//
// A server acts on what arrives: a gradient that is there is added (memory traffic on the server's
// processor), and the new parameters go back to the worker that sent it, unless that worker would
// get too far ahead. With staleness s a worker that has pushed iteration i hears back only when the
// updates of all workers up to iteration i - s are in: s = 0 is synchronous training, none means
// that nobody waits for others (Q. Ho et al., "More effective distributed ML via a stale
// synchronous parallel parameter server", NeurIPS 2013; M. Li et al., OSDI 2014).
#pragma once

#include <cstdint>
#include <memory>

#include "system/operation_source.h"
#include "workload/workload_spec.h"

namespace orrery {

// Rows are those of StackProgram::labels(). REQUIRES: at least one server and one worker.
std::unique_ptr<OperationSource> make_parameter_server_operations(const StackTraining& training,
                                                                  std::int32_t ranks,
                                                                  std::int32_t iterations);

}  // namespace orrery
