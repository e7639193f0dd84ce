#include "simulation/result/equal_part_rows.h"

#include <algorithm>
#include <vector>

#include "network/topology/equal_parts.h"
#include "simulation/result/traffic_rows.h"

namespace orrery {

namespace {

constexpr std::size_t most_links = 1 << 18;       // that are looked at
constexpr std::size_t most_different_nodes = 24;  // that one picture shows

const char* kind_text(NodeKind kind) {
  return kind == NodeKind::npu ? "npu" : kind == NodeKind::nic ? "nic" : "switch";
}

}  // namespace

void add_equal_parts(RunResult& result, const FinishedRun& run) {
  const Topology& topology = run.topology;
  if (topology.links().size() > most_links) return;
  const EqualParts parts = equal_parts(topology);
  if (parts.nodes.size() > most_different_nodes) return;
  for (const EqualNodes& nodes : parts.nodes)
    result.equal_nodes.push_back({text_of(topology, nodes), kind_text(nodes.kind), nodes.count});
  const std::vector<TotalBytes> carried = run.network.statistics().links;
  std::vector<std::vector<double>> shares(parts.links.size());
  std::vector<TotalBytes> bytes(parts.links.size());
  for (std::size_t link = 0; link < parts.of_links.size(); ++link) {
    const std::int32_t part = parts.of_links[link];
    shares[part].push_back(
        utilisation_of(run, static_cast<LinkIndex>(link), carried[link], result.finish));
    bytes[part] += carried[link];
  }
  for (std::size_t part = 0; part < parts.links.size(); ++part) {
    std::vector<double>& of_part = shares[part];
    std::ranges::sort(of_part);
    const EqualLinks& links = parts.links[part];
    result.equal_links.push_back({links.from, links.to, topology.levels()[links.level].name,
                                  static_cast<double>(links.bandwidth.value) * 1e-9, links.count,
                                  bytes[part], of_part.front(), of_part[(of_part.size() - 1) / 2],
                                  of_part.back()});
  }
}

}  // namespace orrery
