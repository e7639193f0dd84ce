#include "network/transport_presets.h"

#include <vector>

namespace orrery {
namespace {

// docs/models/scheduled.md, unordered.md and mlt.md say of each value whether it is stated, derived
// or ours.

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

// docs/models/mlt.md says where each value is from: of the paper only the bound was found, and what
// is of its design. The rest is ours, and a default.
TransportSpec mlt_simulation() {
  TransportSpec spec;
  spec.kind = TransportKind::mlt;
  spec.mlt.push = spec.mlt.pull = {1, 10};
  return spec;
}

// Of the others what is not stated, by the tables of docs/models/.
TransportPreset mlt_preset() {
  return {
      .name = "mlt-simulation",
      .sentence =
          "MLT with the loss bound of its paper's simulations, 10 %, and our rate "
          "control",
      .spec = mlt_simulation(),
      .stated = {"loss_bound"},
      .ours = {"classes", "probe_after", "droppable.front_layers", "droppable.small", "rate.low",
               "rate.high", "rate.step", "rate.factor", "rate.minimum", "rate.report_every"}};
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
    all.push_back({.name = "pias-2015",
                   .sentence = "PIAS as its authors simulate web search at a load of 0.8: 8 "
                               "classes, payload 1,460, RTO 2 ms",
                   .spec = pias_2015(),
                   .stated = {"payload", "rto", "dctcp.g"}});
    all.push_back({.name = "ndp-2017",
                   .sentence = "NDP with the packets of its paper: 9,000 B, queues of 8",
                   .spec = ndp_2017(),
                   .stated = {"initial_window", "ndp.return_to_sender"},
                   .derived = {"payload"}});
    all.push_back({.name = "uet-1.0",
                   .sentence = "Ultra Ethernet 1.0: NSCC with the parameters of its "
                               "specification, trimming, 64 entropy values",
                   .spec = uet_1_0(),
                   .stated = {"nscc.target", "nscc.gamma", "nscc.most_decrease",
                              "nscc.fast_increase", "nscc.adjust_after", "nscc.quick_adapt_gate"},
                   .ours = {"nscc.delay_weight", "entropy_values", "rto"}});
    all.push_back(mlt_preset());
    return all;
  }();
  return presets;
}

}  // namespace orrery
