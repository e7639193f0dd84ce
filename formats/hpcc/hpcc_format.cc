#include "formats/hpcc/hpcc_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "core/base/config_error.h"
#include "core/units/unit_text.h"

namespace orrery {
namespace {

constexpr Duration longest_delay = milliseconds(1'000'000'000);  // 11.6 days

class HpccReader {
 public:
  HpccReader(std::string_view text, const std::string& file)
      : stream_(std::string(text)), file_(file) {}

  TopologySpec read() {
    next_line("NODES SWITCHES LINKS");
    const std::int64_t nodes = number("number of nodes", 2, 1 << 26);
    const std::int64_t switches = number("number of switches", 0, nodes - 2);
    constexpr std::int64_t most_hosts = 1 << 24;
    if (nodes - switches > most_hosts)
      wrong(fmt::format("{} hosts", nodes - switches),
            fmt::format("there may be {} at most", most_hosts));
    const std::int64_t links = number("number of links", 1, 1 << 26);
    if (nodes > 2 * links)
      wrong(fmt::format("{} nodes and {} links: some node has no link", nodes, links),
            "the first line counts all nodes, of these the switches, and the links");
    read_switches(nodes, switches);
    GraphSpec graph;
    graph.nodes.resize(static_cast<std::size_t>(nodes - switches), {NodeKind::npu, ""});
    graph.nodes.resize(static_cast<std::size_t>(nodes), {NodeKind::switched, ""});
    for (std::int64_t link = 0; link < links; ++link) read_link(graph, nodes);
    check_end(links);
    return with_level(std::move(graph), static_cast<std::int32_t>(nodes - switches));
  }

 private:
  void read_switches(std::int64_t nodes, std::int64_t switches) {
    std::set<std::int64_t> ids;
    if (switches > 0) next_line("the ids of the switches");
    while (static_cast<std::int64_t>(ids.size()) < switches)
      if (!ids.insert(number("id of a switch", 0, nodes - 1)).second)
        wrong("a switch is listed twice", "list each once");
    const auto hosts = static_cast<std::int32_t>(nodes - switches);
    std::int32_t host = 0, other = hosts;
    for (std::int64_t id = 0; id < nodes; ++id)
      node_of_.push_back({ids.count(id) > 0 ? other++ : host++});
  }

  void read_link(GraphSpec& graph, std::int64_t nodes) {
    next_line("SOURCE TARGET RATE DELAY ERROR_RATE");
    const NodeId from = node_of_[number("source", 0, nodes - 1)];
    const NodeId to = node_of_[number("target", 0, nodes - 1)];
    if (from == to) wrong("a link from a node to itself", "name two nodes");
    const auto rate = parse_bandwidth(word("rate"));
    const auto* bandwidth = std::get_if<Bandwidth>(&rate);
    if (bandwidth == nullptr || bandwidth->value <= 0)
      wrong("the third field is not a rate", "write for example 100Gbps");
    const auto delay = parse_duration(word("delay"));
    const auto* latency = std::get_if<Duration>(&delay);
    if (latency == nullptr) wrong("the fourth field is not a delay", "write for example 0.001ms");
    if (*latency > longest_delay)
      wrong(fmt::format("a delay of {}", exact_text(*latency)),
            fmt::format("it must be at most {}", exact_text(longest_delay)));
    std::string loss;
    if (line_ >> loss && std::strtod(loss.c_str(), nullptr) != 0)
      wrong("the error rate is not 0", "links of a topology lose nothing: write 0");
    graph.links.push_back({from, to, 0, *bandwidth, *latency, 1});
    graph.links.push_back({to, from, 0, *bandwidth, *latency, 1});
  }

  // Files end with words about the format, but not with more links.
  void check_end(std::int64_t links) {
    for (std::string text; std::getline(stream_, text);) {
      ++number_;
      const std::size_t first = text.find_first_not_of(" \t\r");
      if (first != std::string::npos && text[first] >= '0' && text[first] <= '9')
        wrong(fmt::format("the first line announces {} links, and this is one more", links),
              "correct the number there");
    }
  }

  static TopologySpec with_level(GraphSpec graph, std::int32_t hosts) {
    std::vector<Bandwidth> out(graph.nodes.size());
    Duration least = graph.links.front().latency;
    for (const Link& link : graph.links) {
      out[link.from.value] += link.bandwidth;
      least = std::min(least, link.latency);
    }
    const Bandwidth most = *std::max_element(out.begin(), out.begin() + hosts);
    const Bandwidth nominal = std::max(most, Bandwidth{1});
    return {{{"network", LevelKind::graph, hosts, nominal, least * 2, Scope::scale_out}},
            std::make_shared<const GraphSpec>(std::move(graph))};
  }

  // Of the next line that is not empty.
  void next_line(const char* what) {
    for (std::string text; std::getline(stream_, text);) {
      ++number_;
      if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
      line_ = std::istringstream(text);
      return;
    }
    ++number_;
    wrong("the file ends here", fmt::format("a line is missing: {}", what));
  }

  std::string word(const char* what) {
    std::string found;
    if (!(line_ >> found)) wrong(fmt::format("the {} is missing", what), "add it to the line");
    return found;
  }

  std::int64_t number(const char* what, std::int64_t least, std::int64_t most) {
    const std::string text = word(what);
    char* end = nullptr;
    errno = 0;
    const std::int64_t value = std::strtoll(text.c_str(), &end, 10);
    if (errno != 0 || *end != '\0' || value < least || value > most)
      wrong(fmt::format("the {} is \"{:.20}\"", what, text),
            fmt::format("write a number of {} to {}", least, most));
    return value;
  }

  [[noreturn]] void wrong(std::string what, std::string remedy) const {
    throw ConfigError({.file = file_,
                       .line = number_,
                       .column = 1,
                       .what = std::move(what),
                       .remedy = std::move(remedy)});
  }

  std::istringstream stream_, line_;
  std::string file_;
  int number_ = 0;
  std::vector<NodeId> node_of_;  // by id in the file
};

}  // namespace

TopologySpec parse_hpcc_topology(std::string_view text, const std::string& file_name) {
  return HpccReader(text, file_name).read();
}

std::string hpcc_text(const Topology& topology) {
  // Eight bits a byte may be more than 64 bits hold: thousands of bits, 125 bytes, are counted
  // apart.
  const auto rate = [](Bandwidth bandwidth) {
    constexpr std::int64_t of_gigabit = 125'000'000, of_kilobit = 125;
    if (bandwidth.value % of_gigabit == 0)
      return fmt::format("{}Gbps", bandwidth.value / of_gigabit);
    const std::int64_t kilobits = bandwidth.value / of_kilobit;
    const std::int64_t bits = bandwidth.value % of_kilobit * 8;
    return kilobits > 0 ? fmt::format("{}{:03}bps", kilobits, bits) : fmt::format("{}bps", bits);
  };
  const auto delay = [](Duration latency) {
    return latency.value % 1'000 == 0 ? fmt::format("{}ns", latency.value / 1'000)
                                      : fmt::format("{}ps", latency.value);
  };
  using Kind = std::tuple<NodeId, NodeId, Bandwidth, Duration>;
  std::map<Kind, int> unpaired;
  std::string lines;
  std::size_t count = 0;
  for (const Link& link : topology.links()) {
    const auto back = unpaired.find(Kind{link.to, link.from, link.bandwidth, link.latency});
    if (back == unpaired.end()) {
      ++unpaired[Kind{link.from, link.to, link.bandwidth, link.latency}];
      continue;
    }
    if (--back->second == 0) unpaired.erase(back);
    ++count;
    lines += fmt::format("{} {} {} {} 0\n", link.to.value, link.from.value, rate(link.bandwidth),
                         delay(link.latency));
  }
  if (!unpaired.empty()) {
    const auto& [from, to, bandwidth, latency] = unpaired.begin()->first;
    throw ConfigError({.file = "--format hpcc",
                       .what = fmt::format("{} -> {} has no equal link back",
                                           topology.node_name(from), topology.node_name(to)),
                       .remedy = "the format has links in both directions only: export dot"});
  }
  std::string text = fmt::format("{} {} {}\n", topology.node_count(),
                                 topology.node_count() - topology.npu_count(), count);
  for (std::int32_t node = topology.npu_count(); node < topology.node_count(); ++node)
    text += fmt::format("{}{}", node, node + 1 < topology.node_count() ? " " : "\n");
  return text + lines;
}

}  // namespace orrery
