// Max-min fair rates, incrementally. Knows flows (variables) and links (constraints), no bytes, no
// time and no network. docs/models/fluid.md has the method in full.
//
// A flow f with weight w crosses links; of its rate r, the share a(f,l) goes over link l (1 unless
// it is sprayed), for itself and others like it (LinkUse::count). The rates are the unique ones
// with
//   sum over f on l of a(f,l) r(f) <= capacity(l)                          for every link l
//   every flow crosses a full link on which no flow has a larger level r/w  (its bottleneck)
// (D. Bertsekas, R. Gallager, "Data Networks", 6.5.2). All flows with the same bottleneck share one
// level, so a result is a level for each link and a bottleneck for each flow.
//
// Incremental: after flows came and went, solve() fills anew only a set A of flows into what the
// others leave. Levels are fixed from the lowest upwards, and what is fixed below a level cannot
// depend on what is above it, so one pass is enough: when a link is full for A, others there who
// have more than A could get join A; when the pass comes to the level of a link that was full
// before, the flows that had it as their bottleneck join A if that is not what A gets there, or if
// those of A who were fixed elsewhere leave the link less than full. All of them have levels not
// yet reached. When no flow of A is left, the condition above holds everywhere, and the solution is
// the one of all flows. When A becomes a large part of all, everything is filled at once.
//
// Arithmetic: levels are doubles rounded to a multiple of `quantum()` = 2^-51 of the largest
// capacity, shares and weights to 2^-32, so sums are exact: the order in which flows come and go
// leaves no trace. Levels closer than 2^-40 (relative) are one level. Only + - * / are used:
// the same result on every machine with IEEE doubles (the build forbids fused multiply-adds).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "network/fluid/solver/candidate_heap.h"
#include "network/fluid/solver/path_store.h"

namespace orrery::fluid {

class MaxMinSolver {
 public:
  // `largest` bounds every capacity that will ever be given. Capacities are in any unit, >= 0. When
  // more than `part` of all flows are to be filled anew, all are; twice that, if any of them has
  // more than two links, or shares.
  MaxMinSolver(std::span<const double> capacities, double largest, double part = 0.25);

  // A link beside those given first, for example a flow's own limit. Ids are reused.
  LinkId add_link(double capacity);
  void remove_link(LinkId link);  // REQUIRES: no flow crosses it
  void set_capacity(LinkId link, double capacity);

  // Comes into effect with the next solve(). REQUIRES: 1 <= path.size() < 2^16, no link twice with
  // one share, weight and shares > 0. Ids are reused after remove().
  FlowId add(std::span<const LinkUse> path, double weight);
  void remove(FlowId flow);

  struct Moved {
    FlowId flow;
    LinkId from;  // no_link: the flow is new
  };
  // Valid until the next call of add(), remove() or solve().
  struct Changes {
    std::span<const Moved> moved;    // flows with another bottleneck than before
    std::span<const LinkId> levels;  // links whose level() changed, to a finite one
    std::span<const LinkId> loads;   // links whose load() may have changed, if watched
  };
  Changes solve();
  void watch_loads() { watch_loads_ = true; }

  // Results of the last solve(). A link that is not full has an infinite level and limits no flow.
  double level(LinkId link) const { return links_[link].level; }
  double load(LinkId link) const { return links_[link].load; }
  LinkId bottleneck(FlowId flow) const { return bottleneck_[flow]; }
  double rate(FlowId flow) const { return weight_[flow] * links_[bottleneck_[flow]].level; }
  double weight(FlowId flow) const { return weight_[flow]; }
  std::span<const Step> path(FlowId flow) const { return paths_.steps(flow); }

  std::size_t flow_count() const { return flow_count_; }
  std::size_t flow_limit() const { return bottleneck_.size(); }  // ids are below
  std::size_t link_limit() const { return links_.size(); }

  // For tests and measurements: solve() calls that filled everything, flows filled so far.
  std::uint64_t full_solves() const { return full_solves_; }
  std::uint64_t flows_filled() const { return flows_filled_; }

 private:
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  static constexpr double tie = 1.0 + 0x1p-40;

  struct Crossing {  // of a link by a flow
    FlowId flow;
    std::uint32_t step;  // in paths_
    LinkId other : 31;   // the only other link of a plain flow: of two links, with demands of 1
    std::uint32_t is_bottleneck : 1;  // of the flow, this link
  };
  struct alignas(64) LinkState {  // a line of the cache
    double capacity = 0, load = 0, level = infinite, demand = 0;
    std::vector<Crossing> crossings;
    std::uint32_t own = 0;    // flows with this bottleneck
    bool lost_load = false;   // listed in losers_
    bool load_noted = false;  // listed in noted_
  };
  struct Filling {                    // a link while rates are being filled in
    double residual = 0, demand = 0;  // what the flows not yet fixed may use; what they ask for
    double top = 0;                   // largest level fixed here so far
    std::uint32_t open = 0;           // flows not fixed yet
    bool full = false;
  };
  struct PlainFilling {  // the same where every flow is plain: no demand but the number of flows
    double residual = 0;
    std::uint32_t open = 0;
    std::uint32_t is_open = 0;  // 0 when the link is full
  };
  struct alignas(64) Part {           // a link while the flows of A are filled in
    double residual = 0, demand = 0;  // what those not yet fixed may use; what they ask for
    double level = 0;                 // of those not in A who have it as their bottleneck
    double top = 0;                   // the level that it is full at for A
    double due = 0;                   // its place among the candidates; infinite if it has none
    std::uint32_t open = 0;           // crossings by flows of A not yet fixed
    std::uint32_t flows = 0;          // crossings by flows of A
    std::uint32_t others = 0;         // flows not in A that have it as their bottleneck
    std::uint32_t stamp = 0;          // the epoch that all this is of
    FlowId only = 0;                  // of A here, if it guards one
    bool full = false;
    bool guards = false;  // queue_guard()
    bool noted = false;   // listed in nearer_
  };
  static_assert(sizeof(Part) == 64);

  double rounded(double value) const { return value + rounder_ - rounder_; }
  // As much as its flows have one by one: each of them is rounded.
  double contribution(const Step& step, double level) const {
    return step.count * (step.demand == 1.0 ? level : rounded(step.demand * level));
  }
  double level_of(FlowId flow) const {
    return bottleneck_[flow] == no_link ? 0.0 : links_[bottleneck_[flow]].level;
  }

  bool most_of_all() const;
  bool alone(FlowId flow) const;
  void fill_alone(FlowId flow);
  bool collect_seeds();

  // max_min_part.cc
  void solve_part();
  bool fill_part();
  void include(FlowId flow);
  void include_own(LinkId link);
  bool include_above(LinkId link, double level);
  static double next_level(const Part& part);
  void queue_link(LinkId link, double due);
  void queue_guard(FlowId flow);
  void queue_nearer();
  void fix_part(LinkId link, double level);
  void include_disturbed();
  void commit_part();

  void solve_all();
  void find_candidates();
  void fill();
  std::size_t fix_flows(LinkId link, double level);  // returns how many it fixed
  void fill_plain();
  std::uint32_t fix_plain_flows(LinkId link, double level);
  void fix_on(const Step& step, double level);
  void move(FlowId flow, LinkId bottleneck);
  void set_level(LinkId link, double level);
  void note_load(LinkId link);
  void next_epoch();

  double quantum_ = 0, rounder_ = 0, part_;
  std::vector<LinkState> links_;
  std::vector<LinkId> free_links_;
  PathStore paths_;
  std::vector<double> weight_;       // of each flow
  std::vector<LinkId> bottleneck_;   // of each flow; no_link until solved
  std::vector<LinkId> tentative_;    // of each flow of A
  std::vector<std::uint32_t> mark_;  // of each flow: epoch_ = in A (part) or fixed (all);
                                     // epoch_ + 1 = in A and fixed
  std::size_t flow_count_ = 0, crooked_count_ = 0;  // all, those that are not plain

  std::vector<FlowId> arrived_;      // since the last solve()
  std::vector<LinkId> losers_;       // full links that lost load, or changed capacity
  std::vector<FlowId> members_;      // A
  std::size_t open_ = 0;             // of A, not yet fixed
  std::vector<LinkId> touched_;      // links that A crosses, or all that are crossed
  std::vector<LinkId> nearer_;       // that may be due before their place among the candidates
  std::vector<FlowId> seekers_;      // of A, that need a link among the candidates
  std::vector<LinkId> disturbed_;    // that may be full no more without the flows of A
  std::vector<Part> parts_;          // of each link
  std::vector<Filling> filling_;     // of each link
  std::vector<PlainFilling> plain_;  // of each link
  CandidateHeap candidates_;
  std::uint32_t epoch_ = 0;
  std::uint32_t patience_ = 0, parts_to_skip_ = 0;  // solves that fill everything at once

  std::vector<Moved> moved_;
  std::vector<LinkId> levels_;
  std::vector<LinkId> loads_, noted_;  // before the last solve(), since then
  bool watch_loads_ = false;
  std::uint64_t full_solves_ = 0, flows_filled_ = 0;
};

}  // namespace orrery::fluid
