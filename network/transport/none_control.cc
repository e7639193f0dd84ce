// No control: line rate, and the window of the pair.
#include "network/transport/congestion_control.h"

namespace orrery {
namespace {

class NoControl final : public CongestionControl {
 public:
  explicit NoControl(const PathFacts& facts) : CongestionControl(facts) {}
};

}  // namespace

std::unique_ptr<CongestionControl> make_none_control(const RoceSpec&, const PathFacts& facts) {
  return std::make_unique<NoControl>(facts);
}

}  // namespace orrery
