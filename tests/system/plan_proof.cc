#include "tests/system/plan_proof.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace orrery::proof {
namespace {

using Atom = std::vector<int>;     // how often each rank's contribution is in it
using Buffer = std::vector<Atom>;  // of one rank
using Load = std::map<int, Atom>;  // atoms on the wire, by number

struct Wire {
  bool reduce;
  Load load;
};

class Prover {
 public:
  Prover(Collective kind, const std::vector<int>& dimensions)
      : kind_(kind), dimensions_(dimensions) {
    ranks_ = std::accumulate(dimensions.begin(), dimensions.end(), 1, std::multiplies<>());
    memory_.assign(ranks_, Buffer(ranks_, Atom(ranks_, 0)));
    for (int rank = 0; rank < ranks_; ++rank)
      for (int atom = 0; atom < ranks_; ++atom)
        if (kind != Collective::all_gather || atom == rank) memory_[rank][atom][rank] = 1;
  }

  std::string run(const PlannedPhase& phase) {
    radix_ = 1;
    for (int d = 0; d < phase.phase.dimension; ++d) radix_ *= dimensions_[d];
    size_ = dimensions_[phase.phase.dimension];
    for (int base = 0; base < ranks_; ++base)
      if (base / radix_ % size_ == 0)
        if (std::string wrong = run_group(phase, base); !wrong.empty()) return wrong;
    return "";
  }

  std::string verdict() const {
    for (int rank = 0; rank < ranks_; ++rank)
      for (int atom = 0; atom < ranks_; ++atom)
        for (int from = 0; from < ranks_; ++from) {
          const std::optional<int> wanted = expected(rank, atom, from);
          if (wanted && memory_[rank][atom][from] != *wanted)
            return fmt::format(
                "rank {} has the contribution of rank {} to atom {} {} times, not {}", rank, from,
                atom, memory_[rank][atom][from], *wanted);
        }
    return "";
  }

 private:
  struct LaneState {
    int stage = -1;
    bool done = false;
  };

  // What rank should hold of `from` in `atom` at the end; none = does not matter.
  std::optional<int> expected(int rank, int atom, int from) const {
    switch (kind_) {
      case Collective::all_reduce:
        return 1;
      case Collective::all_gather:
        return atom == from ? 1 : 0;
      case Collective::reduce_scatter:
        return atom == rank ? std::optional<int>(1) : std::nullopt;
      case Collective::all_to_all:
        return atom == rank ? 1 : 0;
    }
    return std::nullopt;
  }

  // The atoms of a run of pieces, as the phase of this rank sees them.
  std::vector<int> atoms_of(const PlannedPhase& phase, int rank, Pieces run) const {
    std::vector<int> atoms;
    for (int atom = 0; atom < ranks_; ++atom) {
      bool mine = true;
      int radix = 1;
      for (int d = 0; d < phase.phase.scattered; ++d) {
        mine = mine && atom / radix % dimensions_[d] == rank / radix % dimensions_[d];
        radix *= dimensions_[d];
      }
      if (!mine) continue;
      const int pieces = phase.plan->pieces();
      const int piece = pieces == 1 ? 0 : atom / radix_ % size_;
      if ((piece - run.first + pieces) % pieces < run.count) atoms.push_back(atom);
    }
    return atoms;
  }

  std::string run_group(const PlannedPhase& phase, int base) {
    const Plan& plan = *phase.plan;
    if (plan.pieces() != 1 && plan.pieces() != size_) return "unexpected number of pieces";
    std::vector<std::vector<LaneState>> state(size_, std::vector<LaneState>(plan.lanes()));
    std::map<std::tuple<int, int, int>, std::vector<Wire>> inbox;  // (member, lane, stage)
    for (bool moved = true; moved;) {
      moved = false;
      for (int member = 0; member < size_; ++member)
        for (int lane = 0; lane < plan.lanes(); ++lane) {
          LaneState& at = state[member][lane];
          if (at.done) continue;
          if (at.stage < 0) {
            at.stage = 0;
            moved = true;
            if (std::string wrong = send(phase, base, member, lane, 0, inbox); !wrong.empty())
              return wrong;
          }
          const Stage stage = plan.stage(member, lane, at.stage);
          auto& waiting = inbox[{member, lane, at.stage}];
          if (static_cast<int>(waiting.size()) < stage.receives) continue;
          if (static_cast<int>(waiting.size()) > stage.receives)
            return fmt::format("member {} gets {} messages in stage {}, expects {}", member,
                               waiting.size(), at.stage, stage.receives);
          for (const Wire& wire : waiting) receive(base + member * radix_, wire);
          inbox.erase({member, lane, at.stage});
          moved = true;
          at.done = stage.last;
          if (!at.done)
            if (std::string wrong = send(phase, base, member, lane, ++at.stage, inbox);
                !wrong.empty())
              return wrong;
        }
    }
    for (int member = 0; member < size_; ++member)
      for (const LaneState& at : state[member])
        if (!at.done) return fmt::format("member {} is stuck in stage {}", member, at.stage);
    for (const auto& [key, wires] : inbox)
      if (!wires.empty()) return "a message that nobody waits for";
    return "";
  }

  std::string send(const PlannedPhase& phase, int base, int member, int lane, int stage,
                   std::map<std::tuple<int, int, int>, std::vector<Wire>>& inbox) {
    const int count = phase.plan->stage(member, lane, stage).sends;
    std::vector<std::pair<int, int>> moved;  // all sends of a stage see the buffer as it was
    for (int i = 0; i < count; ++i) {
      const Send send = phase.plan->send(member, lane, stage, i);
      if (send.to < 0 || send.to >= size_ || send.to == member)
        return fmt::format("member {} sends to {}", member, send.to);
      if (send.pieces.first < 0 || send.pieces.first >= phase.plan->pieces() ||
          send.pieces.count < 1 || send.pieces.count > phase.plan->pieces())
        return fmt::format("member {} sends pieces {}+{}", member, send.pieces.first,
                           send.pieces.count);
      const int rank = base + member * radix_;
      Wire wire{send.reduce, {}};
      for (const int atom : atoms_of(phase, rank, send.pieces)) {
        wire.load[atom] = memory_[rank][atom];
        moved.emplace_back(rank, atom);
      }
      if (kind_ == Collective::all_to_all && !full(wire))
        return fmt::format("member {} sends pieces {}+{}, which are not full", member,
                           send.pieces.first, send.pieces.count);
      inbox[{send.to, lane, send.stage}].push_back(std::move(wire));
    }
    if (kind_ == Collective::all_to_all)
      for (const auto& [rank, atom] : moved) memory_[rank][atom].assign(ranks_, 0);
    return "";
  }

  // All-to-all: a piece has one size, the contributions of ranks_/size_ ranks, wherever it is.
  bool full(const Wire& wire) const {
    std::map<int, int> load_of_piece;
    for (const auto& [atom, load] : wire.load)
      load_of_piece[atom / radix_ % size_] += std::accumulate(load.begin(), load.end(), 0);
    for (const auto& [piece, load] : load_of_piece)
      if (load != ranks_ / size_) return false;
    return true;
  }

  void receive(int rank, const Wire& wire) {
    const bool add = wire.reduce || kind_ == Collective::all_to_all;
    for (const auto& [atom, load] : wire.load)
      for (int from = 0; from < ranks_; ++from)
        memory_[rank][atom][from] = load[from] + (add ? memory_[rank][atom][from] : 0);
  }

  Collective kind_;
  std::vector<int> dimensions_;
  int ranks_ = 1, radix_ = 1, size_ = 1;
  std::vector<Buffer> memory_;
};

}  // namespace

std::string prove(Collective kind, const std::vector<int>& dimensions,
                  const std::vector<PlannedPhase>& phases) {
  Prover prover(kind, dimensions);
  for (const PlannedPhase& phase : phases)
    if (std::string wrong = prover.run(phase); !wrong.empty()) return wrong;
  return prover.verdict();
}

std::string prove(Collective kind, int size, const Plan& plan) {
  return prove(kind, {size}, {{{0, kind, 0}, &plan}});
}

}  // namespace orrery::proof
