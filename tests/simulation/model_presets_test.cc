// Parameters of the presets against what is published, and of what a config.json describes.
#include <catch2/catch.hpp>
#include <string>

#include "frontends/yaml/load_experiment.h"
#include "tests/paths.h"
#include "workload/model_presets.h"
#include "workload/parallelism/stage_layout.h"

using namespace orrery;

namespace {

struct Parameters {
  double all, active;  // in thousand millions
};

Parameters parameters_of(TransformerSpec model) {
  model.element = Bytes{2};
  TransformerWorkload workload{model, {}};
  workload.training.global_batch = 1;
  const auto dense = static_cast<double>(stage_layout(workload, 0).parameters);
  const auto experts = static_cast<double>(stage_layout(workload, 0, Kept::by_experts).parameters);
  const double part = model.experts.count > 0 ? static_cast<double>(model.experts.top_k) /
                                                    static_cast<double>(model.experts.count)
                                              : 0;
  return {(dense + experts) * 1e-9, (dense + experts * part) * 1e-9};
}

TransformerSpec preset(const std::string& name) {
  for (const TransformerPreset& preset : transformer_presets())
    if (preset.name == name) return preset.spec;
  throw std::runtime_error("no preset " + name);
}

}  // namespace

// Names and reports round to what is shown; learned positions and biases of GPT and BERT are left
// out (0.5 M of BERT's 340 M).
TEST_CASE("parameters of the presets") {
  const std::pair<std::string, double> published[] = {
      {"gpt-7.5b", 7.5},       {"gpt-18b", 18.4},        {"gpt3-175b", 175},
      {"gpt-530b", 529.6},     {"gpt-1t", 1008},         {"llama2-7b", 6.74},
      {"llama2-13b", 13.02},   {"llama2-70b", 68.98},    {"llama3-8b", 8.03},
      {"llama3-70b", 70.55},   {"llama3-405b", 405.85},  {"nemotron-15b", 15.6},
      {"nemotron-340b", 341},  {"mixtral-8x7b", 46.7},   {"mixtral-8x22b", 140.6},
      {"grok-1", 314},         {"deepseek-v3", 671},     {"bert-large", 0.336},
      {"gpt3-6.7b", 6.7},      {"gpt3-13b", 12.85},      {"mistral-7b", 7.24},
      {"qwen2.5-7b", 7.61},    {"qwen2.5-32b", 32.5},    {"qwen2.5-72b", 72.7},
      {"qwen3-30b-a3b", 30.5}, {"qwen3-235b-a22b", 235}, {"gpt2-xl", 1.558},
      {"llama3.2-1b", 1.24},   {"llama3.2-3b", 3.21},    {"qwen2.5-14b", 14.7},
      {"qwen3-8b", 8.2},       {"qwen3-14b", 14.8},      {"qwen3-32b", 32.8}};
  for (const auto& [name, expected] : published) {
    INFO(name);
    CHECK(parameters_of(preset(name)).all == Approx(expected).epsilon(0.01));
  }
}

// Mixtral: 12.9 (paper, section 2.1) and 39; DeepSeek-V3: 37 (abstract); Qwen3: 3.3 and 22 (its
// report, section 2).
TEST_CASE("parameters that work on a token") {
  // arXiv 2507.20534, table 2: 1.04 T and 32.6; without what predicts further tokens.
  CHECK(parameters_of(preset("kimi-k2")).active == Approx(32.6).epsilon(0.01));
  CHECK(parameters_of(preset("kimi-k2")).all == Approx(1040).epsilon(0.02));
  CHECK(parameters_of(preset("mixtral-8x7b")).active == Approx(12.9).epsilon(0.01));
  CHECK(parameters_of(preset("mixtral-8x22b")).active == Approx(39.1).epsilon(0.01));
  CHECK(parameters_of(preset("deepseek-v3")).active == Approx(37).epsilon(0.02));
  CHECK(parameters_of(preset("qwen3-30b-a3b")).active == Approx(3.3).epsilon(0.02));
  CHECK(parameters_of(preset("qwen3-235b-a22b")).active == Approx(22).epsilon(0.02));
}

TEST_CASE("a config.json describes the same model as the preset") {
  const std::string folder = source_folder() + "/tests/frontends/yaml/good/";
  const auto shape_of = [&](const std::string& file) {
    const Experiment experiment = load_experiment(folder + file, {});
    return std::get<TransformerWorkload>(experiment.workload.what).model;
  };
  const TransformerSpec mixtral = shape_of("config_mixtral.yaml");
  CHECK(parameters_of(mixtral).all == Approx(parameters_of(preset("mixtral-8x7b")).all));
  CHECK(mixtral.gated);
  CHECK_FALSE(mixtral.tied_embeddings);
  CHECK(mixtral.experts.top_k == 2);
  CHECK(mixtral.sequence == 4'096);  // beside the file; the model allows 32,768
  const TransformerSpec deepseek = shape_of("config_deepseek.yaml");
  CHECK(parameters_of(deepseek).all == Approx(parameters_of(preset("deepseek-v3")).all));
  CHECK(deepseek.latent->rotary == 64);
  CHECK(deepseek.experts.first_dense == 3);
  CHECK(deepseek.experts.group_limit == 4);
}
