// The solver against rates by hand and against exact rational arithmetic.
#include "network/fluid/solver/max_min_solver.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>

#include "core/base/random.h"
#include "tests/network/fluid/exact_max_min.h"

namespace orrery::fluid {
namespace {

using test::ExactFlow;
using test::Rational;

FlowId add(MaxMinSolver& solver, std::vector<LinkId> links, double weight = 1.0) {
  std::vector<LinkUse> path;
  for (const LinkId link : links) path.push_back({link});
  return solver.add(path, weight);
}

TEST_CASE("two flows share a link in halves, and a third link does not matter") {
  MaxMinSolver solver(std::vector<double>{10, 100}, 100);
  const FlowId a = add(solver, {0}), b = add(solver, {0, 1});
  solver.solve();
  CHECK(solver.rate(a) == 5);
  CHECK(solver.rate(b) == 5);
  CHECK(solver.load(1) == 5);
  CHECK(std::isinf(solver.level(1)));
}

// The capped one gets its cap of 2; the other has what is left of 10.
TEST_CASE("a flow with a limit of its own leaves the rest to the other") {
  MaxMinSolver solver(std::vector<double>{10}, 10);
  const LinkId cap = solver.add_link(2);
  const FlowId a = add(solver, {0, cap}), b = add(solver, {0});
  solver.solve();
  CHECK(solver.rate(a) == 2);
  CHECK(solver.rate(b) == 8);
  solver.remove(b);
  solver.solve();
  CHECK(solver.rate(a) == 2);
  solver.remove(a);
  solver.remove_link(cap);
}

// Bertsekas and Gallager's chain: one flow over three links of 12, 12 and 4 with one, two and three
// others. The last link gives 1 to each of its four; of the 11 left on each of the first two the
// other one gets all, the other two get 5.5 each.
TEST_CASE("on a parking lot the long flow gets the share of its worst link") {
  MaxMinSolver solver(std::vector<double>{12, 12, 4}, 12);
  const FlowId chain = add(solver, {0, 1, 2});
  const FlowId one = add(solver, {0}), two = add(solver, {1}), three = add(solver, {1});
  for (int i = 0; i < 3; ++i) add(solver, {2});
  solver.solve();
  CHECK(solver.rate(chain) == 1);
  CHECK(solver.rate(one) == 11);
  CHECK(solver.rate(two) == 5.5);
  CHECK(solver.rate(three) == 5.5);
}

// 12 in parts of 1 : 3 : 2 are 2, 6 and 4; when the middle one goes, 4 and 8.
TEST_CASE("weights divide a link") {
  MaxMinSolver solver(std::vector<double>{12}, 12);
  const FlowId a = add(solver, {0}, 1), b = add(solver, {0}, 3), c = add(solver, {0}, 2);
  solver.solve();
  CHECK(solver.rate(a) == 2);
  CHECK(solver.rate(b) == 6);
  CHECK(solver.rate(c) == 4);
  solver.remove(b);
  solver.solve();
  CHECK(solver.rate(a) == 4);
  CHECK(solver.rate(c) == 8);
}

// Sprayed over two spines, a flow is limited by its port of 10 and loads each spine with 5. A flow
// on one spine of 8 alone then meets demands of 0.5 and 1: x/2 + x = 8 gives 16/3 for both.
TEST_CASE("a sprayed flow takes a part of its rate on each way") {
  MaxMinSolver solver(std::vector<double>{10, 8, 8}, 10);
  const FlowId sprayed = solver.add(std::vector<LinkUse>{{0, 1.0}, {1, 0.5}, {2, 0.5}}, 1.0);
  solver.solve();
  CHECK(solver.rate(sprayed) == 10);
  CHECK(solver.load(1) == 5);
  const FlowId plain = add(solver, {1});
  solver.solve();
  CHECK(solver.rate(plain) == Approx(16.0 / 3).epsilon(1e-13));
  CHECK(solver.rate(sprayed) == Approx(16.0 / 3).epsilon(1e-13));
}

TEST_CASE("a link without capacity stops its flows until it has some") {
  MaxMinSolver solver(std::vector<double>{10, 10}, 10);
  const FlowId a = add(solver, {0, 1}), b = add(solver, {0});
  solver.solve();
  solver.set_capacity(1, 0);
  solver.solve();
  CHECK(solver.rate(a) == 0);
  CHECK(solver.rate(b) == 10);
  solver.set_capacity(1, 3);
  solver.solve();
  CHECK(solver.rate(a) == 3);
  CHECK(solver.rate(b) == 7);
}

// Two islands of two flows: what happens in one does not fill the other anew.
TEST_CASE("only what a change touches is filled again") {
  MaxMinSolver solver(std::vector<double>(200, 10.0), 10);
  for (LinkId link = 0; link < 200; ++link) {
    add(solver, {link});
    add(solver, {link});
  }
  solver.solve();
  const auto before = solver.flows_filled();
  const FlowId third = add(solver, {7});
  solver.solve();
  CHECK(solver.rate(third) == Approx(10.0 / 3).epsilon(1e-13));
  CHECK(solver.flows_filled() - before == 3);
}

// Link i, of 2i + 1, is the bottleneck of flow i, which also crosses link i + 1. Flow 0 has 1, flow
// 1 what it leaves of 3, which is 2, flow i has i + 1. When link 0 loses a quarter, flow 0 has 1/4
// less, so flow 1 has 1/4 more, and so on to the end: every flow is filled anew, and only once.
TEST_CASE("a change that goes from link to link fills each flow once") {
  constexpr LinkId count = 100;
  std::vector<double> capacities;
  for (LinkId link = 0; link < count; ++link) capacities.push_back(2.0 * link + 1);
  MaxMinSolver solver(capacities, 256, 1.0);
  std::vector<FlowId> flows;
  for (LinkId link = 0; link + 1 < count; ++link) flows.push_back(add(solver, {link, link + 1}));
  solver.solve();
  for (std::size_t i = 0; i < flows.size(); ++i)
    REQUIRE(solver.rate(flows[i]) == static_cast<double>(i + 1));
  const auto before = solver.flows_filled();
  solver.set_capacity(0, 0.75);
  solver.solve();
  for (std::size_t i = 0; i < flows.size(); ++i)
    REQUIRE(solver.rate(flows[i]) == static_cast<double>(i + 1) + (i % 2 == 0 ? -0.25 : 0.25));
  CHECK(solver.flows_filled() - before == flows.size());
}

struct Instance {
  std::vector<Rational> capacities;
  std::vector<double> values;
};

Instance random_links(RandomStream& random) {
  Instance instance;
  const auto links = 1 + random.uniform_int(8);
  for (std::uint64_t l = 0; l < links; ++l) {
    const auto capacity = 1 + random.uniform_int(20);
    instance.capacities.emplace_back(capacity);
    instance.values.push_back(static_cast<double>(capacity));
  }
  return instance;
}

ExactFlow random_flow(RandomStream& random, std::size_t links) {
  ExactFlow flow;
  const auto length = 1 + random.uniform_int(std::min<std::uint64_t>(links, 4));
  while (flow.links.size() < length) {
    const auto link = static_cast<int>(random.uniform_int(links));
    if (std::find(flow.links.begin(), flow.links.end(), link) != flow.links.end()) continue;
    flow.links.push_back(link);
    flow.shares.emplace_back(1, random.uniform_int(4) == 0 ? 2 : 1);
  }
  flow.weight = random.uniform_int(3) == 0 ? 1 + random.uniform_int(3) : 1;
  return flow;
}

FlowId add(MaxMinSolver& solver, const ExactFlow& flow) {
  std::vector<LinkUse> path;
  for (std::size_t i = 0; i < flow.links.size(); ++i)
    path.push_back({static_cast<LinkId>(flow.links[i]), flow.shares[i].value()});
  return solver.add(path, flow.weight.value());
}

// After every batch of random arrivals and departures, the incremental solution is that of exact
// arithmetic from scratch. Capacities are at most 20, so the quantum is 2^-46; a level is off by a
// few quanta at most, and the tie of 2^-40 by 20 * 2^-40.
// Even seeds fill only what is touched, however much that is.
TEST_CASE("rates equal those of exact rational arithmetic, whatever came and went before") {
  constexpr double margin = 64 * 20 * 0x1p-40;
  for (std::uint64_t seed = 1; seed <= 4'000; ++seed) {
    RandomStream random(seed, "max-min");
    const Instance instance = random_links(random);
    MaxMinSolver solver(instance.values, 20, seed % 2 == 0 ? 1.0 : 0.25);
    std::map<FlowId, ExactFlow> flows;
    for (int batch = 0; batch < 6; ++batch) {
      for (std::uint64_t i = random.uniform_int(5); i > 0; --i) {
        const ExactFlow flow = random_flow(random, instance.capacities.size());
        flows[add(solver, flow)] = flow;
      }
      for (std::uint64_t i = random.uniform_int(4); i > 0 && !flows.empty(); --i) {
        const auto gone = std::next(flows.begin(), random.uniform_int(flows.size()));
        solver.remove(gone->first);
        flows.erase(gone);
      }
      solver.solve();
      std::vector<ExactFlow> list;
      for (const auto& [id, flow] : flows) list.push_back(flow);
      const std::vector<Rational> exact = test::exact_max_min(instance.capacities, list);
      std::size_t i = 0;
      for (const auto& [id, flow] : flows) {
        INFO("seed " << seed << " batch " << batch << " flow " << id);
        REQUIRE(std::abs(solver.rate(id) - exact[i++].value()) <= margin);
      }
    }
  }
}

// Larger: what the incremental solver has after many changes against a fresh solver of the same
// flows, which fills all of them at once.
TEST_CASE("after many changes the rates are those of a fresh solver") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random(seed, "fresh");
    const std::size_t links = 20 + random.uniform_int(60);
    std::vector<double> capacities(links);
    for (double& c : capacities) c = 1e9 * static_cast<double>(1 + random.uniform_int(50));
    MaxMinSolver solver(capacities, 50e9, seed % 2 == 0 ? 1.0 : 0.25);
    std::map<FlowId, ExactFlow> flows;
    for (int batch = 0; batch < 60; ++batch) {
      for (std::uint64_t i = random.uniform_int(8); i > 0; --i) {
        const ExactFlow flow = random_flow(random, links);
        flows[add(solver, flow)] = flow;
      }
      for (std::uint64_t i = random.uniform_int(6); i > 0 && !flows.empty(); --i) {
        const auto gone = std::next(flows.begin(), random.uniform_int(flows.size()));
        solver.remove(gone->first);
        flows.erase(gone);
      }
      solver.solve();
    }
    MaxMinSolver fresh(capacities, 50e9);
    std::map<FlowId, FlowId> twin;
    for (const auto& [id, flow] : flows) twin[id] = add(fresh, flow);
    fresh.solve();
    for (const auto& [id, flow] : flows) {
      INFO("seed " << seed << " flow " << id);
      REQUIRE(solver.rate(id) == Approx(fresh.rate(twin[id])).epsilon(1e-9));
    }
  }
}

}  // namespace
}  // namespace orrery::fluid
