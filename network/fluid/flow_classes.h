// The flows of a backend by strict priority: each class shares, max-min fairly, what the classes
// above it leave of every link. One class is the ordinary case and costs nothing more.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "network/fluid/group_clocks.h"
#include "network/fluid/solver/max_min_solver.h"

namespace orrery::fluid {

// A flow of one of the classes; both numbers are reused.
struct FlowName {
  std::uint8_t of_class = 0;
  FlowId flow = 0;
};

class FlowClasses {
 public:
  // Capacities in bytes per second, by link. Class 0 goes first.
  FlowClasses(std::span<const double> capacities, int classes, double tolerance);

  struct Request {
    std::span<const LinkUse> path;
    double size;  // bytes, > 0
    double weight;
    double limit;  // of the rate; infinite: none
    std::uint8_t of_class;
    std::uint32_t owner;  // handed back when it is complete
  };
  FlowName add(const Request& request);
  double remove(FlowName name, Time now);  // returns the bytes not carried yet

  // Appends the path that the flow was given.
  void path(FlowName name, std::vector<LinkUse>& path) const;

  void set_capacity(LinkId link, double capacity);

  // Finds the rates of all flows from `now` on. After any of the above, before time goes on.
  void solve(Time now);

  Time next() const;  // not after the next flow is complete; Time::never() if none will be

  struct Complete {
    std::uint32_t owner;
    LinkId bottleneck;  // that it ended with; no_link: its own limit
  };
  // Takes the flows out that are complete at `now`, and appends them. solve() must follow.
  void take_complete(Time now, std::vector<Complete>& complete);

  std::size_t flow_count() const;

 private:
  struct Class {
    Class(std::span<const double> capacities, double largest, double tolerance)
        : solver(capacities, largest), clocks(solver, tolerance) {}
    MaxMinSolver solver;
    GroupClocks clocks;
    struct Owner {
      std::uint32_t owner;
      LinkId limit;  // a link of its own, or no_link
    };
    std::vector<Owner> owners;  // by flow
  };

  void erase(Class& from, FlowId flow);

  std::vector<double> capacities_;  // by link
  std::vector<std::unique_ptr<Class>> classes_;
  std::vector<LinkUse> path_;
  std::vector<FlowId> flows_;
};

}  // namespace orrery::fluid
