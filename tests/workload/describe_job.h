// What a rank of a job is asked to do, one line an operation, so that a test can show a whole loop.
#pragma once

#include <string>
#include <vector>

#include "system/job.h"

namespace orrery::test {

// All operations of `rank` in the order handed out, each finished at once.
inline std::vector<Operation> drain(Job& job, Rank rank) {
  std::vector<Operation> operations;
  job.operations->start(rank, operations);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    std::vector<Operation> released;
    job.operations->finish(rank, operations[i].id, released);
    operations.insert(operations.end(), released.begin(), released.end());
  }
  return operations;
}

// "1 B forward": iteration, layer, pass.
inline std::string row(const Job& job, std::int32_t label) {
  const Label& l = job.labels[label];
  constexpr const char* passes[] = {"", " forward", " ig", " wg"};
  return std::to_string(l.iteration) + " " + l.layer + passes[static_cast<int>(l.pass)];
}

inline std::string describe(const Job& job, const Operation& operation) {
  struct Verb {
    const Job& job;
    std::string operator()(const Compute&) const { return "compute "; }
    std::string operator()(const Wait&) const { return "wait    "; }
    std::string operator()(const SendCall& send) const {
      return "send to " + std::to_string(send.to) + ' ';
    }
    std::string operator()(const ReceiveCall& receive) const {
      return "receive from " + std::to_string(receive.from) + ' ';
    }
    std::string operator()(const CollectiveCall& call) const {
      return std::string(call.priority == Priority::highest ? "highest " : "") +
             std::string(name_of(call.kind)) + ' ' + job.communicators[call.communicator].name +
             ' ' + std::to_string(call.size.value) + ' ';
    }
  };
  return std::visit(Verb{job}, operation.what) + row(job, operation.label);
}

inline std::vector<std::string> describe(Job& job, Rank rank) {
  std::vector<std::string> lines;
  for (const Operation& operation : drain(job, rank)) lines.push_back(describe(job, operation));
  return lines;
}

}  // namespace orrery::test
