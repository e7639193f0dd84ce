// The training loops of ASTRA-sim 1.0 (S. Rashidi et al., ISPASS 2020), written out as one program
// that every rank runs; docs/models/training-loops.md.
#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "workload/graph/program.h"
#include "workload/parallelism/involved_levels.h"
#include "workload/workload.h"

namespace orrery {

namespace {

// Writes the program line by line.
class LoopWriter {
 public:
  // `involved`: of all layers; of hybrid_customized, of each layer.
  LoopWriter(const LayerTable& table, const std::vector<InvolvedLevels>& involved,
             std::int32_t ranks, std::int32_t iterations);

  void write();

  std::vector<Communicator> communicators;
  std::vector<Label> labels;
  std::vector<Operation> operations;

 private:
  // Collectives that are issued and that nothing has waited for.
  struct Issued {
    OperationId operation;
    std::int32_t label;
  };
  using Pending = std::vector<Issued>;

  std::int32_t add_communicator(const std::string& name, const std::vector<int>& levels);
  std::int32_t communicator_over(const std::vector<int>& levels);
  std::int32_t add_communicator(const char* name, std::int32_t count, std::int32_t stride);
  void add_transformer_groups(std::int32_t ranks);
  std::int32_t communicator_of(int layer, const PassSpec& spec, Pass pass) const;
  std::int32_t label_of(int layer, Pass pass) const;
  const PassSpec& pass_of(int layer, Pass pass) const;
  TensorPart tensor_of(int layer, Pass pass) const;

  void compute(int layer, Pass pass);
  void issue(int layer, Pass pass, Pending& pending, Priority priority = Priority::normal);
  void wait_for(Pending& pending);

  void forward();
  void forward_dlrm();
  void backward_data();
  void backward_blocking();
  void backward_dlrm();
  void backward_transformer();
  void forward_again(int layer);
  void micro();
  void drop_unused_labels();

  const LayerTable& table_;
  const int layers_;
  const std::int32_t iterations_;
  std::int32_t iteration_ = 0;
  std::int32_t activation_communicator_ = -1,
               gradient_communicator_ = -1;  // -1 = no one to talk to
  std::int32_t expert_communicator_ = -1, expert_data_communicator_ = -1;
  struct OfLayer {
    std::int32_t activations, gradients;
  };
  std::vector<OfLayer> of_layer_;                         // hybrid_customized
  std::map<std::vector<int>, std::int32_t> over_levels_;  // the same: by the levels
  std::vector<Pending> weight_gradients_;                 // by layer
  Pending embeddings_, embedding_gradients_;              // all-to-alls of a DLRM
};

LoopWriter::LoopWriter(const LayerTable& table, const std::vector<InvolvedLevels>& involved,
                       std::int32_t ranks, std::int32_t iterations)
    : table_(table),
      layers_(static_cast<int>(table.layers.size())),
      iterations_(iterations),
      weight_gradients_(table.layers.size()) {
  if (table.policy == ParallelismPolicy::hybrid_transformer) {
    add_transformer_groups(ranks);
  } else if (table.policy == ParallelismPolicy::hybrid_customized) {
    for (const InvolvedLevels& layer : involved)
      of_layer_.push_back(
          {communicator_over(layer.activations), communicator_over(layer.gradients)});
  } else if (involved.front().activations == involved.front().gradients) {
    activation_communicator_ = gradient_communicator_ =
        add_communicator("world", involved.front().gradients);
  } else {
    activation_communicator_ = add_communicator("model", involved.front().activations);
    gradient_communicator_ = add_communicator("data", involved.front().gradients);
  }
  for (std::int32_t iteration = 0; iteration < iterations; ++iteration) {
    for (const LayerSpec& layer : table.layers) {
      for (const Pass pass : {Pass::forward, Pass::input_gradient, Pass::weight_gradient}) {
        labels.push_back({.layer = layer.name, .iteration = iteration, .pass = pass});
      }
    }
  }
}

std::int32_t LoopWriter::add_communicator(const std::string& name, const std::vector<int>& levels) {
  if (levels.empty()) return -1;
  communicators.push_back({.name = name, .groups = levels});
  return static_cast<std::int32_t>(communicators.size()) - 1;
}

// Layers that speak to the same ranks share it.
std::int32_t LoopWriter::communicator_over(const std::vector<int>& levels) {
  const auto known = over_levels_.find(levels);
  if (known != over_levels_.end()) return known->second;
  std::string name = "level";
  for (const int level : levels) name += ' ' + std::to_string(level);
  return over_levels_[levels] = add_communicator(name, levels);
}

std::int32_t LoopWriter::add_communicator(const char* name, std::int32_t count,
                                          std::int32_t stride) {
  if (count == 1) return -1;
  communicators.push_back({.name = name, .groups = std::vector<Extent>{{count, stride}}});
  return static_cast<std::int32_t>(communicators.size()) - 1;
}

void LoopWriter::add_transformer_groups(std::int32_t ranks) {
  const TransformerGroups& groups = table_.groups;
  const std::int32_t replicas = data_replicas(groups, ranks);
  activation_communicator_ = add_communicator("model", groups.tensor, 1);
  expert_communicator_ = add_communicator("experts", groups.experts, groups.tensor);
  gradient_communicator_ = add_communicator("data", replicas, groups.tensor);
  expert_data_communicator_ =
      add_communicator("expert data", replicas / groups.experts, groups.tensor * groups.experts);
}

std::int32_t LoopWriter::communicator_of(int layer, const PassSpec& spec, Pass pass) const {
  if (!of_layer_.empty())
    return pass == Pass::weight_gradient ? of_layer_[layer].gradients
                                         : of_layer_[layer].activations;
  switch (spec.group) {
    case PassGroup::experts:
      return expert_communicator_;
    case PassGroup::expert_data:
      return expert_data_communicator_;
    case PassGroup::usual:
      break;
  }
  return pass == Pass::weight_gradient ? gradient_communicator_ : activation_communicator_;
}

std::int32_t LoopWriter::label_of(int layer, Pass pass) const {
  const int column = static_cast<int>(pass) - static_cast<int>(Pass::forward);
  return (iteration_ * layers_ + layer) * 3 + column;
}

const PassSpec& LoopWriter::pass_of(int layer, Pass pass) const {
  const LayerSpec& spec = table_.layers[layer];
  if (pass == Pass::forward) return spec.forward;
  return pass == Pass::input_gradient ? spec.input_gradient : spec.weight_gradient;
}

void LoopWriter::compute(int layer, Pass pass) {
  operations.push_back({.id = static_cast<OperationId>(operations.size()),
                        .label = label_of(layer, pass),
                        .what = pass_of(layer, pass).compute});
}

void LoopWriter::issue(int layer, Pass pass, Pending& pending, Priority priority) {
  const PassSpec& spec = pass_of(layer, pass);
  const std::int32_t communicator = communicator_of(layer, spec, pass);
  if (!spec.collective || communicator < 0) return;
  const auto id = static_cast<OperationId>(operations.size());
  const std::int32_t label = label_of(layer, pass);
  operations.push_back({.id = id,
                        .label = label,
                        .what = CollectiveCall{.kind = *spec.collective,
                                               .communicator = communicator,
                                               .size = spec.size,
                                               .priority = priority,
                                               .update = table_.layers[layer].update,
                                               .tensor = tensor_of(layer, pass)}});
  pending.push_back({.operation = id, .label = label});
}

// Gradients that are added up may lose a part.
TensorPart LoopWriter::tensor_of(int layer, Pass pass) const {
  const std::optional<Collective>& kind = pass_of(layer, pass).collective;
  const bool adds = kind == Collective::all_reduce || kind == Collective::reduce_scatter;
  return TensorPart::of(layer, layers_,
                        adds && pass == Pass::weight_gradient ? TensorWay::push : TensorWay::none);
}

// The time that passes in a wait belongs to what was waited for, hence that label.
void LoopWriter::wait_for(Pending& pending) {
  for (const Issued& issued : pending) {
    operations.push_back({.id = static_cast<OperationId>(operations.size()),
                          .label = issued.label,
                          .what = Wait{.operation = issued.operation}});
  }
  pending.clear();
}

void LoopWriter::forward() {
  Pending activations;
  for (int layer = 0; layer < layers_; ++layer) {
    wait_for(weight_gradients_[layer]);
    compute(layer, Pass::forward);
    issue(layer, Pass::forward, activations);
    wait_for(activations);
  }
}

// The exchange of the embeddings runs beside the bottom MLP; the interaction needs both.
void LoopWriter::forward_dlrm() {
  for (int layer = 0; layer < layers_; ++layer) {
    wait_for(weight_gradients_[layer]);
    compute(layer, Pass::forward);
    if (layer == 0) issue(layer, Pass::forward, embeddings_, Priority::highest);
    if (layer == table_.last_bottom_layer) wait_for(embeddings_);
  }
}

// Weight gradient first: its all-reduce runs beside everything that follows.
void LoopWriter::backward_data() {
  for (int layer = layers_ - 1; layer >= 0; --layer) {
    compute(layer, Pass::weight_gradient);
    issue(layer, Pass::weight_gradient, weight_gradients_[layer]);
    if (layer > 0) compute(layer, Pass::input_gradient);
  }
}

// Input gradient first: its exchange, which the layer below needs, runs beside the weight gradient.
void LoopWriter::backward_blocking() {
  Pending input_gradients;
  for (int layer = layers_ - 1; layer >= 0; --layer) {
    if (layer > 0) {
      compute(layer, Pass::input_gradient);
      issue(layer, Pass::input_gradient, input_gradients);
    }
    compute(layer, Pass::weight_gradient);
    issue(layer, Pass::weight_gradient, weight_gradients_[layer]);
    wait_for(input_gradients);
  }
}

void LoopWriter::backward_dlrm() {
  for (int layer = layers_ - 1; layer >= 0; --layer) {
    compute(layer, Pass::weight_gradient);
    issue(layer, Pass::weight_gradient, weight_gradients_[layer]);
    if (layer == 0 && table_.policy == ParallelismPolicy::hybrid_dlrm) {
      wait_for(embedding_gradients_);
    }
    if (layer > 0) compute(layer, Pass::input_gradient);
    if (layer == table_.last_bottom_layer + 1) {
      issue(0, Pass::input_gradient, embedding_gradients_, Priority::highest);
    }
  }
}

// What lies between the layer and the last checkpoint below it was not kept.
void LoopWriter::forward_again(int layer) {
  const auto& checkpoints = table_.groups.checkpoints;
  const auto above = std::upper_bound(checkpoints.begin(), checkpoints.end(), layer);
  if (above == checkpoints.begin()) return;
  Pending activations;
  for (int again = *(above - 1); again < layer; ++again) {
    compute(again, Pass::forward);
    issue(again, Pass::forward, activations);
    wait_for(activations);
  }
}

// Every layer has an input gradient, and its exchange holds the rank before the weight gradient.
void LoopWriter::backward_transformer() {
  const auto& recomputed = table_.groups.recomputed_at;
  Pending input_gradients;
  for (int layer = layers_ - 1; layer >= 0; --layer) {
    if (std::binary_search(recomputed.begin(), recomputed.end(), layer)) forward_again(layer);
    compute(layer, Pass::input_gradient);
    issue(layer, Pass::input_gradient, input_gradients);
    wait_for(input_gradients);
    compute(layer, Pass::weight_gradient);
    issue(layer, Pass::weight_gradient, weight_gradients_[layer]);
  }
}

void LoopWriter::micro() {
  for (int layer = 0; layer < layers_; ++layer) {
    compute(layer, Pass::weight_gradient);
    issue(layer, Pass::weight_gradient, weight_gradients_[layer]);
  }
}

void LoopWriter::write() {
  for (iteration_ = 0; iteration_ < iterations_; ++iteration_) {
    switch (table_.policy) {
      case ParallelismPolicy::micro:
        micro();
        break;
      case ParallelismPolicy::data:
        forward();
        backward_data();
        break;
      case ParallelismPolicy::distributed_inference:
        forward();
        break;
      case ParallelismPolicy::model:
      case ParallelismPolicy::hybrid_data_model:
      case ParallelismPolicy::hybrid_model_data:
      case ParallelismPolicy::hybrid_customized:
        forward();
        backward_blocking();
        break;
      case ParallelismPolicy::hybrid_dlrm:
      case ParallelismPolicy::hybrid_dlrm_enhanced:
        forward_dlrm();
        backward_dlrm();
        break;
      case ParallelismPolicy::hybrid_transformer:
        forward();
        backward_transformer();
        break;
    }
  }
  for (Pending& pending : weight_gradients_) wait_for(pending);
  wait_for(embedding_gradients_);  // empty unless hybrid_dlrm_enhanced left them
  drop_unused_labels();
}

// A policy that never runs a pass has no rows for it.
void LoopWriter::drop_unused_labels() {
  std::vector<std::int32_t> row(labels.size(), -1);
  for (const Operation& operation : operations) row[operation.label] = 0;
  std::vector<Label> used;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (row[i] < 0) continue;
    row[i] = static_cast<std::int32_t>(used.size());
    used.push_back(std::move(labels[i]));
  }
  labels = std::move(used);
  for (Operation& operation : operations) operation.label = row[operation.label];
}

}  // namespace

Job make_training_job(const LayerTable& table, int levels, std::int32_t ranks,
                      const std::vector<int>& dimensions, std::int32_t iterations) {
  std::vector<InvolvedLevels> involved;
  for (const LayerSpec& layer : table.layers)
    involved.push_back(involved_levels(table, layer, levels, dimensions));
  LoopWriter loop(table, involved, ranks, iterations);
  loop.write();

  Job job;
  job.name = "training";
  job.ranks = ranks;
  job.communicators = std::move(loop.communicators);
  job.labels = std::move(loop.labels);
  job.operations = std::make_unique<ProgramSource>(ranks, Program(std::move(loop.operations)));
  return job;
}

}  // namespace orrery
