#include "frontends/yaml/describe_training.h"

#include "workload/problems.h"

namespace orrery::yaml {

namespace {

// A size that is missing or wrong is 0.
bool has_its_sizes(const TransformerSpec& model) {
  return model.layers > 0 && model.hidden > 0 && model.heads > 0 && model.vocabulary > 0 &&
         model.sequence > 0;
}

}  // namespace

void check_training(Reader& training, TransformerTraining& spec, const TransformerSpec& model,
                    const PlatformFacts& platform) {
  if (!training.clean() || !has_its_sizes(model)) return;
  // Without it one is assumed, if nothing else is wrong: for several jobs, with their NPUs.
  if (!training.given("global_batch")) {
    if (training.path() != "workload.training" && platform.known)
      training.wrong_map("the key \"global_batch\" is missing", "samples of an iteration");
    return;
  }
  if (spec.data == 0 && !platform.known) return;  // nor are the ranks
  if (spec.data == 0) spec.data = data_ranks(spec, platform);
  training.report(problems_of(spec, model, platform));
  training.report_given(idle_settings(spec, model));
}

}  // namespace orrery::yaml
