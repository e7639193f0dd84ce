// What a profile gives an experiment: times of matrix products, and times of collectives.
#pragma once

#include <string>
#include <vector>

#include "formats/kineto/kineto_profile.h"

namespace orrery::kineto {

struct ProfileFile {
  std::string text;
  std::vector<std::string> left_out = {};  // a sentence for each kind of call
};

// As platform.npu.efficiency: {preset: FILE}. `file`: the name of the profile, for comments and
// messages. Throws ConfigError if there is no product with a shape.
ProfileFile product_times(const Profile& profile, const std::string& file);

// As `orrery coll --measured` reads it. Throws ConfigError if there is no collective with a size.
std::string collective_times(const Profile& profile, const std::string& file);

}  // namespace orrery::kineto
