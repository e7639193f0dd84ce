#include "network/routing/alike_links.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <tuple>

#include "network/routing/flow_hash.h"

namespace orrery {
namespace {

// What a link carries of every flow, in 128 bits: links of a network are alike by chance once in
// 10^20 networks.
struct Signature {
  std::uint64_t first = 0, second = 0;

  void add(std::uint64_t pair, double fraction) {
    const std::uint64_t what = mixed(pair) ^ std::bit_cast<std::uint64_t>(fraction);
    first = mixed(first ^ what);
    second = mixed(second + mixed(what));
  }
  bool carries() const { return first != 0 || second != 0; }
};

}  // namespace

std::vector<CoreNode> ends_of_ways(const Topology& topology, const CoreGraph& core) {
  std::vector<CoreNode> ends;
  for (const NodeId node : core.access_nodes()) ends.push_back(core.core(node));
  for (std::int32_t npu = 0; npu < topology.npu_count(); ++npu)
    if (core.core({npu}) != no_core_node) ends.push_back(core.core({npu}));
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

std::vector<LinkIndex> find_alike_links(const Topology& topology, ShortestPaths& paths) {
  const std::vector<CoreNode> ends = ends_of_ways(topology, paths.core());
  std::vector<Signature> signatures(topology.links().size());
  std::vector<LinkShare> shares;
  std::uint64_t pair = 0;
  for (const CoreNode entry : ends)
    for (const CoreNode exit : ends) {
      if (exit == entry) continue;
      if (!paths.joined(exit, entry)) return {};
      shares.clear();
      paths.shares_between(exit, entry, shares);
      ++pair;
      for (const LinkShare& share : shares) signatures[share.link].add(pair, share.fraction);
    }
  std::vector<LinkIndex> like(topology.links().size());
  std::iota(like.begin(), like.end(), LinkIndex{0});
  std::vector<LinkIndex> order = like;
  const auto key = [&](LinkIndex link) {
    return std::tuple(topology.links()[link].bandwidth.value, signatures[link].first,
                      signatures[link].second);
  };
  std::ranges::stable_sort(order, {}, key);
  for (std::size_t i = 1; i < order.size(); ++i)
    if (signatures[order[i]].carries() && key(order[i]) == key(order[i - 1]))
      like[order[i]] = like[order[i - 1]];
  return like;
}

}  // namespace orrery
