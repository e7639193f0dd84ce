// The keys of `workload.layers` and `workload.data_parallel`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontends/yaml/platform_facts.h"
#include "frontends/yaml/reader.h"
#include "workload/model/layer_stack.h"
#include "workload/model_presets.h"

namespace orrery::yaml {

// Finds the servers; the rules of workload/problems.h.
void check_data_parallel(Reader& keys, StackTraining& training, const OneOrMore<RankRuns>& servers,
                         bool asynchronous, const PlatformFacts& platform);

inline void describe_stack_layer(Keys& keys, StackLayer& layer) {
  constexpr Limits size = between(0, std::int64_t{1} << 40);
  keys.required("name", layer.name, "what reports call the layer");
  keys.required("parameters", layer.parameters, "number of trained parameters",
                between(1, std::int64_t{1} << 40));
  keys.required("multiply_adds", layer.multiply_adds,
                "multiply-adds of the forward pass of a sample", size);
  keys.optional("inputs", layer.inputs, "elements that are read for a sample", size);
  keys.optional("outputs", layer.outputs, "elements that are written for a sample", size);
}

inline void describe_layers(Keys& keys, StackTraining& training) {
  const StackPreset* preset = nullptr;
  std::vector<std::int64_t> widths;
  std::optional<std::int64_t> inputs;
  DataType data_type = DataType::fp16, gradient_type = DataType::fp16;
  keys.exactly_one({"preset", "stack", "widths"},
                   "a published network, a list of layers, or the widths of an MLP");
  keys.preset(stack_presets(), preset, "a published network");
  keys.optional_items(
      "stack", training.layers, "the layers, first to last",
      [](Keys& layer, StackLayer& spec, std::size_t) { describe_stack_layer(layer, spec); });
  keys.optional("widths", widths, "outputs of each layer of an MLP", between(1, 1 << 30));
  keys.optional("inputs", inputs, "inputs of the first layer of an MLP", between(1, 1 << 30));
  keys.only_with({"widths"}, "inputs");
  keys.optional("data_type", data_type, "data type of activations, and of parameters on the wire");
  keys.optional("gradient_type", gradient_type, "data type of gradients when they are exchanged");
  training.element = size_of(data_type);
  training.gradient_element = size_of(gradient_type);
  keys.check([&](Reader& reader) {
    if (preset != nullptr) training.layers = preset->make();
    if (reader.given("widths") && !reader.given("inputs"))
      reader.wrong("widths", "the key \"inputs\" is missing",
                   "say how wide the first layer is fed");
    else if (reader.given("widths"))
      training.layers = multilayer_perceptron(*inputs, widths);
  });
}

inline void describe_data_parallel(Keys& keys, StackTraining& training,
                                   const PlatformFacts& platform) {
  OneOrMore<RankRuns> servers;
  bool asynchronous = false;
  std::int32_t staleness = 0;
  keys.required(
      "batch", training.batch,
      "samples of a worker in an iteration, as in {layers: resnet-50, data_parallel: {batch: 64}}",
      between(1, std::int64_t{1} << 32));
  keys.optional("bucket", training.bucket,
                "least size of the gradients that are exchanged together", positive);
  keys.optional("overlap", training.overlap, "gradients are exchanged beside the backward pass");
  keys.optional("servers", servers,
                "ranks that keep the parameters instead of training: workers push and pull; "
                "without it workers all-reduce");
  keys.optional("staleness", staleness, "iterations that a worker may be ahead of the slowest one",
                between(0, 1 << 20));
  keys.optional("asynchronous", asynchronous, "servers answer at once: no worker waits for others");
  keys.only_with({"servers"}, "staleness");
  keys.only_with({"servers"}, "asynchronous");
  training.staleness = staleness;
  keys.check([&](Reader& reader) {
    check_data_parallel(reader, training, servers, asynchronous, platform);
  });
}

}  // namespace orrery::yaml
