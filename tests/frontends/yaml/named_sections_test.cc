// A name in the place of a section: `npu: h100`, `platform: dgx-h100`.
#include "frontends/yaml/named_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <initializer_list>
#include <string>
#include <tuple>

#include "core/base/config_error.h"
#include "frontends/yaml/key_reference.h"
#include "frontends/yaml/load_experiment.h"
#include "network/topology/topology.h"
#include "simulation/simulate.h"
#include "tests/paths.h"

namespace orrery {
namespace {

// Four NPUs on one switch, and a ring of megabytes.
const std::string minimal = source_folder() + "/tests/frontends/yaml/good/minimal.yaml";

std::string error_of(const std::vector<Override>& settings) {
  try {
    load_experiment(minimal, settings);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("a name stands for the preset of a section") {
  const Experiment named = load_experiment(minimal, {{"platform.npu=h100"}});
  const Experiment written = load_experiment(minimal, {{"platform.npu.preset=h100"}});
  CHECK(named.npu.preset == "h100");
  CHECK(named.npu.peak == written.npu.peak);
}

TEST_CASE("a preset is known by its letters and digits") {
  CHECK(load_experiment(minimal, {{"platform.npu=H100"}}).npu.preset == "h100");
  CHECK(load_experiment(minimal, {{"platform.npu={preset: A100_80GB}"}}).npu.preset == "a100-80gb");
  CHECK(std::holds_alternative<TransformerWorkload>(
      load_experiment(minimal, {{"platform=dgx-h100"}, {"workload={model: Mixtral 8x7B}"}})
          .workload.what));
}

std::int64_t layers_of(const std::string& model) {
  const Experiment experiment = load_experiment(
      minimal, {{"platform.npu=h100"},
                {"workload={transformer: " + model + ", training: {global_batch: 64}}"}});
  return std::get<TransformerWorkload>(experiment.workload.what).model.layers;
}

TEST_CASE("a model is known by the name under which it is published") {
  CHECK(layers_of("meta-llama/Llama-3.1-8B-Instruct") == 32);
  CHECK(layers_of("Meta-Llama-3.1-70B") == 80);
  CHECK(layers_of("mistralai/Mixtral-8x7B-v0.1") == 32);
  CHECK(layers_of("deepseek-ai/DeepSeek-R1") == 61);
  CHECK(layers_of("GPT-3") == 96);
}

TEST_CASE("an unknown model is answered with its family and the way to describe it") {
  const auto answer = [](const std::string& model) {
    return error_of({{"workload={transformer: " + model + "}"}});
  };
  CHECK_THAT(answer("Llama-4-Scout"),
             Catch::Contains("llama3-70b") && !Catch::Contains("gpt-1.7b") &&
                 Catch::Contains("is read from its config.json: transformer: {file: config.json}"));
  CHECK_THAT(answer("google/gemma-2-9b"), Catch::Contains("orrery list presets"));
}

TEST_CASE("a transport and a backend are named in the place of their sections") {
  CHECK(load_experiment(minimal, {{"network=fluid"}}).network.backend == "fluid");
  const Experiment roce =
      load_experiment(minimal, {{"network={backend: packet, transport: roce}"}});
  CHECK(roce.network.transport.kind == TransportKind::roce);
  CHECK_THAT(error_of({{"network={backend: packet, transport: quic}"}}), Catch::Contains("roce"));
}

TEST_CASE("a server is known by the names of products, and by its device") {
  const auto devices = [](const std::string& node) {
    return load_experiment(minimal,
                           {{"platform={topology: {rail: {nodes: 2, node: " + node + "}}}"}})
        .npu.preset;
  };
  CHECK(devices("DGX-H100") == "h100");
  CHECK(devices("p5en.48xlarge") == "h200");
  CHECK(devices("p4d.24xlarge") == "a100-40gb");
  CHECK(devices("B200") == "b200");
  // One mistake, one message: its NICs are not asked for.
  const std::string wrong = error_of({{"platform={topology: {rail: {nodes: 2, node: mi250x}}}"}});
  CHECK_THAT(wrong, Catch::Contains("any other server: node:") && !Catch::Contains("bandwidth\""));
}

TEST_CASE("what stands at the wrong place of a file is one mistake") {
  CHECK_THAT(error_of({{"model=Llama-3-70B"}}),
             Catch::Contains("write workload: {transformer: llama3-70b}"));
  CHECK_THAT(error_of({{"cluster={npu: h100}"}}), Catch::Contains("write platform"));
}

TEST_CASE("a collective by its size is a whole workload") {
  for (const char* kind : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"}) {
    INFO(kind);
    const std::string alone = fmt::format("workload={{{}: 64 MB, iterations: 2}}", kind);
    const std::string written = fmt::format(
        "workload={{program: [{{operations: [{{{0}: 64 MB, name: {0}}}]}}], iterations: 2}}", kind);
    const Experiment one = load_experiment(minimal, {{alone}});
    const Experiment other = load_experiment(minimal, {{written}});
    const RunResult result = simulate(one), expected = simulate(other);
    CHECK(result.finish == expected.finish);
    CHECK(result.layers.at(0).name == kind);
    CHECK(result.fingerprint == expected.fingerprint);
  }
  CHECK_THAT(error_of({{"workload={all_reduce: 1 GB, all_gather: 1 GB}"}}),
             Catch::Contains("exclude each other"));
  CHECK_THAT(error_of({{"workload={collective: all_reduce, size: 1 GB}"}}),
             Catch::Contains("workload: {all_reduce: 1 GB}"));
}

TEST_CASE("a model is a whole workload, and a mistyped one is answered with those that are known") {
  const Experiment one = load_experiment(minimal, {{"workload=Llama-3-8B"}, {"platform.npu=h100"}});
  CHECK(std::holds_alternative<TransformerWorkload>(one.workload.what));
  CHECK_THAT(error_of({{"workload=dlrm"}}),
             Catch::Contains("workload.model.preset") && Catch::Contains("dlrm-dcnv2"));
  CHECK_THAT(error_of({{"workload=resnet"}}),
             Catch::Contains("workload.layers.preset") && Catch::Contains("resnet-50"));
  CHECK_THAT(error_of({{"workload=llama3-7b"}}), Catch::Contains("did you mean"));
  CHECK_THAT(error_of({{"workload=all_reduce"}}),
             Catch::Contains("write workload: {all_reduce: 100 MB}"));
}

// Each builder stands in `platform` itself as it does in its topology.
TEST_CASE("networks stand in the platform itself") {
  for (const char* network :
       {"leaf_spine: {nodes: 4, node: hgx-h100, leaves: 2}", "rail: {nodes: 4, node: hgx-h100}",
        "fat_tree: {nodes: 16, bandwidth: 50 GB/s}", "torus: {sizes: [16], bandwidth: 50 GB/s}",
        "hyperx: {sizes: [4, 4], plugs: 1, bandwidth: 50 GB/s}",
        "hyperx: {sizes: 4x4, plugs: 1, bandwidth: 50 GB/s}"}) {
    INFO(network);
    const auto finish = [&](const std::string& platform) {
      return simulate(load_experiment(minimal,
                                      {{"platform=" + platform}, {"workload={all_reduce: 1 MB}"}}))
          .finish;
    };
    CHECK(finish(fmt::format("{{npu: h100, {}}}", network)) ==
          finish(fmt::format("{{npu: h100, topology: {{{}}}}}", network)));
  }
  CHECK_THAT(error_of({{"platform={npu: h100, fat_tree: 16}"}}),
             Catch::Contains("write how many servers and which, fat_tree: {nodes: 16, node: "
                             "hgx-h100}") &&
                 Catch::Contains("fat_tree: {nodes: 16, bandwidth: 50 GB/s}"));
  CHECK_THAT(error_of({{"platform={npu: h100, ring: 16}"}}),
             Catch::Contains("write platform.torus: {sizes: [16], bandwidth: 50 GB/s}"));
}

// The keys of each builder by both of their names; servers, which are no builder, keep theirs.
TEST_CASE("a network that stands in the platform itself is changed by the name that stands there") {
  const auto npus = [](const std::string& platform, const std::string& setting) {
    return Topology(load_experiment(minimal, {{"platform=" + platform}, {"platform." + setting}})
                        .topology)
        .npu_count();
  };
  for (const auto& [network, setting, expected] :
       std::initializer_list<std::tuple<std::string, std::string, int>>{
           {"leaf_spine: {nodes: 4, bandwidth: 50 GB/s}", "leaf_spine.nodes=8", 8},
           {"rail: {nodes: 4, node: hgx-h100}", "rail.nodes=8", 64},
           {"fat_tree: {nodes: 4, bandwidth: 50 GB/s}", "fat_tree.nodes=8", 8},
           {"hyperx: {sizes: [4, 4], plugs: 1, bandwidth: 50 GB/s}", "hyperx.sizes=[2, 4]", 8},
           {"dragonfly: {plugs: 1, routers: 4, globals: 1, bandwidth: 50 GB/s}",
            "dragonfly.groups=2", 8},
           {"npu: tpu-v5p, torus: {sizes: [4, 4]}", "torus.sizes=[2, 4]", 8},
           {"npu: tpu-v5p, torus: 4x4", "torus=2x4", 8},
           {"npu: tpu-v5p, torus: 4x4", "torus.sizes[0]=2", 8}}) {
    INFO(network << " " << setting);
    CHECK(npus(fmt::format("{{{}}}", network), setting) == expected);
    CHECK(npus(fmt::format("{{{}}}", network), "topology." + setting) == expected);
  }
  // Another network is another topology: the file has one already.
  CHECK_THAT(error_of({{"platform={npu: tpu-v5p, torus: 4x4}"}, {"platform.rail.nodes=4"}}),
             Catch::Contains("exclude each other"));
}

TEST_CASE("a collective that is no whole workload is answered with orrery coll") {
  CHECK_THAT(error_of({{"workload={broadcast: 256 MB}"}}),
             Catch::Contains("orrery coll --platform FILE --op broadcast --size 256M"));
}

TEST_CASE("a value that is another key's is answered with that key") {
  CHECK_THAT(error_of({{"network=roce"}}), Catch::Contains("write network.transport: roce"));
  CHECK_THAT(error_of({{"workload={transformer: llama3-8b, training: {sharding: fsdp}}"}}),
             Catch::Contains("write workload.training.sharding: zero3"));
}

TEST_CASE("keys are set beside what a name stands for") {
  const Experiment experiment =
      load_experiment(minimal, {{"platform.npu=h100"}, {"platform.npu.memory=40 GB"}});
  CHECK(experiment.npu.preset == "h100");
  CHECK(experiment.npu.memory == bytes(40'000'000'000));
}

TEST_CASE("a name stands for the file of a part of the experiment") {
  CHECK(load_experiment(minimal, {{"platform=dgx-h100"}}).topology.levels.front().size == 8);
}

// 4,800 Gb/s of a TPU v5p are six links of 100 GB/s.
TEST_CASE("a TPU brings the links of its torus") {
  const std::string torus = "platform={topology: {torus: {sizes: [4, 4, 4]}}, npu: ";
  const Experiment tpu = load_experiment(minimal, {{torus + "tpu-v5p}"}});
  CHECK(tpu.topology.levels.at(2).bandwidth == gigabytes_per_second(100));
  const Experiment slower = load_experiment(
      minimal, {{torus + "tpu-v4}"}, {"platform.topology.torus.bandwidth=10 GB/s"}});
  CHECK(slower.topology.levels.at(0).bandwidth == gigabytes_per_second(10));
  CHECK_THAT(error_of({{torus + "h100}"}}),
             Catch::Contains("(or name a TPU, such as npu: tpu-v5p)"));
}

TEST_CASE("a name of another section is answered with that section") {
  CHECK_THAT(error_of({{"workload.layers={preset: mixtral-8x7b}"}}),
             Catch::Contains("write workload.transformer: mixtral-8x7b"));
  CHECK_THAT(error_of({{"platform.npu=h1000"}}), Catch::Contains("did you mean"));
}

TEST_CASE("a name in a map of its own is answered with the name alone") {
  const std::string wrong = error_of({{"platform={name: dgx-h100}"}});
  CHECK_THAT(wrong, Catch::Contains("unknown key \"name\": write platform: dgx-h100"));
  CHECK_THAT(wrong, !Catch::Contains("missing"));
}

TEST_CASE("a model in the map of a transformer is answered with the name alone") {
  const std::string wrong = error_of({{"workload={transformer: {model: Llama-3-8B}}"}});
  CHECK_THAT(wrong, Catch::Contains("unknown key \"model\": write transformer: llama3-8b"));
  CHECK_THAT(wrong, !Catch::Contains("hidden"));
}

TEST_CASE("a map without what a preset has is one mistake") {
  const std::string wrong = error_of({{"workload={transformer: {layers: 4}}"}});
  CHECK_THAT(wrong, Catch::Contains("the keys hidden, heads, vocabulary, sequence are missing"));
  CHECK_THAT(wrong, Catch::Contains("name a preset"));
}

TEST_CASE("what stands under another name is not missing as well") {
  for (const char* wrong : {"workload={dlrm: dlrm-dcnv2}", "platform={npu: h100, num_nodes: 16}",
                            "platform={npu: h100, ring: 16}", "workload={broadcast: 4 MB}",
                            "platform={topology: {switch: 16}}"}) {
    INFO(wrong);
    const std::string told = error_of({{wrong}});
    CHECK_THAT(told, Catch::Contains("unknown key") && !Catch::Contains("missing"));
  }
}

// A TPU v4 has links of 50 GB/s.
TEST_CASE("levels stand in the platform itself") {
  const Experiment experiment = load_experiment(
      minimal, {{"platform={levels: [{kind: ring, size: 4, bandwidth: 50 GB/s}]}"}});
  REQUIRE(experiment.topology.levels.size() == 1);
  CHECK(experiment.topology.levels[0].kind == LevelKind::ring);
}

TEST_CASE("sizes in the place of a torus are its sizes") {
  for (const char* torus : {"16x8", "16*8", "[16, 8]", "{sizes: [16, 8]}", "{sizes: 16x8}"}) {
    const Experiment experiment = load_experiment(
        minimal, {{std::string("platform={npu: tpu-v4, topology: {torus: ") + torus + "}}"},
                  {"workload={transformer: llama3-8b}"}});
    REQUIRE(experiment.topology.levels.size() == 2);
    CHECK(experiment.topology.levels[0].size == 16);
    CHECK(experiment.topology.levels[1].size == 8);
    CHECK(experiment.topology.levels[1].bandwidth == gigabytes_per_second(50));
  }
  CHECK_THAT(error_of({{"platform={npu: tpu-v4, topology: {torus: 16xx8}}"}}),
             Catch::Contains("platform.topology.torus.sizes[1]"));
}

TEST_CASE("keys of the transformer stand with its name in any of these ways") {
  const std::string platform = "platform={server: hgx-h100, nodes: 2}";
  for (const char* workload :
       {"{model: llama-3.1-8b, sequence: 32768}", "{transformer: llama3-8b, sequence: 32768}",
        "{sequence: 32768, model: {preset: llama3-8b}}",
        "{model: llama-3.1-8b, transformer: {sequence: 32768}}",
        "{model: {preset: Llama-3-8B, sequence: 32768}}"}) {
    CAPTURE(workload);
    const Experiment experiment =
        load_experiment(minimal, {{platform}, {std::string("workload=") + workload}});
    const auto& job = std::get<TransformerWorkload>(experiment.workload.what);
    CHECK(job.model.layers == 32);
    CHECK(job.model.sequence == 32'768);
  }
  const Experiment option = load_experiment(
      minimal, {{platform}, {"workload={model: llama3-8b}"}, {"workload.sequence=16384"}});
  CHECK(std::get<TransformerWorkload>(option.workload.what).model.sequence == 16'384);
}

TEST_CASE("how ranks share a transformer may stand beside its name") {
  const std::string platform = "platform={server: hgx-h100, nodes: 8}";
  const std::string whole =
      "{model: llama3-70b, training: {tensor: 8, pipeline: 4, global_batch: 64, sharding: zero1}}";
  const auto training_of = [&](const std::string& workload, const std::string& option) {
    const Experiment experiment =
        load_experiment(minimal, {{platform}, {"workload=" + workload}, {option}});
    return std::get<TransformerWorkload>(experiment.workload.what).training;
  };
  const auto expected = training_of(whole, "workload.iterations=2");
  for (const char* workload :
       {"{model: llama3-70b, tensor: 8, pipeline: 4, global_batch: 64, sharding: zero1}",
        "{sharding: zero1, tensor: 8, transformer: llama3-70b, "
        "training: {pipeline: 4, global_batch: 64}}"}) {
    CAPTURE(workload);
    const auto training = training_of(workload, "workload.iterations=2");
    CHECK(training.tensor == expected.tensor);
    CHECK(training.pipeline == expected.pipeline);
    CHECK(training.global_batch == expected.global_batch);
    CHECK(training.sharding == expected.sharding);
  }
  CHECK(training_of("{model: llama3-70b, pipeline: 4}", "workload.tensor=2").tensor == 2);
  CHECK(training_of("{model: llama3-70b, tensor: 4}", "workload.tensor=2").tensor == 2);
  // Twice the same, and what a model that is no transformer does not have.
  CHECK_THAT(
      error_of({{platform}, {"workload={model: llama3-8b, tensor: 8, training: {tensor: 4}}"}}),
      Catch::Contains("workload.training.tensor"));
  CHECK_THAT(error_of({{platform}, {"workload={model: dlrm-dcnv2, tensor: 8}"}}),
             Catch::Contains("tensor"));
}

TEST_CASE("the remedy of an unknown model is that of transformers, unless it is of another kind") {
  const std::string config = "any other model is read from its config.json";
  CHECK_THAT(error_of({{"workload={model: bloom-176b, training: {tensor: 8}}"}}),
             Catch::Contains(config) && !Catch::Contains("has no meaning"));
  CHECK_THAT(error_of({{"workload={model: dlrm-hoti21}"}}),
             Catch::Contains("workload.model") && Catch::Contains("dlrm-hoti20"));
}

TEST_CASE("the name of a model is a workload") {
  CHECK(std::holds_alternative<TransformerWorkload>(
      load_experiment(minimal, {{"platform=dgx-h100"}, {"workload=Llama-3-8B"}}).workload.what));
  CHECK(std::holds_alternative<DlrmSpec>(
      load_experiment(minimal, {{"platform=dgx-h100"}, {"workload=dlrm-dcnv2"}}).workload.what));
  CHECK_THAT(error_of({{"workload=llama9-1b"}}), Catch::Contains("did you mean"));
}

TEST_CASE("a model with experts is known without the parameters in use") {
  const Experiment experiment =
      load_experiment(minimal, {{"platform={topology: {rail: {nodes: 16, node: hgx-h200}}}"},
                                {"workload={transformer: Qwen3-235B}"}});
  CHECK(std::get<TransformerWorkload>(experiment.workload.what).model.layers == 94);
}

TEST_CASE("words are written as people write them") {
  const Experiment experiment = load_experiment(
      minimal,
      {{"network.backend=packet"},
       {"network.transport={kind: RoCE, congestion_control: DCQCN, recovery: Go_Back_N}"}});
  CHECK(experiment.network.transport.kind == TransportKind::roce);
  CHECK(experiment.network.transport.congestion_control == "dcqcn");
  CHECK(error_of({{"network.transport=DCQQN"}}).find("is unknown here") != std::string::npos);
  CHECK(error_of({{"network.transport=dcqcn"}})
            .find("write network.transport: {kind: roce, congestion_control: dcqcn}") !=
        std::string::npos);
}

TEST_CASE("an algorithm stands for the section of its collective") {
  const auto algorithms = [](const char* setting) {
    const SystemSpec system = load_experiment(minimal, {{setting}}).system;
    return system.collectives[static_cast<std::size_t>(Collective::all_reduce)].algorithms;
  };
  for (const char* setting :
       {"system.all_reduce=halving_doubling", "system.all_reduce={algorithms: halving_doubling}"}) {
    REQUIRE(algorithms(setting).size() == 1);
    CHECK(algorithms(setting)[0].name == "halving_doubling");
  }
}

TEST_CASE("the batch of a model of layers may stand beside its name") {
  const Experiment experiment =
      load_experiment(minimal, {{"platform=dgx-a100"}, {"workload={model: resnet50, batch: 48}"}});
  const auto* stack = std::get_if<StackTraining>(&experiment.workload.what);
  REQUIRE(stack != nullptr);
  CHECK(stack->batch == 48);
}

TEST_CASE("a taper is a number, or that to one") {
  const auto error = [](const std::string& platform) {
    return error_of({{"platform=" + platform}});
  };
  for (const std::string servers : {"{nodes: 6, server: hgx-h100, ", "{servers: 6, server: h100, "})
    for (const std::string taper :
         {"oversubscription: 3:1}", "fat_tree: {oversubscription: 3:1}}",
          "fat_tree: {oversubscription: [3:1]}}", "leaf_spine: {oversubscription: 3:1}}",
          "fat_tree: {oversubscription: 3}}"})
      CHECK(error(servers + taper).empty());
  CHECK_FALSE(error("{nodes: 6, server: hgx-h100, oversubscription: 3:2}").empty());
}

TEST_CASE("servers are not counted where the network says how many there are") {
  CHECK(error_of({{"platform={nodes: 4, dragonfly: {plugs: 4, routers: 4, globals: 2}}"}})
            .find("platform.nodes: `dragonfly` says how many there are: leave it out") !=
        std::string::npos);
  CHECK_THAT(error_of({{"platform={dragonfly: {nodes: 6, plugs: 4, routers: 4, globals: 2}}"}}),
             Catch::Contains("dragonfly.nodes: `dragonfly` says how many there are: leave it out"));
}

// What newcomers wrote, and were led in a circle.
TEST_CASE("answers to keys in the wrong place can be written as they stand") {
  const Override model{"workload={transformer: llama3-8b, training: {sequence: 32768}}"};
  const std::string sequence = error_of({model});
  CHECK_THAT(sequence, Catch::Contains("write workload.sequence") &&
                           !Catch::Contains("workload.transformer.sequence"));
  CHECK_THAT(error_of({{"platform.straggler=3"}}),
             Catch::Contains("write platform.npu.stragglers: [{ranks: [3], slowdown: 2}]"));
  CHECK_THAT(error_of({{"platform={nodes: 4, dragonfly: {plugs: 4, routers: 4, globals: 2}}"}}),
             Catch::Contains("plugs x routers x groups, and groups is"));
}

// 48 NPUs whose division is misspelt: that 100 samples are no multiple of 48 is not known to
// matter.
TEST_CASE("a batch is not measured by ranks that another mistake leaves open") {
  const auto error = [](const std::string& keys) {
    return error_of({{"platform={nodes: 6, server: hgx-h200}"},
                     {"workload={transformer: llama3-70b, " + keys + "}"}});
  };
  CHECK_THAT(error("tensr: 8, global_batch: 100"),
             Catch::Contains("unknown key \"tensr\"") && !Catch::Contains("multiple"));
  CHECK_THAT(error("global_batch: abc"), Catch::Contains("\"abc\" is not a whole number"));
  CHECK_THAT(error("tensor: 8, global_batch: 100"), Catch::Contains("multiple of 6"));
}

TEST_CASE("a key of another map of the section is answered with its path") {
  CHECK_THAT(error_of({{"workload.global_batch=256"}}),
             Catch::Contains("write workload.model.global_batch or "
                             "workload.training.global_batch"));
  CHECK_THAT(error_of({{"workload.tensor=8"}}), Catch::Contains("write workload.training.tensor"));
}

TEST_CASE("the schema lets names stand where the reader does") {
  for (const KeyEntry& key : key_reference()) {
    INFO(key.path);
    if (key.path == "platform.npu.efficiency") continue;  // or `none`
    const bool stands = !yaml::key_of_name(key.path, "a.yaml").empty();
    CHECK((key.type == "map, or a name") == stands);
  }
  CHECK(yaml::key_of_name("workload.transformer", "models/config.json") == "file");
  CHECK(yaml::key_of_name("workload.transformer", "llama3-70b") == "preset");
}

}  // namespace
}  // namespace orrery
