// The tree that the experiment is read from: one file, the files it names with `file:`, and the
// `--set` options, merged.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "formats/input/input_texts.h"
#include "formats/yaml/problems.h"
#include "formats/yaml/resolved_path.h"
#include "formats/yaml/yaml_node.h"
#include "frontends/yaml/load_experiment.h"

namespace orrery::yaml {

class InputFiles {
 public:
  InputFiles(Problems& problems, InputTexts& texts) : problems_(problems), texts_(texts) {}

  InputTexts& texts() { return texts_; }

  // Nothing if a file is not YAML or a reference leads nowhere: what was read is then too
  // incomplete to be judged. The nodes point into this object. Throws IoError if `path` cannot be
  // read.
  std::optional<YamlNode> load(const std::string& path, const std::vector<Override>& overrides);

  // Of what was loaded last.
  const EfficiencyInForce& efficiency() const { return efficiency_; }
  const ProtocolsInForce& protocols() const { return protocols_; }
  const std::string& network_chosen() const { return network_chosen_; }

  // One file as it stands. Problems are reported below `key_path`. Throws IoError as well.
  std::optional<YamlNode> read(const std::string& path, const std::string& key_path);

 private:
  // `--set a.b[1].c=value`, taken apart.
  struct Assignment {
    const Source* source;
    std::vector<std::string> steps;  // a number is an index where it meets a list
    YamlNode value;
  };

  std::optional<Assignment> parse(const Override& option);
  void assign(YamlNode& root, const Assignment& assignment);
  bool resolve_references(YamlNode& root, const std::string& path);
  bool resolve_models(YamlNode& workload, const std::string& key_path, const std::string& path);
  bool resolve_efficiency(YamlNode& root);
  std::optional<std::string> efficiency_file(const YamlNode& preset);
  bool resolve(YamlNode& section, const std::string& key_path, std::vector<std::string> chain);

  void merge(YamlNode& base, YamlNode over, const std::string& path);
  void merge_elements(YamlNode& list, YamlNode over, const std::string& path);

  std::string path_of(const YamlNode& file);

  Problems& problems_;
  InputTexts& texts_;
  std::deque<Source> sources_;  // nodes hold pointers to them
  EfficiencyInForce efficiency_;
  ProtocolsInForce protocols_;
  std::string network_chosen_;
};

}  // namespace orrery::yaml
