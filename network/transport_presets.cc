#include "network/transport_presets.h"

#include <vector>

namespace orrery {

std::span<const TransportPreset> transport_presets() {
  static const std::vector<TransportPreset> presets = [] {
    std::vector<TransportPreset> all{
        {"hoti20", "TCP as in the study of HOTI'20: NewReno, MTU 1,500, window 0.5 MB, RTO 1 s",
         hoti20_transport()}};
    for (const RocePreset& preset : roce_presets()) {
      TransportSpec spec;
      spec.kind = TransportKind::roce;
      spec.congestion_control = preset.spec.congestion_control;
      spec.roce = preset.spec;
      all.push_back({preset.name, preset.sentence, spec});
    }
    return all;
  }();
  return presets;
}

}  // namespace orrery
