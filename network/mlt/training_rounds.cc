#include <algorithm>

#include "network/mlt_spec.h"

namespace orrery {

std::optional<double> rounds_at(const MltSpec& spec, double missing) {
  const std::vector<TrainingRounds>& curve = spec.rounds;
  if (curve.empty()) return std::nullopt;
  const auto share = [](const TrainingRounds& one) {
    return static_cast<double>(one.missing.part) / static_cast<double>(one.missing.whole);
  };
  const auto behind =
      std::ranges::find_if(curve, [&](const TrainingRounds& one) { return share(one) >= missing; });
  if (behind == curve.begin()) return curve.front().rounds;
  if (behind == curve.end()) return curve.back().rounds;
  const TrainingRounds& before = *(behind - 1);
  const double way = (missing - share(before)) / (share(*behind) - share(before));
  return before.rounds + way * (behind->rounds - before.rounds);
}

}  // namespace orrery
