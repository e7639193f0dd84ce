#include "frontends/yaml/describe_network.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/yaml/platform_facts.h"

namespace orrery::yaml {

void check_transport(Reader& transport, const TransportSpec& spec) {
  if (!transport.clean()) return;
  const Bytes segment = maximum_segment(spec);
  if (spec.window < segment)
    transport.wrong("window",
                    "a window of " + text_of(spec.window) + " cannot hold a segment of " +
                        text_of(segment) + ", so nothing would ever be sent",
                    "make it larger, or network.transport.mtu smaller");
  if (spec.receive_window && *spec.receive_window < segment)
    transport.wrong("receive_window",
                    "a window of " + text_of(*spec.receive_window) + " cannot hold a segment of " +
                        text_of(segment) + ", so it would stay closed for ever",
                    "make it larger, or network.transport.mtu smaller");
}

void check_switches(Reader& reader, const NetworkSpec& network) {
  if (!reader.clean()) return;
  const SwitchSpec& spec = network.switches;
  const Bytes packet = network.transport.mtu + network.transport.link_overhead;
  if (spec.buffer < packet)
    reader.wrong(
        "buffer",
        "a buffer of " + text_of(spec.buffer) + " cannot hold a packet of " + text_of(packet),
        "make it larger, or network.transport.mtu smaller");
  if (spec.red_maximum < spec.red_minimum)
    reader.wrong("red_maximum", "it is below red_minimum", "write the larger one here");
  if (spec.loss >= 1)
    reader.wrong("loss", "links that lose everything", "write a probability below 1");
}

void check_packets(Reader& reader, const NetworkSpec& network, const TopologySpec& topology) {
  if (!reader.clean()) return;
  const Bytes packet = network.transport.mtu + network.transport.link_overhead;
  for (std::size_t i = 0; i < network.levels.size(); ++i)
    if (network.levels[i].buffer && *network.levels[i].buffer < packet)
      reader.wrong_map(
          fmt::format("the buffer of level {}, {}, cannot hold a packet of {}",
                      topology.levels[i].name, text_of(*network.levels[i].buffer), text_of(packet)),
          "make it larger, or network.transport.mtu smaller");
  const std::int32_t npus = facts_of(topology).npus;
  for (const WatchedPair& pair : network.transport.watched)
    if (pair.from == pair.to || std::max(pair.from, pair.to) >= npus)
      reader.wrong_map(
          fmt::format("transport.watch: from {} to {} there is no connection", pair.from, pair.to),
          fmt::format("name two of the NPUs 0 to {}", npus - 1));
}

}  // namespace orrery::yaml
