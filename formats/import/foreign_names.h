// What training frameworks call the settings that Orrery has under another name: Megatron-LM's
// command line, torchtitan's configuration, DeepSpeed's JSON, Hugging Face's config.json. Used for
// the remedy of an unknown key.
#pragma once

#include <span>
#include <string_view>

namespace orrery {

struct ForeignName {
  std::string_view name, remedy;  // the remedy names keys of workload.training or .transformer
};
std::span<const ForeignName> foreign_names();

// The remedy for an unknown `key`: "write workload.training.tensor". "" if the key is no
// framework's name. Leading dashes are ignored, and - stands for _.
std::string_view name_here(std::string_view key);

}  // namespace orrery
