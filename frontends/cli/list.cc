#include <fmt/format.h>

#include <stdexcept>

#include "core/units/unit_text.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/named_examples.h"
#include "frontends/yaml/bundled_platforms.h"
#include "frontends/yaml/load_experiment.h"
#include "network/backends.h"
#include "network/packet/transports.h"
#include "network/topology/builders/server_presets.h"
#include "network/transport_presets.h"
#include "network/transport_spec.h"
#include "report/text_table.h"
#include "system/collective_algorithm.h"
#include "system/npu_presets.h"
#include "workload/model_presets.h"

namespace orrery::cli {

namespace {

constexpr auto left = TextTable::Align::left;

std::string traits_text(const BackendTraits& traits) {
  return fmt::format("({}; {})",
                     traits.shares_links ? "messages share links inside the fabric"
                                         : "messages never slow each other down inside the fabric",
                     traits.folds ? "one rank may stand for many" : "every rank is simulated");
}

std::string backends() {
  TextTable table({{"  network.backend", left}, {"", left}});
  for (const BackendEntry& entry : builtin_backends()) {
    table.add_row({fmt::format("  {}", entry.name), std::string(entry.sentence)});
    table.add_row({"", traits_text(*entry.traits)});
  }
  if (find_backend("ns3") == nullptr) {
    table.add_row(
        {"  (packet, ns3)", "not in this build: install libns3-dev (3.37) and build again"});
  }
  return table.text();
}

std::string transport_kinds_text() {
  TextTable table({{"  network.transport.kind", left}, {"", left}});
  for (const TransportEntry& entry : packet_transports()) {
    table.add_row({fmt::format("  {}", entry.name), std::string(entry.sentence)});
    if (entry.make == nullptr)
      table.add_row({"", "(not in this build: install libns3-dev (3.37) and build again)"});
  }
  table.add_row({"  ideal",
                 "no packets: the model that network.transport.ideal names, analytical "
                 "or fluid; the default inside a node"});
  return table.text();
}

std::string transports() {
  TextTable controls({{"  network.transport.congestion_control", left}, {"of tcp", left}});
  for (const CongestionControlEntry& entry : congestion_controls()) {
    controls.add_row({fmt::format("  {}", entry.name), std::string(entry.sentence)});
  }
  TextTable roce({{"  network.transport.congestion_control", left}, {"of roce", left}});
  for (const CongestionControlEntry& entry : roce_control_sentences())
    roce.add_row({fmt::format("  {}", entry.name), std::string(entry.sentence)});
  TextTable recoveries({{"  network.transport.recovery", left}, {"of roce", left}});
  for (const CongestionControlEntry& entry : roce_recovery_sentences())
    recoveries.add_row({fmt::format("  {}", entry.name), std::string(entry.sentence)});
  TextTable presets({{"  network.transport.preset", left}, {"", left}});
  for (const TransportPreset& preset : transport_presets()) {
    presets.add_row({fmt::format("  {}", preset.name), std::string(preset.sentence)});
  }
  return transport_kinds_text() + '\n' + controls.text() + '\n' + roce.text() + '\n' +
         recoveries.text() + '\n' + presets.text();
}

std::string algorithms() {
  TextTable table({{"  system.algorithms", left}, {"", left}});
  for (const AlgorithmEntry& entry : builtin_algorithms()) {
    table.add_row({fmt::format("  {}", entry.name), std::string(entry.sentence)});
  }
  table.add_row({"  auto", "of these, the ones with the least predicted time, call by call"});
  table.add_row({"  tree", "another name of double_binary_tree"});
  return table.text();
}

// The files may be a user's own: one that cannot be read does not prevent the list of the others.
template <class Describe>
std::string bundled(const char* heading, const std::vector<yaml::BundledFile>& files,
                    Describe describe) {
  TextTable table({{heading, left}, {"", left}});
  for (const yaml::BundledFile& file : files) {
    std::string sentence = "cannot be read: orrery validate, with it in an experiment, says why";
    try {
      sentence = describe(file.file);
    } catch (const std::runtime_error&) {
    }
    table.add_row({fmt::format("  {}", file.name), sentence});
  }
  return table.text();
}

std::string experts_text(const ExpertsSpec& experts) {
  if (experts.count == 0) return "";
  const std::string shared =
      experts.shared > 0 ? fmt::format(" and {} shared", experts.shared) : std::string();
  return fmt::format(", {} of {} experts{}", experts.top_k, experts.count, shared);
}

std::string presets() {
  TextTable npus({{"  platform.npu.preset", left}, {"", left}});
  for (const NpuPreset& preset : npu_presets()) {
    npus.add_row(
        {fmt::format("  {}", preset.name), fmt::format("{} (fp16), memory {}", to_text(preset.peak),
                                                       to_text(preset.memory_bandwidth))});
  }
  TextTable servers({{"  node.preset, of a network", left}, {"", left}});
  for (const ServerPreset& preset : server_presets()) {
    const NodeSpec& server = preset.server;
    servers.add_row(
        {fmt::format("  {}", preset.name),
         fmt::format("{} of {}, inside: {} of {} a link; {} NICs{} on {}", server.npus, preset.npu,
                     name_of(server.inside), to_text(server.link.bandwidth), server.nics,
                     preset.nic ? " of " + to_text(*preset.nic) : std::string(),
                     to_text(server.bus.bandwidth))});
  }
  TextTable models({{"  workload.model.preset", left}, {"", left}});
  for (const DlrmPreset& preset : dlrm_presets()) {
    const DlrmSpec& spec = preset.spec;
    models.add_row({fmt::format("  {}", preset.name),
                    fmt::format("DLRM: {} tables, bottom MLP of {} layers, top MLP of {}, global "
                                "batch {}",
                                spec.sparse_features, spec.bottom_mlp.size(), spec.top_mlp.size(),
                                spec.global_batch)});
  }
  TextTable stacks({{"  workload.layers.preset", left}, {"", left}});
  for (const StackPreset& preset : stack_presets()) {
    std::int64_t parameters = 0;
    const LayerStack layers = preset.make();
    for (const StackLayer& layer : layers) parameters += layer.parameters;
    stacks.add_row({fmt::format("  {}", preset.name),
                    fmt::format("{} layers, {} parameters", layers.size(), parameters)});
  }
  TextTable transformers({{"  workload.transformer.preset", left}, {"", left}});
  for (const TransformerPreset& preset : transformer_presets()) {
    const TransformerSpec& spec = preset.spec;
    transformers.add_row({fmt::format("  {}", preset.name),
                          fmt::format("{} layers of {}, {} heads, vocabulary {}, sequence {}{}",
                                      spec.layers, spec.hidden, spec.heads, spec.vocabulary,
                                      spec.sequence, experts_text(spec.experts))});
  }
  return npus.text() + '\n' + servers.text() + '\n' +
         bundled("  platform.npu.efficiency.preset", yaml::bundled_efficiencies(),
                 describe_efficiency) +
         '\n' + models.text() + '\n' + stacks.text() + '\n' + transformers.text();
}

std::string platforms() {
  return bundled("  --platform", yaml::bundled_platforms(),
                 [](const std::string& file) { return load_cluster(file, {}).description; });
}

std::string examples() {
  TextTable table({{"  run, compare", left}, {"", left}});
  for (const std::string& name : example_names())
    table.add_row({fmt::format("  {}", name), example_title(name)});
  return table.text();
}

struct Topic {
  const char* name;
  const char* heading;
  std::string (*text)();
};
constexpr Topic topics[] = {
    {"backends", "Backends: how long a message takes", backends},
    {"transports", "Transports: what carries messages over packet backends", transports},
    {"algorithms", "Collective algorithms: who sends what to whom", algorithms},
    {"presets", "Presets: devices and models by name", presets},
    {"platforms", "Platforms: for coll, and as platform: {file: NAME}", platforms},
    {"examples", "Examples: orrery run NAME, orrery compare NAME", examples},
};

}  // namespace

ExitCode list(const std::string& topic, const Terminal& terminal) {
  bool first = true;
  for (const Topic& known : topics) {
    if (!topic.empty() && topic != known.name) continue;
    terminal.out << (first ? "" : "\n") << known.heading << "\n\n"
                 << wrapped_text(known.text(), terminal.width);
    first = false;
  }
  return ok;
}

}  // namespace orrery::cli
