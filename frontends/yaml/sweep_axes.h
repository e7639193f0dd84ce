// The directions of a sweep's grid, from YAML. What is wrong is reported, and nothing returned.
#pragma once

#include <optional>
#include <string>

#include "formats/input/input_texts.h"
#include "formats/yaml/problems.h"
#include "formats/yaml/yaml_node.h"
#include "simulation/sweep_grid.h"

namespace orrery::yaml {

SweepSetting setting_of(const std::string& key, const YamlNode& value);

// `zip`, or an item of `vary`: the keys of a map, each with a list of as many values.
std::optional<SweepAxis> zip_axis(const YamlNode& item, const std::string& path,
                                  Problems& problems);

// `random: {samples: 200, seed: 1, keys: {...}}`, or `latin` with the same keys.
enum class Sampling { random, latin };
std::optional<SweepAxis> sampled_axis(Sampling sampling, const YamlNode& node, InputTexts& texts,
                                      Problems& problems);

// `repeat: {seeds: 5}`: the values 1, 2, ... of the key `seed`.
std::optional<SweepAxis> repeat_axis(const YamlNode& node, InputTexts& texts, Problems& problems);

}  // namespace orrery::yaml
