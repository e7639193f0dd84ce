#include "simulation/result/training_notices.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/units/unit_text.h"
#include "simulation/written.h"
#include "system/npu_presets.h"
#include "workload/problems.h"

namespace orrery {

namespace {

bool goes_round_a_ring(const SystemSpec& system) {
  const CollectiveSpec& spec = system.collectives[static_cast<int>(Collective::all_to_all)];
  return std::ranges::any_of(spec.algorithms,
                             [](const NamedAlgorithm& one) { return one.name == "ring"; });
}

bool exchanges_all_to_all(const TransformerTraining& training) {
  return training.experts.parallel > 1 ||
         (training.context > 1 && (training.context_method == ContextMethod::ulysses ||
                                   training.context_method == ContextMethod::ulysses_ring));
}

bool ignores_rows(const DlrmSpec& model) {
  return !model.embedding_traffic && !model.embedding_lookup_time && !model.embedding_update_time &&
         model.pooling + model.lookups > 0;
}

void add_notices(std::vector<std::string>& notices, const std::string& job,
                 const WorkloadSpec& workload, const SystemSpec& system) {
  const auto add = [&](const char* text) {
    notices.push_back((job.empty() ? "" : "job " + job + ": ") + text);
  };
  if (const auto* model = std::get_if<DlrmSpec>(&workload.what);
      model != nullptr && ignores_rows(*model))
    add("look-ups of the embedding tables take no time, whatever pooling is: write "
        "embedding_traffic: true in the model, or their embedding_lookup_time");
  const auto* transformer = std::get_if<TransformerWorkload>(&workload.what);
  if (transformer == nullptr) return;
  if (transformer->training.recompute == Recompute::selective &&
      transformer->model.attention == AttentionKernel::flash)
    add("recompute: selective costs and saves nothing with attention: flash, whose backward pass "
        "always computes scores again; write attention: unfused for software without such a "
        "kernel");
  if (transformer->training.post_validation && workload.iterations == 1)
    add("post_validation: true changes nothing in one iteration: what does not wait is the next "
        "one; write iterations: 4 or so in workload");
  if (exchanges_all_to_all(transformer->training) && goes_round_a_ring(system))
    add("all-to-alls of the training go round a ring, from rank to rank, which no library does; "
        "write all_to_all: {algorithms: direct} in system");
}

bool has_transformer(const WorkloadSpec& workload) {
  if (const auto* several = std::get_if<JobsSpec>(&workload.what))
    return std::ranges::any_of(
        several->jobs, [](const PlacedWorkload& job) { return has_transformer(job.workload); });
  return std::holds_alternative<TransformerWorkload>(workload.what);
}

bool runs_at_the_peak(const NpuSpec& npu) {
  const Share& matrix = npu.efficiency.matrix;
  return npu.efficiency_in_force.name.empty() && npu.peak > FlopRate{} &&
         matrix.part == matrix.whole && npu.efficiency.products.empty();
}

// Tensor parallelism on wires whose servers hold an NPU each: hardly what is meant.
bool sums_between_servers(const Experiment& experiment) {
  const auto* transformer = std::get_if<TransformerWorkload>(&experiment.workload.what);
  const TopologySpec& topology = experiment.topology;
  return transformer != nullptr && transformer->training.tensor > 1 && topology.graph != nullptr &&
         std::ranges::none_of(topology.levels,
                              [](const LevelSpec& level) { return level.scope == Scope::local; });
}

// A peak that is written, and that is not known to be that of 8-bit products.
bool has_a_peak_of_eight_bits(const Experiment& experiment) {
  const auto* transformer = std::get_if<TransformerWorkload>(&experiment.workload.what);
  if (transformer == nullptr || !transformer->model.eight_bit_products) return false;
  const NpuPreset* known = find_npu_preset(experiment.npu.preset);
  const bool is_known = known != nullptr && known->eight_bit_peak == experiment.npu.peak;
  return !is_known && is_written(experiment, "npu.peak");
}

bool is_in_network(const NamedAlgorithm& algorithm) { return algorithm.name == "in_network"; }

bool adds_in_switches(const CollectiveSpec& spec) {
  return std::ranges::any_of(spec.algorithms, is_in_network) ||
         std::ranges::any_of(spec.ranges, [](const SizeRange& range) {
           return std::ranges::any_of(range.spec.algorithms, is_in_network);
         });
}

// Not of platforms that come with the program.
bool is_of_the_user(const ResolvedValue& value) {
  return is_written(value) && !value.origin.starts_with("orrery:");
}

// Switches that add where no collective lets them: automatic choices never do.
std::string notice_of_idle_switches(const Experiment& experiment) {
  const auto says = std::ranges::find_if(experiment.resolved, [](const ResolvedValue& value) {
    return value.path.ends_with(".in_network_reduction") && value.value == "true" &&
           is_of_the_user(value);
  });
  if (says == experiment.resolved.end() ||
      std::ranges::any_of(experiment.system.collectives, adds_in_switches))
    return "";
  std::string algorithms;
  for (const LevelSpec& level : experiment.topology.levels)
    algorithms += std::string(algorithms.empty() ? "" : ", ") +
                  (level.in_network_reduction ? "in_network" : "ring");
  return fmt::format(
      "{} has no effect, because no collective has the algorithm in_network: write "
      "system.algorithms: [{}]",
      says->path, algorithms);
}

// DeepSeek-AI, "DeepSeek-V3 Technical Report", arXiv 2412.19437, section 2.2.
std::string notice_of_prediction(const Experiment& experiment) {
  const auto says = std::ranges::find_if(experiment.resolved, [](const ResolvedValue& value) {
    return value.path.ends_with("transformer.prediction_layers") && value.value != "0";
  });
  if (says == experiment.resolved.end()) return "";
  return fmt::format(
      "multi-token prediction is not simulated (num_nextn_predict_layers: {} of the config.json): "
      "each of its layers is another layer, a product of 2 hidden x hidden and another head, whose "
      "time and memory are missing",
      says->value);
}

// Megatron-LM divides experts as it does the rest of a layer, unless it is told otherwise.
std::string notice_of_whole_experts(const Experiment& experiment) {
  const auto* transformer = std::get_if<TransformerWorkload>(&experiment.workload.what);
  if (transformer == nullptr || transformer->model.experts.count == 0) return "";
  TransformerTraining divided = transformer->training;
  if (divided.tensor == 1 || divided.experts.tensor > 1 ||
      !is_written(experiment, "training.tensor") ||
      is_written(experiment, "training.expert_tensor"))
    return "";
  divided.experts.tensor = divided.tensor;
  const bool may = problems_of(divided, transformer->model, facts_of(experiment.topology)).empty();
  return fmt::format(
      "tensor: {} does not divide the experts: each rank has whole ones (expert_tensor: 1); {}",
      divided.tensor,
      may ? fmt::format(
                "write expert_tensor: {} to divide them too, as Megatron-LM does by default",
                divided.tensor)
          : "write expert_tensor: 1 if you want that");
}

}  // namespace

std::vector<std::string> training_notices(const Experiment& experiment) {
  std::vector<std::string> notices;
  if (sums_between_servers(experiment))
    notices.emplace_back(
        "tensor-parallel sums cross the network, because a server has one NPU; if NVLink or the "
        "like joins several, name the server beside the network's other keys: node: hgx-h100 "
        "(orrery list presets), or write groups: in a graph of your own");
  if (has_transformer(experiment.workload) && runs_at_the_peak(experiment.npu))
    notices.emplace_back(
        "matrix products run at the peak of the data sheet, which no software reaches: the time is "
        "too short; name a measured efficiency, like platform.npu.efficiency: {preset: h100-2024} "
        "(orrery list presets), or none if you want that");
  if (has_a_peak_of_eight_bits(experiment))
    notices.push_back(fmt::format(
        "platform.npu.peak is taken for the rate of 8-bit products (eight_bit_products), and "
        "products "
        "in 16 bits, such as the head's, run at half of it; if {} is that in 16 bits, write twice "
        "as much",
        to_text(experiment.npu.peak)));
  for (const std::string& one :
       {notice_of_whole_experts(experiment), notice_of_idle_switches(experiment),
        notice_of_prediction(experiment)})
    if (!one.empty()) notices.push_back(one);
  add_notices(notices, "", experiment.workload, experiment.system);
  if (const auto* several = std::get_if<JobsSpec>(&experiment.workload.what))
    for (const PlacedWorkload& job : several->jobs)
      add_notices(notices, job.name, job.workload, experiment.system);
  return notices;
}

std::vector<std::string> system_notices(const SystemSpec& system) {
  const auto has_protocol = [](const CollectiveSpec& spec) {
    const auto names_one = [](const SizeRange& range) {
      return range.spec.protocol != Protocol::none;
    };
    return spec.protocol != Protocol::none || std::ranges::any_of(spec.ranges, names_one);
  };
  if (system.protocols.empty() || std::ranges::any_of(system.collectives, has_protocol)) return {};
  return {
      "no collective pays what its protocol costs: write system.protocol: auto, or one of them"};
}

}  // namespace orrery
