// What each plan costs, counted from the plan itself against the closed form of its algorithm, for
// all group sizes 2..33: messages and bytes on the wire, in all and of the rank that sends most,
// and the steps on the critical path. Bytes are in parts of the buffer of S bytes that leave no
// rest: S = n * (n's pieces), so that every count is exact.
//
// n is the group size, k = ceil(log2 n), p = 2^floor(log2 n), e = n - p.
#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "system/collective/piece_sizes.h"
#include "system/collective_algorithm.h"

namespace orrery {
namespace {

struct Cost {
  std::int64_t total = 0;    // bytes sent by all ranks
  std::int64_t busiest = 0;  // bytes sent by the rank that sends most
  int steps = 0;             // messages on the longest chain of which each waits for the one before
  bool operator==(const Cost&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Cost& cost) {
  return out << "{total " << cost.total << ", busiest " << cost.busiest << ", steps " << cost.steps
             << "}";
}

// Runs the plan with messages that take one step each, however large and many.
class CostCounter {
 public:
  CostCounter(const Plan& plan, int size, std::int64_t bytes)
      : plan_(plan), size_(size), piece_(equal_part({bytes}, plan.pieces())) {}

  Cost count() {
    Cost cost;
    const int participants = size_ + plan_.switches();
    for (int rank = 0; rank < participants; ++rank) {
      std::int64_t sent = 0;
      for (int lane = 0; lane < plan_.lanes(); ++lane) {
        for (int stage = 0;; ++stage) {
          const Stage what = plan_.stage(rank, lane, stage);
          for (int i = 0; i < what.sends; ++i) {
            const Send send = plan_.send(rank, lane, stage, i);
            sent += piece_.value * send.pieces.count;
            sources_[{send.to, lane, send.stage}].emplace_back(rank, stage);
          }
          if (what.last) break;
        }
      }
      cost.total += sent;
      if (rank < size_) cost.busiest = std::max(cost.busiest, sent);
    }
    for (int rank = 0; rank < participants; ++rank)
      for (int lane = 0; lane < plan_.lanes(); ++lane)
        for (int stage = 0;; ++stage) {
          cost.steps = std::max(cost.steps, end_of(rank, lane, stage));
          if (plan_.stage(rank, lane, stage).last) break;
        }
    return cost;
  }

 private:
  // When all arrivals of a stage are there; stage -1 is the start.
  int end_of(int rank, int lane, int stage) {
    if (stage < 0) return 0;
    const auto [known, fresh] = ends_.try_emplace({rank, lane, stage}, 0);
    if (!fresh) return known->second;
    int end = end_of(rank, lane, stage - 1);
    for (const auto& [from, sent_in] : sources_[{rank, lane, stage}])
      end = std::max(end, end_of(from, lane, sent_in - 1) + 1);
    return ends_[{rank, lane, stage}] = end;
  }

  const Plan& plan_;
  int size_;
  Bytes piece_;
  std::map<std::tuple<int, int, int>, std::vector<std::pair<int, int>>> sources_;
  std::map<std::tuple<int, int, int>, int> ends_;
};

// The closed form, in parts: S = n parts.
struct Form {
  std::int64_t total, busiest;
  int steps;
};
using FormOf = std::function<Form(int n)>;

void check(const std::string& name, Collective kind, const FormOf& form) {
  const auto algorithm = find_algorithm(name);
  for (int n = 2; n <= 33; ++n)
    for (int variant = 0; variant < algorithm->variants(); ++variant) {
      const auto plan = algorithm->plan(kind, n, variant);
      // A part is cut without rest by every plan: into 2^floor(log2 n) and into the channels'
      // pieces.
      const std::int64_t part = 32 * plan->lanes();
      const Form f = form(n);
      INFO(name << " " << name_of(kind) << " of " << n << ", variant " << variant);
      CHECK(CostCounter(*plan, n, part * n).count() ==
            Cost{f.total * part, f.busiest * part, f.steps});
    }
}

int log2_up(int n) { return std::bit_width(static_cast<unsigned>(n - 1)); }
int log2_down(int n) { return std::bit_width(static_cast<unsigned>(n)) - 1; }
int ones_up_to(int n) {  // one bits of 0 .. n-1
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += std::popcount(static_cast<unsigned>(i));
  return sum;
}

// Every rank sends n-1 of its n parts in a half, whatever the channels; an all-to-all part that
// goes d positions up the ring crosses d links.
TEST_CASE("the costs of a ring") {
  for (const char* name : {"ring", "ring:2", "ring:3"}) {
    check(name, Collective::all_reduce, [](int n) {
      return Form{2 * n * (n - 1), 2 * (n - 1), 2 * (n - 1)};
    });
    check(name, Collective::reduce_scatter, [](int n) { return Form{n * (n - 1), n - 1, n - 1}; });
    check(name, Collective::all_gather, [](int n) { return Form{n * (n - 1), n - 1, n - 1}; });
  }
  check("ring", Collective::all_to_all, [](int n) {
    return Form{n * n * (n - 1) / 2, n * (n - 1) / 2, n - 1};
  });
  // All but the end of the chain send the buffer once.
  for (const Collective kind : {Collective::broadcast, Collective::reduce})
    check("ring", kind, [](int n) { return Form{n * (n - 1), n, n - 1}; });
}

// A window changes the steps, not the bytes.
TEST_CASE("the costs of direct") {
  for (const int window : {1, 3, 64}) {
    const std::string name = "direct:" + std::to_string(window);
    const auto rounds = [=](int n) { return (n - 2 + window) / window; };
    check(name, Collective::all_reduce, [=](int n) {
      return Form{2 * n * (n - 1), 2 * (n - 1), window >= n ? 2 : 2 * rounds(n)};
    });
    for (const Collective kind :
         {Collective::reduce_scatter, Collective::all_gather, Collective::all_to_all})
      check(name, kind, [=](int n) {
        return Form{n * (n - 1), n - 1, window >= n ? 1 : rounds(n)};
      });
  }
  check("pairwise", Collective::all_to_all, [](int n) { return Form{n * (n - 1), n - 1, n - 1}; });
}

// The bytes of a ring in 2k or k steps, for any n: each part makes n-1 jumps in all.
TEST_CASE("the costs of PAT") {
  check("pat", Collective::all_reduce, [](int n) {
    return Form{2 * n * (n - 1), 2 * (n - 1), 2 * log2_up(n)};
  });
  check("pat", Collective::reduce_scatter, [](int n) {
    return Form{n * (n - 1), n - 1, log2_up(n)};
  });
  check("pat", Collective::all_gather, [](int n) { return Form{n * (n - 1), n - 1, log2_up(n)}; });
}

// All-to-all: the part that goes d positions up makes a jump for every one bit of d.
TEST_CASE("the costs of Bruck") {
  check("bruck", Collective::all_gather, [](int n) {
    return Form{n * (n - 1), n - 1, log2_up(n)};
  });
  check("bruck", Collective::all_to_all, [](int n) {
    return Form{n * ones_up_to(n), ones_up_to(n), log2_up(n)};
  });
}

// Among p nodes, S = n parts: halving sends S/2 + S/4 + ... = (p-1)/p S from each node, doubling
// the same. Each of e guests sends S to its host and gets S back.
TEST_CASE("the costs of halving-doubling") {
  for (int n = 2; n <= 33; ++n) {
    const std::int64_t p = 1 << log2_down(n), e = n - p;
    const std::int64_t bytes = 32 * n;  // p divides it
    const auto plan = find_algorithm("halving_doubling")->plan(Collective::all_reduce, n, 0);
    const std::int64_t of_node = 2 * (p - 1) * bytes / p;
    INFO("n " << n);
    CHECK(CostCounter(*plan, n, bytes).count() == Cost{p * of_node + 2 * e * bytes,
                                                       e > 0 ? of_node + bytes : of_node,
                                                       2 * log2_down(n) + (e > 0 ? 2 : 0)});
  }
  // Powers of two: the bytes of a ring.
  for (const Collective kind : {Collective::reduce_scatter, Collective::all_gather})
    for (int n = 2; n <= 32; n *= 2) {
      const auto plan = find_algorithm("halving_doubling")->plan(kind, n, 0);
      CHECK(CostCounter(*plan, n, n).count() == Cost{n * (n - 1), n - 1, log2_down(n)});
    }
}

// Steps of the exchanges among p nodes, with guests: a chain of messages that loses no step changes
// nodes in each exchange and so ends at the complement of the node where it began. If both have
// guests, which is so for some node once 2e > p, the guests' two messages come on top; else one.
int exchange_steps(int n) {
  const int k = log2_down(n), p = 1 << k, e = n - p;
  return k + (2 * e > p ? 2 : e > 0 ? 1 : 0);
}

// Halving: in each step every pair of nodes exchanges the whole range it still shares, once in one
// direction or the other: at distance d there are p/(2d) ranges, together S, each crossed by d
// pairs: d * S. Over d = p/2, ..., 1 that is (p-1) S, and e guests add S and 1 part each. A node
// sends all parts but its own (two, if it has a guest, of which it sends one back); a guest sends
// S. Doubling is the same backwards: (p-1) S, and e guests bring 1 part and get n-1. Node 0 has the
// most: 2^s nodes' parts in step s, of which min(2^s, e) stand for two ranks, and it is a host.
TEST_CASE("the costs of halving and of doubling alone") {
  for (int n = 2; n <= 33; ++n) {
    const std::int64_t p = 1 << log2_down(n), e = n - p;
    const auto cost_of = [n](const char* name, Collective kind) {
      return CostCounter(*find_algorithm(name)->plan(kind, n, 0), n, n).count();
    };
    INFO("n " << n);
    const Cost halving = cost_of("halving_doubling", Collective::reduce_scatter);
    CHECK(halving == Cost{(p - 1) * n + e * (n + 1), e > 0 ? n : n - 1, exchange_steps(n)});
    std::int64_t of_node_0 = p - 1;
    for (std::int64_t nodes = 1; nodes < p; nodes *= 2) of_node_0 += std::min(nodes, e);
    for (const char* name : {"halving_doubling", "recursive_doubling"})
      CHECK(cost_of(name, Collective::all_gather) ==
            Cost{(p - 1) * n + e * n, of_node_0 + (e > 0 ? n - 1 : 0), exchange_steps(n)});
  }
}

// The whole buffer in each of log2 p steps, of each of p nodes; guests bring and get it.
TEST_CASE("the costs of recursive doubling") {
  check("recursive_doubling", Collective::all_reduce, [](int n) {
    const int k = log2_down(n), p = 1 << k, e = n - p;
    return Form{n * (p * k + 2 * e), n * (k + (e > 0 ? 1 : 0)), exchange_steps(n)};
  });
}

// Every rank but the root gets the buffer once, or sends it once. Depths: star 1, chain n-1, heap
// floor(log2 n), binomial: the most one bits of a rank, floor(log2 n).
TEST_CASE("the costs of trees: whole buffers") {
  struct Tree {
    const char* name;
    std::function<int(int)> depth, children;
  };
  const std::vector<Tree> trees = {
      {"linear", [](int) { return 1; }, [](int n) { return n - 1; }},
      {"direct", [](int) { return 1; }, [](int n) { return n - 1; }},
      {"chain", [](int n) { return n - 1; }, [](int) { return 1; }},
      {"binary_tree", log2_down, [](int n) { return std::min(n - 1, 2); }},
      {"binomial_tree", log2_down, log2_up},
  };
  for (const Tree& tree : trees) {
    check(tree.name, Collective::broadcast, [&](int n) {
      return Form{n * (n - 1), n * tree.children(n), tree.depth(n)};
    });
    check(tree.name, Collective::reduce, [&](int n) {
      return Form{n * (n - 1), n, tree.depth(n)};
    });
  }
  // Up and down. An inside rank sends to its children and its parent, the root to its children.
  check("chain", Collective::all_reduce, [](int n) {
    return Form{2 * n * (n - 1), n > 2 ? 2 * n : n, 2 * (n - 1)};
  });
  check("linear", Collective::all_reduce, [](int n) {
    return Form{2 * n * (n - 1), n * (n - 1), 2};
  });
  // The rank 1 of a heap has two children and a parent from n = 5 on.
  check("binary_tree", Collective::all_reduce, [](int n) {
    return Form{2 * n * (n - 1), n * std::min((n + 1) / 2, 3), 2 * log2_down(n)};
  });
}

// The root sends or gets all n-1 parts of the others once. In a chain the part of rank r makes r
// hops, in a binomial tree one for each one bit of r.
TEST_CASE("the costs of trees: parts") {
  for (const char* name : {"linear", "direct"}) {
    check(name, Collective::scatter, [](int n) { return Form{n - 1, n - 1, 1}; });
    check(name, Collective::gather, [](int n) { return Form{n - 1, 1, 1}; });
  }
  for (const Collective kind : {Collective::scatter, Collective::gather}) {
    check("chain", kind, [](int n) { return Form{n * (n - 1) / 2, n - 1, n - 1}; });
    const auto total = [](const Cost& cost) { return cost.total; };
    for (int n = 2; n <= 33; ++n) {
      const Cost cost =
          CostCounter(*find_algorithm("binomial_tree")->plan(kind, n, 0), n, n).count();
      CHECK(total(cost) == ones_up_to(n));
      CHECK(cost.steps == log2_down(n));
      // Gather: the largest subtree below the root is that of p or, if n = p, of p/2.
      const int p = 1 << log2_down(n), half = p == n ? p / 2 : p;
      CHECK(cost.busiest == (kind == Collective::scatter ? n - 1 : std::max(n - half, half / 2)));
    }
  }
}

// Both trees together, each with its half of the chunks: a rank sends at most 4 halves of an
// all-reduce (inside: up and twice down; leaf: up) and 2 of a broadcast.
TEST_CASE("the costs of a double binary tree") {
  for (const Collective kind : {Collective::all_reduce, Collective::broadcast, Collective::reduce})
    for (int n = 2; n <= 33; ++n) {
      std::vector<int> sends(n);
      int total = 0;
      for (int tree = 0; tree < 2; ++tree) {
        const auto plan = find_algorithm("double_binary_tree")->plan(kind, n, tree);
        for (int rank = 0; rank < n; ++rank)
          for (int stage = 0;; ++stage) {
            const Stage what = plan->stage(rank, 0, stage);
            sends[rank] += what.sends;
            total += what.sends;
            if (what.last) break;
          }
        // Depth: the root, then a perfect tree or one cut off.
        CHECK(CostCounter(*plan, n, 1).count().steps <=
              (kind == Collective::all_reduce ? 2 : 1) * log2_up(n));
      }
      INFO(name_of(kind) << " of " << n);
      const bool both_ways = kind == Collective::all_reduce;
      CHECK(total == 2 * (both_ways ? 2 : 1) * (n - 1));
      CHECK(*std::max_element(sends.begin(), sends.end()) <= (both_ways ? 4 : 2));
    }
}

// Everyone pushes each of k shards (n/k parts) but those it serves, and a server sends its sum to
// all others: k(n-1) shards each way. The busiest is a server, with k-1 + n-1 shards; pushes and
// pulls are one step each. n parts are cut into k shards without rest by n = 8 k.
TEST_CASE("the costs of a parameter server") {
  for (const int k : {1, 2, 3, 4})
    for (const int n : {k, 8 * k}) {
      if (n < 2) continue;
      const auto name = "parameter_server:" + std::to_string(k);
      const auto plan = find_algorithm(name)->plan(Collective::all_reduce, n, 0);
      INFO(name << " of " << n);
      CHECK(CostCounter(*plan, n, 1'000 * k).count() ==
            Cost{2 * k * (n - 1) * 1'000, (k - 1 + n - 1) * 1'000, 2});
    }
}

// Up S from everyone, down S to everyone, with parts where there are parts; the switch's sends are
// in the total. One step up, one down.
TEST_CASE("the costs of a switch that adds") {
  check("in_network", Collective::all_reduce, [](int n) { return Form{2 * n * n, n, 2}; });
  check("in_network", Collective::reduce_scatter, [](int n) { return Form{n * n + n, n, 2}; });
  check("in_network", Collective::all_gather, [](int n) { return Form{n + n * n, 1, 2}; });
  check("in_network", Collective::broadcast, [](int n) { return Form{n + (n - 1) * n, n, 2}; });
  check("in_network", Collective::reduce, [](int n) { return Form{n * n + n, n, 2}; });
  for (int n = 2; n <= 33; ++n)
    CHECK(
        CostCounter(*find_algorithm("in_network")->plan(Collective::barrier, n, 0), n, 0).count() ==
        Cost{0, 0, 2});
}

// Nobody sends anything but the news.
TEST_CASE("a barrier takes ceil(log2 n) steps") {
  for (int n = 2; n <= 33; ++n) {
    const auto plan = find_algorithm("dissemination")->plan(Collective::barrier, n, 0);
    CHECK(CostCounter(*plan, n, 0).count() == Cost{0, 0, log2_up(n)});
  }
}

// Every link of a ring in both directions, or of a full mesh: where channels meet is the
// topology's.
TEST_CASE("channels of a ring go to different neighbours while there are any") {
  const auto neighbours = [](const char* name, int n) {
    const auto plan = find_algorithm(name)->plan(Collective::all_gather, n, 0);
    std::vector<int> result;
    for (int lane = 0; lane < plan->lanes(); ++lane) result.push_back(plan->send(0, lane, 0, 0).to);
    return result;
  };
  CHECK(neighbours("ring:2", 8) == std::vector<int>{1, 7});
  CHECK(neighbours("ring:4", 8) == std::vector<int>{1, 7, 3, 5});
  CHECK(neighbours("ring:6", 8) == std::vector<int>{1, 7, 3, 5, 1, 7});  // no more without a factor
  CHECK(neighbours("ring:4", 7) == std::vector<int>{1, 6, 2, 5});
  CHECK(neighbours("ring:3", 2) == std::vector<int>{1, 1, 1});
}

}  // namespace
}  // namespace orrery
