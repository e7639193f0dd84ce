// Parameter server: k of the ranks serve. The buffer is cut into a shard for each server; everyone
// pushes each shard to its server, which adds them up, and pulls the sums back. A server's port is
// the bottleneck: (n-1) S/k in, then as much out.
//
//   all_reduce   push, then pull. With n servers that is the direct all-reduce; with one, linear
//
// parameter_server:k puts them on ranks 0, n/k, 2n/k, ... so that they are spread over the nodes of
// a group. Ranks r, r+1, ... begin their pushes with different servers. A server has data of its
// own like any rank; ranks that only serve are not members of the collective (`serve` and
// `push_pull`, docs/models/system.md).
//
// M. Li et al., "Scaling distributed machine learning with the parameter server", OSDI 2014;
// servers beside the workers: Y. Jiang et al., "A unified architecture for accelerating distributed
// DNN training in heterogeneous GPU/CPU clusters" (BytePS), OSDI 2020.
#include <algorithm>
#include <cstdint>

#include "system/collective_algorithm.h"

namespace orrery {
namespace {

class ParameterServerPlan final : public Plan {
 public:
  ParameterServerPlan(int size, int servers) : size_(size), servers_(servers) {}

  int pieces() const override { return servers_; }
  // Where every rank serves; it is the direct all-reduce then.
  Symmetry symmetry() const override {
    return servers_ == size_ ? Symmetry::rotation : Symmetry::none;
  }

  // Push, then pull.
  Stage stage(Position rank, int, int index) const override {
    const bool serves = server_at(rank) >= 0;
    const int others = servers_ - serves;
    if (index == 0) return {.sends = others, .receives = serves ? size_ - 1 : 0, .last = false};
    return {.sends = serves ? size_ - 1 : 0, .receives = others, .last = true};
  }

  Send send(Position rank, int, int stage, int index) const override {
    const int own = server_at(rank);
    if (stage == 0) {
      const int server = (own >= 0 ? own + 1 + index : rank + index) % servers_;
      return {.to = position_of(server), .stage = 0, .pieces = {server, 1}, .reduce = true};
    }
    return {.to = (rank + 1 + index) % size_, .stage = 1, .pieces = {own, 1}, .reduce = false};
  }

 private:
  Position position_of(int server) const {
    return static_cast<Position>(std::int64_t{server} * size_ / servers_);
  }
  // The server that sits there, -1 if none does.
  int server_at(Position rank) const {
    const auto server = static_cast<int>((std::int64_t{rank} * servers_ + size_ - 1) / size_);
    return server < servers_ && position_of(server) == rank ? server : -1;
  }

  int size_, servers_;
};

class ParameterServer final : public CollectiveAlgorithm {
 public:
  explicit ParameterServer(int servers) : servers_(servers) {}

  bool supports(Collective kind, int group_size) const override {
    return kind == Collective::all_reduce && group_size >= 2;
  }
  std::unique_ptr<Plan> plan(Collective, const GroupShape& group, int) const override {
    return std::make_unique<ParameterServerPlan>(group.size(), std::min(servers_, group.size()));
  }
  std::unique_ptr<const CollectiveAlgorithm> with(int servers) const override {
    return std::make_unique<ParameterServer>(servers);
  }

 private:
  int servers_;
};

}  // namespace

const CollectiveAlgorithm& parameter_server_algorithm() {
  static const ParameterServer algorithm(1);
  return algorithm;
}

}  // namespace orrery
