#include "network/fluid/flow_classes.h"

#include <algorithm>
#include <limits>

namespace orrery::fluid {

FlowClasses::FlowClasses(std::span<const double> capacities, int classes, double tolerance)
    : capacities_(capacities.begin(), capacities.end()) {
  const double largest = *std::max_element(capacities.begin(), capacities.end());
  for (int i = 0; i < classes; ++i)
    classes_.push_back(std::make_unique<Class>(capacities, largest, tolerance));
  for (int i = 0; i + 1 < classes; ++i) classes_[i]->solver.watch_loads();
}

FlowName FlowClasses::add(const Request& request) {
  Class& to = *classes_[request.of_class];
  std::span<const LinkUse> path = request.path;
  LinkId limit = no_link;
  if (request.limit < std::numeric_limits<double>::infinity()) {
    limit = to.solver.add_link(request.limit);
    path_.assign(path.begin(), path.end());
    path_.push_back({limit});
    path = path_;
  }
  const FlowId flow = to.solver.add(path, request.weight);
  to.clocks.add(flow, request.size);
  if (flow >= to.owners.size()) to.owners.resize(flow + 1);
  to.owners[flow] = {request.owner, limit};
  return {request.of_class, flow};
}

double FlowClasses::remove(FlowName name, Time now) {
  Class& from = *classes_[name.of_class];
  const double left = from.clocks.remove(name.flow, now);
  erase(from, name.flow);
  return left;
}

void FlowClasses::erase(Class& from, FlowId flow) {
  from.solver.remove(flow);
  if (from.owners[flow].limit != no_link) from.solver.remove_link(from.owners[flow].limit);
}

void FlowClasses::path(FlowName name, std::vector<LinkUse>& path) const {
  const MaxMinSolver& solver = classes_[name.of_class]->solver;
  const double weight = solver.weight(name.flow);
  for (const Step& step : solver.path(name.flow))
    if (step.link < capacities_.size())
      path.push_back({step.link, step.demand / weight, step.count});
}

void FlowClasses::set_capacity(LinkId link, double capacity) {
  capacities_[link] = capacity;
  double left = capacity;
  for (const auto& present : classes_) {
    present->solver.set_capacity(link, left);
    left = std::max(left - present->solver.load(link), 0.0);
  }
}

void FlowClasses::solve(Time now) {
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const MaxMinSolver::Changes changes = classes_[i]->solver.solve();
    classes_[i]->clocks.apply(changes, now);
    if (i + 1 == classes_.size()) return;
    for (const LinkId link : changes.loads) {
      if (link >= capacities_.size()) continue;  // a flow's own limit
      double left = capacities_[link];
      for (std::size_t above = 0; above <= i; ++above) left -= classes_[above]->solver.load(link);
      classes_[i + 1]->solver.set_capacity(link, std::max(left, 0.0));
    }
  }
}

Time FlowClasses::next() const {
  Time next = Time::never();
  for (const auto& present : classes_) next = std::min(next, present->clocks.next());
  return next;
}

void FlowClasses::take_complete(Time now, std::vector<Complete>& complete) {
  for (const auto& present : classes_) {
    flows_.clear();
    present->clocks.take_complete(now, flows_);
    for (const FlowId flow : flows_) {
      const LinkId bottleneck = present->solver.bottleneck(flow);
      complete.push_back(
          {present->owners[flow].owner, bottleneck < capacities_.size() ? bottleneck : no_link});
      erase(*present, flow);
    }
  }
}

std::size_t FlowClasses::flow_count() const {
  std::size_t count = 0;
  for (const auto& present : classes_) count += present->solver.flow_count();
  return count;
}

}  // namespace orrery::fluid
