#include "system/collective/plan_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace orrery::proof {
namespace {

using Count = std::uint16_t;

// Atoms on the wire: their numbers, and how often each rank's contribution is in each.
struct Wire {
  bool reduce;
  std::vector<int> atoms;
  std::vector<Count> contributions;
};

using Inbox = std::map<std::tuple<int, int, int>, std::vector<Wire>>;  // (member, lane, stage)

// How many atoms a rank must have so that every piece of every plan is a number of them.
int grain_of(const std::vector<PlannedPhase>& phases, const std::vector<int>& dimensions) {
  int grain = 1;
  for (const PlannedPhase& phase : phases) {
    const int size = dimensions[phase.phase.dimension], pieces = phase.plan->pieces();
    grain = std::lcm(grain, pieces % size == 0 ? pieces / size : 1);
  }
  return grain;
}

class Prover {
 public:
  Prover(Collective kind, const std::vector<int>& dimensions, int grain, int root)
      : kind_(kind), dimensions_(dimensions), grain_(grain), root_(root) {
    ranks_ = std::accumulate(dimensions.begin(), dimensions.end(), 1, std::multiplies<>());
    atoms_ = ranks_ * grain;
    // The last one is the switch's.
    memory_.assign(static_cast<std::size_t>(ranks_ + 1) * atoms_ * ranks_, 0);
    for (int rank = 0; rank < ranks_; ++rank)
      for (int atom = 0; atom < atoms_; ++atom)
        if (starts_with(rank, atom)) contributions(rank, atom)[rank] = 1;
    home_.assign(kind == Collective::all_to_all ? memory_.size() : 0, 0);
  }

  std::string run(const PlannedPhase& phase) {
    radix_ = radix_of(phase.phase.dimension);
    size_ = dimensions_[phase.phase.dimension];
    for (int base = 0; base < ranks_; ++base) {
      if (base / radix_ % size_ != 0 || !takes_part(phase.phase, base)) continue;
      if (std::string wrong = run_group(phase, base); !wrong.empty()) return wrong;
    }
    if (kind_ == Collective::all_to_all) take_what_came_home();
    return "";
  }

  std::string verdict() {
    for (int rank = 0; rank < ranks_; ++rank)
      for (int atom = 0; atom < atoms_; ++atom) {
        if (!matters(rank, atom)) continue;
        for (int from = 0; from < ranks_; ++from) {
          const int has = contributions(rank, atom)[from];
          const int wanted = expected(rank, atom, from);
          if (has == wanted || (kind_ == Collective::barrier && has > wanted)) continue;
          const std::string part =
              fmt::format("the contribution of rank {} to part {} of {}", from, atom, atoms_);
          if (has == 0) return fmt::format("rank {} lacks {}", rank, part);
          if (wanted == 0) return fmt::format("rank {} has {}, which it should not", rank, part);
          return fmt::format("rank {} has {} {} times", rank, part, has);
        }
      }
    return "";
  }

 private:
  struct LaneState {
    int stage = -1;
    bool done = false;
  };

  int radix_of(int dimension) const {
    return std::accumulate(dimensions_.begin(), dimensions_.begin() + dimension, 1,
                           std::multiplies<>());
  }
  int coordinate(int rank, int dimension) const {
    return rank / radix_of(dimension) % dimensions_[dimension];
  }
  int owner(int atom) const { return atom / grain_; }

  bool starts_with(int rank, int atom) const {
    if (kind_ == Collective::all_gather || kind_ == Collective::gather) return owner(atom) == rank;
    if (kind_ == Collective::broadcast || kind_ == Collective::scatter) return rank == root_;
    return true;
  }

  // Whether what a rank has there in the end is part of the result.
  bool matters(int rank, int atom) const {
    if (kind_ == Collective::reduce_scatter || kind_ == Collective::scatter)
      return owner(atom) == rank;
    if (kind_ == Collective::reduce || kind_ == Collective::gather) return rank == root_;
    return true;
  }

  int expected(int rank, int atom, int from) const {
    switch (kind_) {
      case Collective::all_gather:
      case Collective::gather:
        return from == owner(atom);
      case Collective::broadcast:
      case Collective::scatter:
        return from == root_;
      case Collective::all_to_all:
        for (int d = 0; d < static_cast<int>(dimensions_.size()); ++d)
          if ((coordinate(from, d) + coordinate(owner(atom), d)) % dimensions_[d] !=
              coordinate(rank, d))
            return 0;
        return 1;
      default:
        return 1;
    }
  }

  bool takes_part(const Phase& phase, int base) const {
    for (const int d : phase.at_root)
      if (coordinate(base, d) != coordinate(root_, d)) return false;
    return true;
  }

  Count* contributions(int rank, int atom) {
    return &memory_[(static_cast<std::size_t>(rank) * atoms_ + atom) * ranks_];
  }

  // The atoms of each piece, as the phase of this rank sees them.
  std::vector<std::vector<int>> cut(const PlannedPhase& phase, int rank) const {
    std::vector<int> mine;
    for (int atom = 0; atom < atoms_; ++atom) {
      bool fits = true;
      for (const int d : phase.phase.scattered)
        fits = fits && coordinate(owner(atom), d) == coordinate(rank, d);
      if (fits) mine.push_back(atom);
    }
    const int pieces = phase.plan->pieces();
    const int share = pieces / size_;  // pieces of a part, if the plan's pieces have owners
    std::vector<std::vector<int>> atoms(pieces);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const int atom = mine[i];
      const bool owned = pieces % size_ == 0;
      const int piece = owned
                            ? owner(atom) / radix_ % size_ * share + atom % grain_ * share / grain_
                            : static_cast<int>(i) * pieces / static_cast<int>(mine.size());
      atoms[piece].push_back(atom);
    }
    return atoms;
  }

  std::string run_group(const PlannedPhase& phase, int base) {
    const Plan& plan = *phase.plan;
    if (plan.gated()) return "plans whose lanes wait for each other are proved as programs";
    const std::vector<std::vector<int>> pieces = cut(phase, base);
    if (std::any_of(pieces.begin(), pieces.end(), [](const auto& atoms) { return atoms.empty(); }))
      return fmt::format("{} pieces are too many for a proof", pieces.size());
    const int participants = size_ + plan.switches();
    std::fill_n(contributions(ranks_, 0), static_cast<std::size_t>(atoms_) * ranks_, Count{0});
    std::vector<std::vector<LaneState>> state(participants, std::vector<LaneState>(plan.lanes()));
    Inbox inbox;
    for (bool moved = true; moved;) {
      moved = false;
      for (int member = 0; member < participants; ++member) {
        // Base and member agree on the scattered dimensions, which are not this one.
        const int rank = member < size_ ? base + member * radix_ : ranks_;
        for (int lane = 0; lane < plan.lanes(); ++lane) {
          LaneState& at = state[member][lane];
          if (at.done) continue;
          if (at.stage < 0) {
            at.stage = 0;
            moved = true;
            if (std::string wrong = send(plan, pieces, rank, member, lane, 0, inbox);
                !wrong.empty())
              return wrong;
          }
          const Stage stage = plan.stage(member, lane, at.stage);
          const auto found = inbox.find({member, lane, at.stage});
          const int waiting = found == inbox.end() ? 0 : static_cast<int>(found->second.size());
          if (waiting < stage.receives) continue;
          if (waiting > stage.receives)
            return fmt::format("member {} gets {} messages in stage {}, expects {}", member,
                               waiting, at.stage, stage.receives);
          if (found != inbox.end()) {
            if (kind_ != Collective::all_to_all && order_decides(found->second))
              return fmt::format("member {} adds and copies to one place in stage {}", member,
                                 at.stage);
            for (const Wire& wire : found->second) receive(rank, wire);
            inbox.erase(found);
          }
          moved = true;
          at.done = stage.last;
          if (at.done) continue;
          if (std::string wrong = send(plan, pieces, rank, member, lane, ++at.stage, inbox);
              !wrong.empty())
            return wrong;
        }
      }
    }
    for (int member = 0; member < participants; ++member)
      for (int lane = 0; lane < plan.lanes(); ++lane)
        if (!state[member][lane].done) return why_stuck(plan, state, inbox, member, lane);
    if (inbox.empty()) return "";
    const auto [member, lane, stage] = inbox.begin()->first;
    return fmt::format("member {} gets a message for stage {} of lane {}, which waits for none",
                       member, stage, lane);
  }

  // Whom a member waits for: the first of the others that has yet to send to its stage.
  std::string why_stuck(const Plan& plan, const std::vector<std::vector<LaneState>>& state,
                        const Inbox& inbox, int member, int lane) const {
    const LaneState& at = state[member][lane];
    const auto found = inbox.find({member, lane, at.stage});
    const std::string waits =
        fmt::format("member {} waits in stage {} of lane {}, where {} of {} messages have come",
                    member, at.stage, lane, found == inbox.end() ? 0 : found->second.size(),
                    plan.stage(member, lane, at.stage).receives);
    for (int other = 0; other < static_cast<int>(state.size()); ++other) {
      const LaneState& there = state[other][lane];
      if (there.done) continue;
      for (int stage = there.stage; !plan.stage(other, lane, stage).last;) {
        const int sends = plan.stage(other, lane, ++stage).sends;
        for (int i = 0; i < sends; ++i) {
          const Send send = plan.send(other, lane, stage, i);
          if (send.to == member && send.stage == at.stage)
            return fmt::format("{}, for member {}, which waits in stage {}", waits, other,
                               there.stage);
        }
      }
    }
    return waits + ", and nobody will send another";
  }

  std::string send(const Plan& plan, const std::vector<std::vector<int>>& pieces, int rank,
                   int member, int lane, int stage, Inbox& inbox) {
    const int count = plan.stage(member, lane, stage).sends;
    for (int i = 0; i < count; ++i) {
      const Send send = plan.send(member, lane, stage, i);
      const auto total = static_cast<int>(pieces.size());
      if (send.to < 0 || send.to >= size_ + plan.switches() || send.to == member)
        return fmt::format("member {} sends to {}", member, send.to);
      if (send.pieces.first < 0 || send.pieces.first >= total || send.pieces.count < 1 ||
          send.pieces.count > total)
        return fmt::format("member {} sends pieces {}+{}", member, send.pieces.first,
                           send.pieces.count);
      Wire wire{send.reduce, {}, {}};
      for (int p = 0; p < send.pieces.count; ++p)
        for (const int atom : pieces[send.pieces.at(p) % total]) {
          wire.atoms.push_back(atom);
          const Count* from = contributions(rank, atom);
          wire.contributions.insert(wire.contributions.end(), from, from + ranks_);
          if (kind_ != Collective::all_to_all) continue;
          const int part = static_cast<int>(send.pieces.at(p) % total) / (total / size_);
          const int begin = member - plan.travelled(lane, stage, part) % size_;
          for (int origin = 0; origin < ranks_; ++origin)
            if (from[origin] > 0 && (begin + size_) % size_ != origin / radix_ % size_)
              return fmt::format("member {} sends part {} of rank {} in stage {}, not of member {}",
                                 member, part, origin, stage, (begin + size_) % size_);
        }
      inbox[{send.to, send.lane < 0 ? lane : send.lane, send.stage}].push_back(std::move(wire));
    }
    return "";
  }

  // Whether several arrivals meet in an atom, and not all of them are added.
  bool order_decides(const std::vector<Wire>& arrivals) const {
    std::vector<int> touched(atoms_);
    std::vector<bool> copied(atoms_);
    for (const Wire& wire : arrivals)
      for (const int atom : wire.atoms) {
        ++touched[atom];
        if (!wire.reduce) copied[atom] = true;
        if (touched[atom] > 1 && copied[atom]) return true;
      }
    return false;
  }

  void receive(int rank, const Wire& wire) {
    for (std::size_t i = 0; i < wire.atoms.size(); ++i) {
      Count* here = contributions(rank, wire.atoms[i]);
      const Count* load = &wire.contributions[i * ranks_];
      const bool home = kind_ == Collective::all_to_all && is_home(rank, wire.atoms[i], load);
      if (home) here = &home_[here - memory_.data()];
      const bool adds = wire.reduce || home;
      for (int from = 0; from < ranks_; ++from)
        here[from] = static_cast<Count>(load[from] + (adds ? here[from] : 0));
    }
  }

  // All-to-all: parts that have gone all their way in this phase's dimension are put aside, as a
  // receive buffer is another one than the send buffer; they are what the next phase begins with.
  bool is_home(int rank, int atom, const Count* load) const {
    for (int from = 0; from < ranks_; ++from)
      if (load[from] > 0 && (from / radix_ + owner(atom) / radix_) % size_ != rank / radix_ % size_)
        return false;
    return true;
  }
  void take_what_came_home() {
    for (int rank = 0; rank < ranks_; ++rank)
      for (int atom = 0; atom < atoms_; ++atom) {
        if (owner(atom) / radix_ % size_ == 0) continue;  // had no way to go
        Count* here = contributions(rank, atom);
        std::copy_n(&home_[here - memory_.data()], ranks_, here);
      }
    std::fill(home_.begin(), home_.end(), Count{0});
  }

  Collective kind_;
  std::vector<int> dimensions_;
  int grain_, root_;
  int ranks_ = 1, atoms_ = 1, radix_ = 1, size_ = 1;
  std::vector<Count> memory_, home_;
};

}  // namespace

std::string prove(Collective kind, const std::vector<int>& dimensions,
                  const std::vector<PlannedPhase>& phases, int root) {
  Prover prover(kind, dimensions, grain_of(phases, dimensions), root);
  for (const PlannedPhase& phase : phases)
    if (std::string wrong = prover.run(phase); !wrong.empty()) return wrong;
  return prover.verdict();
}

std::string prove(Collective kind, int size, const Plan& plan, int root) {
  return prove(kind, {size}, {{{0, kind}, &plan}}, root);
}

}  // namespace orrery::proof
