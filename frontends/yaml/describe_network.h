// The keys of `network:`, and those of a level that are about its network.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/yaml/describe_fluid.h"
#include "frontends/yaml/describe_roce.h"
#include "frontends/yaml/describe_topology.h"
#include "frontends/yaml/reader.h"
#include "network/network_spec.h"
#include "network/packet_defaults.h"
#include "network/problems.h"
#include "network/transport_presets.h"
#include "network/written_links.h"

namespace orrery::yaml {

// The keys of one group of settings, which a backend honours or not.
struct GroupKeys {
  Keys& keys;
  NetworkSpec& network;
  SettingGroup group;

  template <class T>
  void operator()(std::string_view key, T& value, std::string_view help,
                  Limits limits = any_value) {
    keys.optional(key, value, help, limits);
    keys.note_if_given(key, network.given, group);
  }
};

inline void describe_level_network(Keys& keys, LevelNetworkSpec& level, NetworkSpec& network) {
  GroupKeys{keys, network, SettingGroup::switch_buffer}(
      "buffer", level.buffer, "packet buffer of the level's switches; for packet backends",
      positive);
  GroupKeys{keys, network, SettingGroup::transport}(
      "transport", level.transport,
      "what carries its messages on a packet backend: a transport, or ideal (no packets, on the "
      "same clock); without it, ideal on local levels and network.transport.kind on the others");
}

inline constexpr std::int64_t four_gibibytes = (std::int64_t{1} << 32) - 1;

// NDP's is a size or BDPs, TCP's a number of segments.
inline void describe_initial_window(GroupKeys& key, TransportSpec& spec) {
  InitialWindow window{.segments = spec.initial_window};
  const bool ndp = spec.kind == TransportKind::ndp;
  if (ndp) window = {.size = spec.ndp.initial_window, .bdps = spec.ndp.initial_bdps};
  key("initial_window", window,
      "TCP: congestion window of a new connection, in segments (RFC 6928: 10); NDP: what a message "
      "sends without being asked for, as 1 bdp (of the path) or a size");
  if (window.segments > 0) {
    spec.initial_window = window.segments;
  } else {
    spec.ndp.initial_window = window.size;
    spec.ndp.initial_bdps = window.bdps;
  }
  key.keys.check([&](Reader& reader) {
    if (!reader.given("initial_window")) return;
    if (ndp && window.segments > 0)
      reader.wrong("initial_window", "NDP does not count segments", "write a size, or 1 bdp");
    if (spec.kind == TransportKind::tcp && window.segments == 0)
      reader.wrong("initial_window", "TCP counts segments", "write a whole number of these");
  });
}

inline void describe_tcp_windows(GroupKeys& key, TransportSpec& spec) {
  WindowSize window{spec.window.value};
  if (spec.kind == TransportKind::roce && spec.roce.window.kind != PairWindow::Kind::bytes)
    window = {1, spec.roce.window.kind};
  key("window", window,
      "send and receive buffer of a connection: bytes that may be sent and not acknowledged; of a "
      "pair of RoCE: bdp (of the path), none, bytes, or automatic (its default): bdp, but none "
      "where its control has a window",
      between(1, four_gibibytes / 4));
  if (window.kind == PairWindow::Kind::bytes)
    spec.window = bytes(window.value);
  else
    spec.roce.window.kind = window.kind;
  key.keys.check([&](Reader& reader) {
    if (reader.given("window") && window.kind == PairWindow::Kind::bytes)
      spec.roce.window = {PairWindow::Kind::bytes, spec.window};
  });
  key("receive_window", spec.receive_window, "the receive buffer, if it is not the same",
      between(1, four_gibibytes / 4));
  describe_initial_window(key, spec);
  key("delayed_ack_count", spec.delayed_ack_count, "segments for each acknowledgement",
      between(1, 1 << 16));
  key("delayed_ack_timeout", spec.delayed_ack_timeout,
      "time after which fewer segments are acknowledged", not_negative);
}

inline void describe_tcp_timers(GroupKeys& key, TransportSpec& spec) {
  key("minimum_rto", spec.minimum_rto,
      "least retransmission timeout (Linux 200 ms, RFC 6298 1 s; ns-3 1 s)", positive);
  key("clock_granularity", spec.clock_granularity,
      "least difference between timeout and round trip (RFC 6298: G)", positive);
  key("connect_timeout", spec.connect_timeout, "time until a handshake is tried again", positive);
  key("persist_timeout", spec.persist_timeout, "time until a closed window is probed", positive);
  key("retries", spec.retries,
      "timeouts in a row, of TCP each twice as long, until a connection is given up and the run "
      "ends",
      between(1, 1'000));
  key("duplicate_acks", spec.duplicate_acks,
      "duplicate acknowledgements that tell of a loss (RFC 5681: 3)", between(1, 1'000));
}

inline void describe_captures(Keys& keys, NetworkSpec& network, const TopologySpec& topology,
                              bool topology_known) {
  std::vector<WrittenCapture> captures;
  keys.optional_items(
      "capture", captures, "links whose packets are kept, each for a pcap file in the folder of -o",
      [](Keys& capture, WrittenCapture& spec, std::size_t) {
        capture.required("link", spec.link, "\"a -> b\", \"a - b\" (both ways), or its index");
        capture.optional("between", spec.between,
                         "two NPUs: only what one of them sends to the other", not_negative);
      });
  GroupKeys{keys, network, SettingGroup::transport}(
      "capture_limit", network.capture_limit, "packets that each capture keeps, the first ones",
      between(1, 10'000'000));
  keys.note_if_given("capture", network.given, SettingGroup::transport);
  keys.check([&](Reader& reader) {
    if (reader.clean() && topology_known && !captures.empty())
      reader.report(add_captures(network, captures, topology));
  });
}

void tell_preset_from_defaults(Reader& reader, const TransportPreset& preset);

inline void describe_transport(Keys& keys, NetworkSpec& network, const TopologySpec& topology,
                               bool topology_known) {
  TransportSpec& spec = network.transport;
  const TransportPreset* preset = nullptr;
  keys.preset(transport_presets(), preset,
              "settings of a published study that replace the defaults");
  if (preset != nullptr) spec = preset->spec;
  keys.note_if_given("preset", network.given, SettingGroup::transport);
  GroupKeys key{keys, network, SettingGroup::transport};
  key("kind", spec.kind,
      "the protocol between nodes, or ideal (no protocol: the model that `ideal` names); without "
      "it the backend's; `orrery list transports` describes them");
  key("ideal", spec.ideal,
      "what carries messages over levels of transport ideal: analytical, or fluid, where they "
      "share links (docs/models/fluid.md); without it fluid where such levels have links to share");
  std::optional<CongestionControlName> control;
  if (spec.congestion_control) control = CongestionControlName{*spec.congestion_control};
  key("congestion_control", control,
      "congestion control of TCP (without it cubic) or of RoCE (without it dcqcn); `orrery list "
      "transports` describes each");
  if (control) spec.congestion_control = control->name;
  key("mtu", spec.mtu, "size of the largest IP packet", between(100, 65'535));
  key("link_overhead", spec.link_overhead,
      "further bytes on the wire for each packet (Ethernet: 38, with preamble and gap)",
      between(0, 1'000));
  describe_tcp_windows(key, spec);
  describe_roce(keys, network);
  describe_placed(keys, network);
  describe_scheduled(keys, network);
  describe_mlt(keys, network);
  describe_tcp_timers(key, spec);
  key("limited_transmit", spec.limited_transmit,
      "the first two duplicate acknowledgements each send a new segment (RFC 3042); without sack");
  key("sack", spec.sack, "selective acknowledgements (RFC 2018)");
  key("timestamps", spec.timestamps,
      "time stamps (RFC 7323): 12 bytes in each packet, round trips in whole milliseconds");
  key("ecn", spec.ecn,
      "connections understand marks (RFC 3168), so switches mark packets instead of dropping them; "
      "always with dctcp");
  key("connect", spec.connect,
      "when the handshake is paid: before_use (not at all), first_message, per_message (each "
      "message has a connection of its own)");
  key("connections_per_pair", spec.connections_per_pair,
      "connections between two NPUs, which take messages in turn", between(1, 1'024));
  keys.optional_items("watch", spec.watched,
                      "pairs of NPUs whose connections report window and round trip over time",
                      [](Keys& pair, WatchedPair& watched, std::size_t) {
                        pair.required("from", watched.from, "the NPU that sends", not_negative);
                        pair.required("to", watched.to, "the NPU that receives", not_negative);
                      });
  keys.note_if_given("watch", network.given, SettingGroup::transport);
  describe_captures(keys, network, topology, topology_known);
  keys.check([&](Reader& reader) {
    if (preset != nullptr && preset->spec.kind && spec.kind && *preset->spec.kind != *spec.kind) {
      const std::string_view of = name_of(*preset->spec.kind);
      reader.report(SpecProblems{
          {"preset",
           fmt::format("the preset {} is of {}, not of {}", preset->name, of, name_of(*spec.kind)),
           fmt::format("write kind: {}, or no preset", of)}});
    }
    if (reader.clean()) reader.report(problems_of(spec));
    if (preset != nullptr) tell_preset_from_defaults(reader, *preset);
  });
}

inline void tell_preset_from_defaults(Reader& reader, const TransportPreset& preset) {
  const auto describe = [](Keys& keys) {
    NetworkSpec network;
    describe_transport(keys, network, {}, false);
  };
  const auto is_among = [](const std::vector<std::string_view>& keys, std::string_view key) {
    return std::ranges::find(keys, key) != keys.end();
  };
  reader.tell_preset_from_defaults(describe, [&](std::string_view key, std::string& origin) {
    if (is_among(preset.stated, key)) origin += ", stated";
    if (is_among(preset.derived, key)) origin += ", derived";
    if (is_among(preset.ours, key)) origin += ", ours";
  });
}

inline void describe_switch_buffer(Keys& keys, NetworkSpec& network) {
  BufferSize buffer{.size = network.switches.buffer};
  GroupKeys{keys, network, SettingGroup::switch_buffer}(
      "buffer", buffer,
      "packet buffer of a switch without one of its own; also as full packets of the transport");
  network.switches.buffer = buffer.of(full_packet_of(network));
  keys.check([&](Reader& reader) {
    if (buffer.per_gigabit)
      reader.wrong("buffer", "a switch has links of several bandwidths",
                   "write a size, such as 32 MB, or packets");
  });
}

inline void describe_switches(Keys& keys, NetworkSpec& network, const TopologySpec& topology,
                              bool topology_known) {
  SwitchSpec& spec = network.switches;
  GroupKeys key{keys, network, SettingGroup::switch_buffer};
  describe_switch_buffer(keys, network);
  key("sharing", spec.sharing, "whether the buffer is one pool for all ports, or for each port");
  key("dynamic_threshold", spec.dynamic_threshold,
      "a port may hold at most so many times the free part of a shared buffer; without it, all of "
      "it",
      positive);
  key("queue", spec.queue,
      "what happens before a buffer is full: drop_tail, nothing; red, packets are marked (of "
      "connections with ecn) or dropped at random");
  key("red_minimum", spec.red_minimum, "average queue from which red marks or drops", not_negative);
  key("red_maximum", spec.red_maximum, "average queue from which red marks or drops every packet",
      positive);
  key("red_probability", spec.red_probability,
      "probability of a mark or drop just below red_maximum; it rises linearly");
  key("red_weight", spec.red_weight,
      "weight of the newest queue length in the average; 1: no averaging, as DCTCP wants");
  key("loss", spec.loss, "probability that a link loses a packet, for experiments with bad links");
  std::vector<WrittenLossyLink> lossy;
  keys.optional_items("lossy_links", lossy, "links that lose packets",
                      [](Keys& item, WrittenLossyLink& one, std::size_t) {
                        item.required("link", one.link, "\"a -> b\", \"a - b\" (both ways)");
                        item.required("loss", one.loss, "probability that it loses a packet");
                      });
  keys.note_if_given("lossy_links", network.given, SettingGroup::switch_buffer);
  OneOrMore<std::string> watched;
  keys.optional(
      "watch", watched,
      "links, \"a -> b\", \"a - b\" (both ways), or all (that leave switches): what waits "
      "before them over time");
  keys.note_if_given("watch", network.given, SettingGroup::switch_buffer);
  describe_classes(keys, network);
  keys.check([&](Reader& reader) {
    if (reader.clean()) reader.report(problems_of(spec, full_packet_of(network)));
    if (!reader.clean() || !topology_known) return;
    if (!lossy.empty()) reader.report(add_lossy_links(spec, lossy, topology));
    if (!watched.values.empty()) reader.report(add_watched_links(spec, watched.values, topology));
  });
}

inline void describe_network(Keys& keys, NetworkSpec& network, const TopologySpec& topology,
                             bool topology_known) {
  std::optional<BackendName> backend;
  keys.optional("backend", backend,
                "the model of the network; without it fluid where messages can share links inside "
                "the fabric, or kinds of traffic share ports, else analytical; `orrery list` "
                "describes them");
  network.backend_named = backend.has_value();
  if (backend) network.backend = backend->name;
  keys.named_map("transport", "the transport protocol; for packet backends", [&](Keys& transport) {
    describe_transport(transport, network, topology, topology_known);
  });
  network.routing.seed = network.seed;
  keys.named_map("routing", "which way messages go", [&](Keys& routing) {
    describe_routing(routing, network.routing, topology, topology_known);
    for (const char* key : {"paths", "spray", "flowlet_gap", "reroute_delay"})
      routing.note_if_given(key, network.given, SettingGroup::routing);
  });
  keys.note_if_given("routing", network.given, SettingGroup::routing);
  describe_faults(keys, network.routing, topology, topology_known);
  keys.note_if_given("faults", network.given, SettingGroup::routing);
  keys.optional_items(
      "slow", network.switches.slow, "NPUs that take what comes to them slowly; packet backends",
      [](Keys& item, SlowReceiver& one, std::size_t) {
        item.required("npu", one.npu, "which one", not_negative);
        item.required("rate", one.rate, "what its host takes from its NIC", positive);
        item.optional("buffer", one.buffer, "of its NIC, for what waits", positive);
      });
  keys.note_if_given("slow", network.given, SettingGroup::switch_buffer);
  keys.map("fluid", "the fluid backend", [&](Keys& fluid) { describe_fluid(fluid, network); });
  keys.map("queue", "the queue backend", [&](Keys& queue) { describe_queue(queue, network); });
  keys.map("credit", "the credit backend", [&](Keys& credit) { describe_credit(credit, network); });
  keys.map("switch", "all switches; for packet backends",
           [&](Keys& switches) { describe_switches(switches, network, topology, topology_known); });
  keys.check([&](Reader& reader) {
    if (reader.clean()) complete_classes(network);
    if (!backend && needs_packets(network.routing.policy)) network.backend = "packet";
    if (topology_known && reader.clean()) reader.report(problems_of_packets(network, topology));
    mark_idle_settings(network, topology_known ? &topology : nullptr);
  });
}

}  // namespace orrery::yaml
