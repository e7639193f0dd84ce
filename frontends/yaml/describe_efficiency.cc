#include "frontends/yaml/describe_efficiency.h"

#include <fmt/format.h>

#include <utility>

namespace orrery::yaml {

void check_efficiency(Reader& keys, const EfficiencySpec& efficiency) {
  if (!keys.clean()) return;
  for (const auto& [key, share] : {std::pair{"matrix", efficiency.matrix},
                                   {"attention", efficiency.attention},
                                   {"memory", efficiency.memory}})
    if (share.part * 100 < share.whole)
      keys.wrong(key, fmt::format("{} is out of range", ScalarType<Share>::text(share)),
                 "it must be at least 1 %");
}

}  // namespace orrery::yaml
