#include "system/rank/folding.h"

#include <fmt/format.h>

#include <span>

namespace orrery {
namespace {

std::string why_not_alike(const Job& job, const CollectiveScheduler& scheduler,
                          std::span<const Operation> operations) {
  for (const Operation& operation : operations) {
    if (std::holds_alternative<SendCall>(operation.what) ||
        std::holds_alternative<ReceiveCall>(operation.what))
      return "the job sends from one rank to another";
    const auto* call = std::get_if<CollectiveCall>(&operation.what);
    if (call == nullptr) continue;
    const Communicator& communicator = job.communicators[call->communicator];
    if (std::holds_alternative<std::vector<std::vector<Rank>>>(communicator.groups))
      return fmt::format("the groups of {} are lists", communicator.name);
    if (std::string reason = scheduler.why_uneven(*call); !reason.empty()) return reason;
  }
  return "";
}

}  // namespace

std::string why_not_fold(const Topology& topology, const Job& job,
                         const CollectiveScheduler& scheduler) {
  if (!topology.structural()) return "the wires are a graph";
  for (const LevelSpec& level : topology.levels()) {
    if (level.kind == LevelKind::mesh)
      return fmt::format("{} is a mesh, which has ends", level.name);
    if (level.latency == Duration{}) return fmt::format("{} has no latency", level.name);
  }
  const std::span<const Operation> operations = job.operations->known_operations(0);
  if (operations.empty()) return "what the ranks do is not known beforehand";
  for (Rank rank = 1; rank < job.ranks; ++rank)
    if (job.operations->known_operations(rank).data() != operations.data())
      return fmt::format("rank {} runs another program than rank 0", rank);
  return why_not_alike(job, scheduler, operations);
}

}  // namespace orrery
