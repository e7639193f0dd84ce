// Keys of `network.transport` and of the switches that a transport reads in its own way, and where
// the values of a preset are from.
#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/config_error.h"
#include "frontends/yaml/load_experiment.h"
#include "tests/paths.h"

namespace orrery {
namespace {

Experiment experiment_with(const std::vector<Override>& overrides) {
  return load_experiment(source_folder() + "/examples/spray/ndp.yaml", overrides);
}

NetworkSpec network_with(const std::vector<Override>& overrides) {
  return experiment_with(overrides).network;
}

std::string refusal(const std::vector<Override>& overrides) {
  try {
    network_with(overrides);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

std::string origin_of(const Experiment& experiment, const std::string& path) {
  for (const ResolvedValue& value : experiment.resolved)
    if (value.path == path) return value.origin;
  return "nothing";
}

using Catch::Contains;

}  // namespace

// RoCE has no buffer of 1 MB for a connection: written as such it would be a window.
TEST_CASE("the window that a pair of RoCE has is said as it can be written") {
  const auto window_of = [](const std::vector<Override>& overrides, const char* file = "none") {
    const Experiment experiment =
        load_experiment(source_folder() + "/examples/transports/" + file + ".yaml", overrides);
    for (const ResolvedValue& value : experiment.resolved)
      if (value.path == "network.transport.window")
        return std::pair{value.value, experiment.network.transport.roce.window};
    return std::pair<std::string, PairWindow>{};
  };
  const auto [said, had] = window_of({});
  CHECK(said == "automatic");
  CHECK(had.kind == PairWindow::Kind::automatic);
  for (const std::string window : {"automatic", "bdp", "none", "2 MB"}) {
    const auto [again, has] = window_of({{"network.transport.window=" + window}});
    CHECK(again == window);
    CHECK((window == "automatic") == (has == had));
  }
  CHECK(window_of({}, "tcp").first == "1 MB");
}

TEST_CASE("a preset of one transport is refused under another one") {
  const std::string kind = "network.transport.kind=", preset = "network.transport.preset=";
  CHECK_THAT(refusal({{kind + "roce"}, {preset + "uet-1.0"}}),
             Contains("the preset uet-1.0 is of uet, not of roce: write kind: uet, or no preset"));
  CHECK_THAT(refusal({{kind + "tcp"}, {preset + "conweave"}}), Contains("is of roce, not of tcp"));
  CHECK(network_with({{kind + "uet"}, {preset + "uet-1.0"}}).transport.kind == TransportKind::uet);
}

TEST_CASE("a link is found without blanks around its arrow") {
  const std::string link = "network.faults=[{at: 1 us, link: \"NAMES\", state: down}]";
  const auto faults = [&](const std::string& names) {
    std::string setting = link;
    setting.replace(setting.find("NAMES"), 5, names);
    return network_with({{setting}}).routing.faults.size();
  };
  CHECK(faults("leaf0->spine1") == faults("leaf0 -> spine1"));
  CHECK(faults("leaf0-spine1") == faults("leaf0 - spine1"));
  CHECK(faults("leaf0-spine1") == 2);
}

TEST_CASE("NDP's initial window is BDPs or a size, TCP's a number of segments") {
  const std::string key = "network.transport.initial_window=";
  CHECK(network_with({}).transport.ndp.initial_bdps == 1);
  CHECK(network_with({{key + "1.5 bdp"}}).transport.ndp.initial_bdps == 1.5);
  const NetworkSpec sized = network_with({{key + "90 kB"}});
  CHECK(sized.transport.ndp.initial_window == bytes(90'000));
  CHECK_THAT(refusal({{key + "10"}}), Contains("NDP does not count segments"));
  CHECK_THAT(refusal({{key + "0 bdp"}}), Contains("out of range"));
  const std::string tcp = "network.transport.kind=tcp";
  CHECK(network_with({{tcp}, {key + "4"}}).transport.initial_window == 4);
  CHECK_THAT(refusal({{tcp}, {key + "1 bdp"}}), Contains("TCP counts segments"));
}

TEST_CASE(
    "a key of another transport is told to have no effect, also where the backend is chosen") {
  const std::string file = build_folder() + "/transport_keys_test.yaml";
  const auto needs_of_mtu = [&](const std::string& network) {
    std::ofstream(file) << "platform: {topology: {levels: [{size: 8, bandwidth: 100 Gb/s}]}}\n"
                           "network: {" +
                               network +
                               "transport: {kind: roce, mtu: 9000 B}}\n"
                               "workload: {program: [{operations: [{all_to_all: 1 MB}]}]}\n";
    const NetworkSpec loaded = load_experiment(file, {}).network;
    CHECK(loaded.backend == "packet");
    for (const GivenSetting& setting : loaded.given)
      if (setting.path == "network.transport.mtu") return setting.needs;
    return std::string("nothing");
  };
  CHECK(needs_of_mtu("backend: packet, ") == "network.transport.kind: tcp");
  CHECK(needs_of_mtu("") == "network.transport.kind: tcp");
}

TEST_CASE("keys of classes and pauses that can do nothing are told what they need") {
  const auto needs_of = [](const std::string& path, std::vector<Override> overrides) {
    overrides.insert(overrides.begin(), {"network.transport.kind=roce"});
    const NetworkSpec network = network_with(overrides);
    for (const GivenSetting& setting : network.given)
      if (setting.path == path) return setting.needs;
    return std::string("nothing");
  };
  const std::string classes = "network.switch.classes";
  const Override lossy{classes + "=[{priority: 3, alpha: 1/4, headroom: 9 kB, buffer: 1 MB}]"};
  const Override lossless{classes +
                          "=[{priority: 3, lossless: true, alpha: 1/4, weight: 2, buffer: 1 MB, "
                          "overflow: drop}]"};
  const Override no_pauses{"network.switch.pfc.enabled=false"};
  const std::string same = " in the same class";
  CHECK(needs_of(classes + "[0].alpha", {lossy}) == "lossless: true" + same);
  CHECK(needs_of(classes + "[0].headroom", {lossy}) == "lossless: true" + same);
  CHECK(needs_of(classes + "[0].buffer", {lossy}) == "nothing");
  CHECK(needs_of(classes + "[0].alpha", {lossless}) == "nothing");
  CHECK(needs_of(classes + "[0].buffer", {lossless}) == "lossless: false" + same);
  CHECK(needs_of(classes + "[0].overflow", {lossless}) == "lossless: false" + same);
  CHECK(needs_of(classes + "[0].weight", {lossless}) == "network.switch.scheduler: dwrr");
  CHECK(needs_of(classes + "[0].weight", {lossless, {"network.switch.scheduler=dwrr"}}) ==
        "nothing");
  // Without pauses a lossless class is lossy.
  CHECK(needs_of(classes + "[0].alpha", {lossless, no_pauses}) ==
        "network.switch.pfc.enabled: true");
  CHECK(needs_of(classes + "[0].buffer", {lossless, no_pauses}) == "nothing");
  const Override watchdog{"network.switch.pfc.watchdog=1 ms"};
  const std::string key = "network.switch.pfc.watchdog";
  CHECK(needs_of(key, {watchdog}).empty());
  CHECK(needs_of(key, {watchdog, no_pauses}) == "network.switch.pfc.enabled: true");
  CHECK(needs_of(key, {watchdog, lossy}) == "a class with lossless: true");
  const Override again{"network.transport.nack_interval=1 us"};
  const Override late{"network.transport.reorder_tolerance=3"};
  const Override selective{"network.transport.recovery=selective_repeat"};
  const std::string recovery = "network.transport.recovery: ";
  const Override go_back{"network.transport.recovery=go_back_n"};
  CHECK(needs_of("network.transport.nack_interval", {again, go_back}).empty());
  CHECK(needs_of("network.transport.nack_interval", {again, selective}) == recovery + "go_back_n");
  CHECK(needs_of("network.transport.reorder_tolerance", {late, selective}).empty());
  CHECK(needs_of("network.transport.reorder_tolerance", {late, go_back}) ==
        recovery + "selective_repeat");
  // The file sprays, so selective_repeat is chosen.
  CHECK(needs_of("network.transport.nack_interval", {again}) == recovery + "go_back_n");
  CHECK(needs_of("network.transport.reorder_tolerance", {late}).empty());
}

TEST_CASE("MLT has so many classes as a port has priorities: one is the side channel's") {
  const std::string mlt = "network.transport.kind=mlt";
  CHECK(network_with({{mlt}}).transport.mlt.classes == 7);
  CHECK(network_with({{mlt}, {"network.transport.classes=3"}}).transport.mlt.classes == 2);
  CHECK_THAT(refusal({{mlt}, {"network.transport.classes=1"}}), Contains("2"));
}

TEST_CASE("a buffer may be counted in full packets of the transport") {
  // NDP's packets have 4,096 B and 82 B of headers, RoCE's first one 16 B more; TCP's MTU of 9,000
  // B comes with 38 B.
  const std::string buffer = "network.switch.buffer=64 packets";
  CHECK(network_with({{buffer}}).switches.buffer == bytes(64 * 4'178));
  CHECK(network_with(
            {{buffer}, {"network.transport.kind=roce"}, {"network.switch.pfc.enabled=false"}})
            .switches.buffer == bytes(64 * 4'194));
  CHECK(network_with({{buffer}, {"network.transport.kind=tcp"}}).switches.buffer ==
        bytes(64 * 9'038));
  const NetworkSpec classes =
      network_with({{"network.switch.classes=[{priority: 0, overflow: trim, buffer: 8 packets}]"}});
  REQUIRE(classes.switches.classes.size() == 2);
  CHECK(classes.switches.classes[0].buffer == bytes(8 * 4'178));
  CHECK_THAT(refusal({{"network.switch.buffer=0 packets"}}), Contains("out of range"));
  CHECK_THAT(refusal({{"network.switch.buffer=4 kB per Gb/s"}}), Contains("several bandwidths"));
}

TEST_CASE("a file that names the class of data only has one for headers, too") {
  // Data goes in the class that is there; headers above it, with a buffer as large.
  const NetworkSpec network =
      network_with({{"network.switch.classes=[{priority: 0, overflow: trim, buffer: 50 kB}]"}});
  REQUIRE(network.switches.classes.size() == 2);
  CHECK(network.transport.roce.priority == 0);
  CHECK(network.switches.classes[1].carries == ClassContent::control);
  CHECK(network.switches.classes[1].priority == 7);
  CHECK(network.switches.classes[1].buffer == bytes(50'000));
}

TEST_CASE("explain says of a preset's values whether its source states them") {
  const Experiment experiment =
      experiment_with({{"network.transport.kind=uet"}, {"network.transport.preset=uet-1.0"}});
  const auto origin = [&](const std::string& key) {
    return origin_of(experiment, "network.transport." + key);
  };
  CHECK(origin("nscc.gamma") == "preset uet-1.0, stated");
  CHECK(origin("nscc.target") == "preset uet-1.0, stated");
  CHECK(origin("nscc.delay_weight") == "preset uet-1.0, ours");
  // The preset does not set it.
  CHECK(origin("dcqcn.timer") == "default");
  CHECK(origin_of(experiment_with({}), "network.transport.nscc.gamma") == "default");
  const Experiment mlt = experiment_with(
      {{"network.transport.kind=mlt"}, {"network.transport.preset=mlt-simulation"}});
  CHECK(origin_of(mlt, "network.transport.loss_bound") == "preset mlt-simulation, stated");
  CHECK(mlt.network.transport.mlt.push == Share{1, 10});
}

}  // namespace orrery
