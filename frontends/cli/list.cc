#include <stdexcept>

#include "frontends/cli/commands.h"
#include "frontends/cli/named_examples.h"
#include "frontends/yaml/bundled_platforms.h"
#include "frontends/yaml/load_experiment.h"
#include "report/catalog_text.h"

namespace orrery::cli {

namespace {

// The files may be a user's own: one that cannot be read does not prevent the list of the others.
template <class Describe>
std::string bundled(const char* heading, const std::vector<yaml::BundledFile>& files,
                    Describe describe) {
  std::vector<NamedSentence> entries;
  for (const yaml::BundledFile& file : files) {
    std::string sentence = "cannot be read: orrery validate, with it in an experiment, says why";
    try {
      sentence = describe(file.file);
    } catch (const std::runtime_error&) {
    }
    entries.emplace_back(file.name, sentence);
  }
  return table_of_names(heading, entries);
}

std::string presets() {
  return device_presets_text() + '\n' + server_presets_text() + '\n' +
         bundled("platform.npu.efficiency.preset", yaml::bundled_efficiencies(),
                 describe_efficiency) +
         '\n' + library_presets_text() + '\n' + model_presets_text();
}

std::string platforms() {
  return bundled("--platform", yaml::bundled_platforms(),
                 [](const std::string& file) { return load_cluster(file, {}).description; });
}

std::string examples() {
  std::vector<NamedSentence> entries;
  for (const std::string& name : example_names()) entries.emplace_back(name, example_title(name));
  return table_of_names("run, compare", entries);
}

struct Topic {
  const char* name;
  const char* heading;
  std::string (*text)();
  bool is_part = false;  // of the presets
};
constexpr Topic topics[] = {
    {"backends", "Backends: how long a message takes", backends_text},
    {"transports", "Transports: what carries messages over packet backends", transports_text},
    {"algorithms", "Collective algorithms: who sends what to whom", algorithms_text},
    {"presets", "Presets: devices and models by name", presets},
    {"devices", "Devices by name", device_presets_text, true},
    {"servers", "Servers: platform: {nodes: 16, server: NAME}", server_presets_text, true},
    {"models", "Models by name", model_presets_text, true},
    {"platforms", "Platforms: for coll, and as platform: {file: NAME}", platforms},
    {"examples", "Examples: orrery run NAME, orrery compare NAME", examples},
};

}  // namespace

ExitCode list(const std::string& topic, const Terminal& terminal) {
  bool first = true;
  for (const Topic& known : topics) {
    if (topic.empty() ? known.is_part : topic != known.name) continue;
    terminal.out << (first ? "" : "\n") << known.heading << "\n\n"
                 << wrapped_text(known.text(), terminal.width);
    first = false;
  }
  return ok;
}

}  // namespace orrery::cli
