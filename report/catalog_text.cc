#include "report/catalog_text.h"

#include <fmt/format.h>

#include <cstdint>

#include "core/units/unit_text.h"
#include "network/backends.h"
#include "network/packet/transports.h"
#include "network/topology/builders/server_presets.h"
#include "network/transport_presets.h"
#include "network/transport_spec.h"
#include "report/text_table.h"
#include "system/collective_algorithm.h"
#include "system/measured_protocols.h"
#include "system/npu_presets.h"
#include "workload/model_presets.h"

namespace orrery {

namespace {

constexpr std::string_view build_without_ns3 =
    "not in this build: install libns3-dev (3.37) and build again";

// Of a registry, whose entries have a name and a sentence.
template <class Registry>
std::vector<NamedSentence> sentences_of(const Registry& registry) {
  std::vector<NamedSentence> entries;
  for (const auto& entry : registry) entries.emplace_back(entry.name, entry.sentence);
  return entries;
}

// Of presets, whose sentence is made of their values.
template <class Presets, class Describe>
std::vector<NamedSentence> described(const Presets& presets, const Describe& describe) {
  std::vector<NamedSentence> entries;
  for (const auto& preset : presets) entries.emplace_back(preset.name, describe(preset));
  return entries;
}

std::string traits_text(const BackendTraits& traits) {
  return fmt::format("({}; {})",
                     traits.shares_links ? "messages share links inside the fabric"
                                         : "messages never slow each other down inside the fabric",
                     traits.folds ? "one rank may stand for many" : "every rank is simulated");
}

std::string transport_kinds_text() {
  std::vector<NamedSentence> entries;
  for (const TransportEntry& entry : packet_transports()) {
    entries.emplace_back(entry.name, entry.sentence);
    if (entry.make == nullptr) entries.emplace_back("", fmt::format("({})", build_without_ns3));
  }
  entries.emplace_back("ideal",
                       "no packets: the analytical or the fluid model, or that which "
                       "network.transport.ideal names; the default inside a node");
  return table_of_names("network.transport.kind", entries);
}

std::string text_of(const NpuPreset& preset) {
  return fmt::format("{} (fp16), memory {}", to_text(preset.peak),
                     to_text(preset.memory_bandwidth));
}

std::string text_of(const ServerPreset& preset) {
  const NodeSpec& server = preset.server;
  return fmt::format("{} of {}, inside: {} of {} a link; {} NICs{} on {}", server.npus, preset.npu,
                     name_of(server.inside), to_text(server.link.bandwidth), server.nics,
                     preset.nic ? " of " + to_text(*preset.nic) : std::string(),
                     to_text(server.bus.bandwidth));
}

std::string text_of(const MeasuredProtocols& measured) {
  if (measured.sizes == 0) return fmt::format("{}, no curve to compare with", measured.machine);
  return fmt::format("measured on {}; mean error {:.1f} % over {} sizes", measured.machine,
                     measured.error * 100, measured.sizes);
}

std::string text_of(const DlrmPreset& preset) {
  const DlrmSpec& spec = preset.spec;
  return fmt::format("DLRM: {} tables, bottom MLP of {} layers, top MLP of {}, global batch {}",
                     spec.sparse_features, spec.bottom_mlp.size(), spec.top_mlp.size(),
                     spec.global_batch);
}

std::string text_of(const StackPreset& preset) {
  std::int64_t parameters = 0;
  const LayerStack layers = preset.make();
  for (const StackLayer& layer : layers) parameters += layer.parameters;
  return fmt::format("{} layers, {} parameters", layers.size(), parameters);
}

std::string experts_text(const ExpertsSpec& experts) {
  if (experts.count == 0) return "";
  const std::string shared =
      experts.shared > 0 ? fmt::format(" and {} shared", experts.shared) : std::string();
  return fmt::format(", {} of {} experts{}", experts.top_k, experts.count, shared);
}

std::string text_of(const TransformerPreset& preset) {
  const TransformerSpec& spec = preset.spec;
  return fmt::format("{} layers of {}, {} heads, vocabulary {}, sequence {}{}", spec.layers,
                     spec.hidden, spec.heads, spec.vocabulary, spec.sequence,
                     experts_text(spec.experts));
}

constexpr auto sentence_of = [](const auto& preset) { return text_of(preset); };

}  // namespace

std::string table_of_names(std::string_view heading, const std::vector<NamedSentence>& entries,
                           std::string_view what) {
  TextTable table(
      {{fmt::format("  {}", heading), left_aligned}, {std::string(what), left_aligned}});
  for (const auto& [name, sentence] : entries)
    table.add_row({name.empty() ? "" : "  " + name, sentence});
  return table.text();
}

std::string backends_text() {
  std::vector<NamedSentence> entries;
  for (const BackendEntry& entry : builtin_backends()) {
    entries.emplace_back(entry.name, entry.sentence);
    entries.emplace_back("", traits_text(*entry.traits));
  }
  if (find_backend("ns3") == nullptr) entries.emplace_back("(packet, ns3)", build_without_ns3);
  return table_of_names("network.backend", entries);
}

std::string transports_text() {
  constexpr std::string_view control = "network.transport.congestion_control";
  return transport_kinds_text() + '\n' +
         table_of_names(control, sentences_of(congestion_controls()), "of tcp") + '\n' +
         table_of_names(control, sentences_of(roce_control_sentences()), "of roce") + '\n' +
         table_of_names("network.transport.recovery", sentences_of(roce_recovery_sentences()),
                        "of roce") +
         '\n' + table_of_names("network.transport.preset", sentences_of(transport_presets()));
}

std::string algorithms_text() {
  std::vector<NamedSentence> entries = sentences_of(builtin_algorithms());
  entries.emplace_back("auto", "of these, the ones with the least predicted time, call by call");
  entries.emplace_back("tree", "another name of double_binary_tree");
  return table_of_names("system.algorithms", entries);
}

std::string device_presets_text() {
  return table_of_names("platform.npu.preset", described(npu_presets(), sentence_of));
}

std::string server_presets_text() {
  return table_of_names("platform.server", described(server_presets(), sentence_of));
}

std::string library_presets_text() {
  return table_of_names("system.library", described(measured_protocols(), sentence_of));
}

std::string model_presets_text() {
  return table_of_names("workload.model.preset", described(dlrm_presets(), sentence_of)) + '\n' +
         table_of_names("workload.layers.preset", described(stack_presets(), sentence_of)) + '\n' +
         table_of_names("workload.transformer.preset",
                        described(transformer_presets(), sentence_of));
}

}  // namespace orrery
