#include "frontends/yaml/describe_transformer.h"

#include <fmt/format.h>

namespace orrery::yaml {

namespace {

// The largest product of the model: the operations of a whole iteration stay below 2^63.
bool sums_fit(const TransformerSpec& spec) {
  const auto real = [](std::int64_t value) { return static_cast<long double>(value); };
  const long double width = real(spec.hidden) + real(spec.mlp_width()) + real(spec.query_width());
  const long double matrices = width * width * 8 + width * real(spec.vocabulary);
  const long double tokens = real(spec.sequence) * (real(spec.sequence) + 1);
  constexpr long double most = 4.6e18L;  // half of 2^63
  return matrices * real(spec.layers) < most && tokens * width * 10 < most;
}

void divides(Reader& reader, std::string_view key, std::int64_t divisor, std::int64_t number,
             std::string_view what) {
  if (divisor <= 0 || number % divisor == 0) return;
  reader.wrong(key, fmt::format("{} does not divide the {} {}", divisor, number, what),
               fmt::format("choose a divisor of {}", number));
}

// t * p * d = ranks; d may be left out.
void check_ranks(Reader& reader, TransformerTraining& spec, const PlatformFacts& platform) {
  if (!platform.known) return;
  const std::int64_t model_parallel = std::int64_t{spec.tensor} * spec.pipeline;
  if (platform.npus % model_parallel != 0)
    return reader.wrong(spec.pipeline > 1 ? "pipeline" : "tensor",
                        fmt::format("tensor x pipeline = {} does not divide the {} NPUs",
                                    model_parallel, platform.npus),
                        fmt::format("choose sizes whose product divides {}", platform.npus));
  const auto room = static_cast<std::int32_t>(platform.npus / model_parallel);
  if (spec.data == 0) spec.data = room;
  if (spec.data != room)
    reader.wrong("data",
                 fmt::format("tensor x pipeline x data = {} x {} x {} = {}, but the platform has "
                             "{} NPUs",
                             spec.tensor, spec.pipeline, spec.data, model_parallel * spec.data,
                             platform.npus),
                 fmt::format("write data: {}, or leave it out", room));
}

void check_batches(Reader& reader, const TransformerTraining& spec) {
  const std::int64_t at_once = spec.micro_batch * spec.data;
  if (spec.global_batch % at_once != 0)
    return reader.wrong("global_batch",
                        fmt::format("{} samples are not a multiple of micro_batch x data = {} x {}",
                                    spec.global_batch, spec.micro_batch, spec.data),
                        fmt::format("write a multiple of {}, for example {}", at_once,
                                    (spec.global_batch / at_once + 1) * at_once));
  const bool interleaved = spec.schedule == PipelineSchedule::interleaved;
  if (!interleaved && spec.chunks > 1)
    reader.wrong("chunks", fmt::format("the {} schedule has one chunk", name_of(spec.schedule)),
                 "write schedule: interleaved, or leave chunks out");
  if (interleaved && spec.chunks < 2)
    reader.wrong("schedule", "with one chunk, interleaved is 1f1b",
                 "give chunks: 2 or more, or write schedule: 1f1b");
  if (interleaved && spec.micro_batches() % spec.pipeline != 0)
    reader.wrong("global_batch",
                 fmt::format("{} micro-batches in a pipeline of {} stages", spec.micro_batches(),
                             spec.pipeline),
                 "the interleaved schedule takes them in groups of as many as there are stages: "
                 "choose a multiple");
}

}  // namespace

void check_transformer(Reader& model, const TransformerSpec& spec) {
  if (!model.clean()) return;
  if (spec.head_dimension == 0) divides(model, "heads", spec.heads, spec.hidden, "of hidden");
  if (spec.key_value_heads > 0)
    divides(model, "key_value_heads", spec.key_value_heads, spec.heads, "heads");
  if (!sums_fit(spec))
    model.wrong_map("the sizes multiply to more than 9.2e18", "check for a digit too many");
}

void check_training(Reader& training, TransformerTraining& spec, const TransformerSpec& model,
                    const PlatformFacts& platform) {
  if (!training.clean() || model.layers == 0) return;
  check_ranks(training, spec, platform);
  if (!training.clean() || spec.data == 0) return;
  check_batches(training, spec);
  divides(training, "tensor", spec.tensor, model.heads, "attention heads");
  divides(training, "tensor", spec.tensor, model.key_value_width(), "columns of the keys");
  divides(training, "tensor", spec.tensor, model.mlp_width(), "columns of the MLP");
  divides(training, "tensor", spec.tensor, model.vocabulary, "rows of the vocabulary");
  if (spec.sequence_parallel)
    divides(training, "tensor", spec.tensor, spec.micro_batch * model.sequence, "tokens");
  if (spec.sequence_parallel && spec.tensor == 1)
    training.wrong("sequence_parallel", "there is no tensor parallelism to add it to",
                   "give tensor: 2 or more, or leave it out");
  if (model.layers < std::int64_t{spec.pipeline} * spec.chunks)
    training.wrong("pipeline",
                   fmt::format("{} stages of {} chunks for {} layers", spec.pipeline, spec.chunks,
                               model.layers),
                   "each chunk needs a layer");
}

}  // namespace orrery::yaml
