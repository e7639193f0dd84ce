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

TransportKind NetworkSpec::transport_of(std::size_t level, Scope scope) const {
  if (level < levels.size() && levels[level].transport) return *levels[level].transport;
  return scope == Scope::local ? TransportKind::ideal : transport.kind;
}

std::vector<std::optional<Bytes>> NetworkSpec::level_buffers() const {
  std::vector<std::optional<Bytes>> buffers;
  for (const LevelNetworkSpec& level : levels) buffers.push_back(level.buffer);
  return buffers;
}

}  // namespace orrery
