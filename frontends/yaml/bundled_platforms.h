// What comes with Orrery and is found by name: platforms/NAME.yaml, experiments without a workload,
// and platforms/efficiency/NAME.yaml, what a generation of devices reaches.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace orrery::yaml {

struct BundledFile {
  std::string name, file;
};

// Looked for, in this order: below platforms/ in each folder of $ORRERY_PATH (separated by ':'), in
// the program itself (input/embedded_files.h), below platforms/ of the working directory. Sorted by
// name; of two with one name, the first one found.
std::vector<BundledFile> bundled_platforms();

// The file of that name; none if there is no such platform.
std::optional<std::string> find_bundled_platform(const std::string& name);

// The same in platforms/efficiency, for `platform.npu.efficiency.preset`.
std::vector<BundledFile> bundled_efficiencies();

// `did you mean "dgx-h100"? (known: ...)`
std::string suggest_platform(const std::string& name);
std::string suggest(const std::string& name, const std::vector<BundledFile>& files);

// A name, in contrast to a path: without folder and extension.
bool is_platform_name(const std::string& text);

}  // namespace orrery::yaml
