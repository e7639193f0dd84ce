#include "network/transport_presets.h"

#include <vector>

namespace orrery {
namespace {

// docs/models/scheduled.md and unordered.md say of each value whether it is stated, derived or
// ours.

TransportSpec pias_2015() {
  TransportSpec spec;
  spec.kind = TransportKind::pias;
  spec.roce.payload = bytes(1'460);
  spec.roce.rto = milliseconds(2);
  return spec;
}

// Packets of 9,000 B: IP 20, UDP 8, BTH 12 and ICRC 4 of them are headers.
TransportSpec ndp_2017() {
  TransportSpec spec;
  spec.kind = TransportKind::ndp;
  spec.roce.payload = bytes(8'956);
  return spec;
}

TransportSpec uet_1_0() {
  TransportSpec spec;
  spec.kind = TransportKind::uet;
  return spec;
}

}  // namespace

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
    all.push_back({"pias-2015",
                   "PIAS as its authors simulate web search at a load of 0.8: 8 classes, payload "
                   "1,460, RTO 2 ms",
                   pias_2015()});
    all.push_back(
        {"ndp-2017", "NDP with the packets of its paper: 9,000 B, queues of 8", ndp_2017()});
    all.push_back(
        {"uet-1.0",
         "Ultra Ethernet 1.0: NSCC with the parameters of its specification, trimming, 64 "
         "entropy values",
         uet_1_0()});
    return all;
  }();
  return presets;
}

}  // namespace orrery
