#include "network/network_spec.h"

#include <algorithm>

namespace orrery {

std::vector<std::string> settings_outside(const NetworkSpec& spec,
                                          std::initializer_list<SettingGroup> honoured) {
  std::vector<std::string> paths;
  for (const GivenSetting& setting : spec.given)
    if (std::find(honoured.begin(), honoured.end(), setting.group) == honoured.end())
      paths.push_back(setting.path);
  return paths;
}

}  // namespace orrery
