#include "frontends/yaml/describe_training.h"

#include "workload/problems.h"

namespace orrery::yaml {

void check_training(Reader& training, TransformerTraining& spec, const TransformerSpec& model,
                    const PlatformFacts& platform) {
  if (!training.clean()) return;
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
