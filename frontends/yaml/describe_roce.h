// The keys of RoCE in `network.transport:`, and those of classes and pauses in `network.switch:`.
#pragma once

#include "frontends/yaml/reader.h"
#include "frontends/yaml/roce_types.h"
#include "network/network_spec.h"
#include "network/packet_defaults.h"
#include "network/problems.h"

namespace orrery::yaml {

// The keys of a control: what the user gives has an effect if that control is chosen.
struct ControlKeys {
  Keys& keys;
  NetworkSpec& network;

  template <class T>
  void operator()(std::string_view key, T& value, std::string_view help,
                  Limits limits = any_value) {
    keys.optional(key, value, help, limits);
    keys.note_if_given(key, network.given, SettingGroup::transport);
  }
};

inline void describe_dcqcn(Keys& keys, NetworkSpec& network) {
  DcqcnSpec& spec = network.transport.roce.dcqcn;
  ControlKeys key{keys, network};
  key("g", spec.g, "weight of the newest interval in alpha");
  key("additive_increase", spec.additive_increase, "of the target, in the second phase", positive);
  key("hyper_increase", spec.hyper_increase, "of the target, in the third phase", positive);
  key("minimum_rate", spec.minimum_rate, "a rate is never cut below it", positive);
  key("timer", spec.timer, "between increases by time", positive);
  key("alpha_timer", spec.alpha_timer, "between decays of alpha", positive);
  key("byte_counter", spec.byte_counter, "between increases by bytes sent; 0 B: none by bytes",
      not_negative);
  key("fast_recovery", spec.fast_recovery,
      "increases by time or bytes until the target rises: the second phase", between(1, 1'000'000));
  key("clamp_target", spec.clamp_target,
      "every cut lowers the target to the rate; false: only a cut after an increase");
  key("decrease_interval", spec.decrease_interval,
      "the rate is cut once in it at most, with alpha moved once in each alpha_timer, as NICs do "
      "it; 0 s: "
      "every CNP cuts, as in the paper",
      not_negative);
  key("cut_on_loss", spec.cut_on_loss, "a NACK counts as a CNP");
  key("cnp_interval", network.transport.roce.cnp_interval,
      "a receiver notifies a pair (CNP) at most once in it", not_negative);
}

inline void describe_other_controls(Keys& keys, NetworkSpec& network) {
  RoceSpec& roce = network.transport.roce;
  keys.map("hpcc", "HPCC's parameters (SIGCOMM 2019)", [&](Keys& map) {
    ControlKeys key{map, network};
    key("utilisation", roce.hpcc.utilisation, "eta: of the fullest link that it aims at");
    key("additive_stages", roce.hpcc.additive_stages,
        "increases until it follows the utilisation again (maxStage)", between(0, 1'000'000));
    key("additive_increase", roce.hpcc.additive_increase, "of the window (W_AI)", not_negative);
  });
  keys.map("timely", "TIMELY's parameters (SIGCOMM 2015)", [&](Keys& map) {
    ControlKeys key{map, network};
    TimelySpec& spec = roce.timely;
    key("ewma", spec.ewma, "weight of the newest difference of round trips (alpha)");
    key("decrease", spec.decrease, "beta: of the rate, times the gradient");
    key("low", spec.low, "below this round trip the rate rises", positive);
    key("high", spec.high, "above this round trip the rate falls", positive);
    key("minimum_round_trip", spec.minimum_round_trip, "what gradients are relative to", positive);
    key("additive_increase", spec.additive_increase, "of the rate (delta)", positive);
    key("segment", spec.segment, "acknowledged bytes between updates", positive);
    key("hyper_after", spec.hyper_after, "updates with a falling round trip until 5 delta",
        between(1, 1'000'000));
    key("minimum_rate", spec.minimum_rate, "a rate is never cut below it", positive);
  });
  keys.map("swift", "Swift's parameters (SIGCOMM 2020)", [&](Keys& map) {
    ControlKeys key{map, network};
    SwiftSpec& spec = roce.swift;
    key("base_target", spec.base_target, "target delay of a path without hops", positive);
    key("per_hop", spec.per_hop, "further target delay for each switch", not_negative);
    key("additive_increase", spec.additive_increase, "packets in a round trip", positive);
    key("decrease", spec.decrease, "beta: of the window, times the excess of the delay");
    key("most_decrease", spec.most_decrease, "of the window at once (max_mdf)");
    key("flow_scaling", spec.flow_scaling, "further target delay of small windows (fs_range)",
        not_negative);
  });
  keys.map("dctcp", "DCTCP's parameters, of RoCE (SIGCOMM 2010)", [&](Keys& map) {
    ControlKeys key{map, network};
    key("g", roce.dctcp.g, "weight of the newest window in alpha");
    key("additive_increase", roce.dctcp.additive_increase, "packets in a round trip", positive);
  });
}

inline void describe_roce(Keys& keys, NetworkSpec& network) {
  RoceSpec& roce = network.transport.roce;
  ControlKeys key{keys, network};
  PayloadSize payload{roce.payload.value};
  key("payload", payload, "RoCE: data of a full packet (path MTU)", between(64, 65'000));
  roce.payload = bytes(payload.value);
  key("recovery", roce.recovery,
      "RoCE: what happens to lost packets; `orrery list transports` describes each");
  key("qps_per_pair", roce.qps_per_pair,
      "RoCE: queue pairs between two NPUs, which take messages in turn", between(1, 1'024));
  key("ack_every", roce.ack_every,
      "RoCE: packets for each acknowledgement; the last of a message is always acknowledged",
      between(1, 1 << 20));
  key("rto", roce.rto,
      "all but TCP: without progress for so long, what is outstanding is sent again; else 4 ms, "
      "pFabric: 45 us, UET: 100 us or four idle round trips, and twice as long each time in a row",
      positive);
  key("nack_interval", roce.nack_interval, "RoCE, go_back_n: a gap is told again after so long",
      positive);
  Automatic<std::int32_t> tolerance{roce.reorder_tolerance};
  key("reorder_tolerance", tolerance,
      "RoCE, selective_repeat: packets that a packet may be late by until it is sent again; "
      "automatic: 0 where a pair keeps its path, a window of the path where switches spray");
  roce.reorder_tolerance = tolerance.given;
  key("priority", roce.priority, "RoCE: of data (IEEE 802.1Q)", between(0, 7));
  keys.map("dcqcn", "DCQCN's parameters (SIGCOMM 2015)",
           [&](Keys& dcqcn) { describe_dcqcn(dcqcn, network); });
  describe_other_controls(keys, network);
}

inline void describe_placed(Keys& keys, NetworkSpec& network) {
  UetSpec& uet = network.transport.uet;
  NdpSpec& ndp = network.transport.ndp;
  ControlKeys key{keys, network};
  key("control", uet.control,
      "UET: what bounds what is on its way: nscc, the sender's window; rccc, credits of the "
      "receiver; or both");
  key("entropy_values", uet.entropy_values, "UET: paths of a pair, which its packets take in turn",
      between(1, 65'536));
  key("trimming", uet.trimming,
      "UET: switches cut packets to their headers instead of losing them");
  keys.map("ndp", "NDP's parameters (SIGCOMM 2017)", [&](Keys& map) {
    ControlKeys one{map, network};
    one("return_to_sender", ndp.return_to_sender,
        "a header that finds no room goes back to its sender");
  });
  keys.map("nscc", "UET's network-signalled control (Ultra Ethernet 1.0, 3.6.13)", [&](Keys& map) {
    ControlKeys one{map, network};
    NsccSpec& nscc = uet.nscc;
    Automatic<Duration> target{nscc.target};
    one("target", target,
        "queueing delay; automatic: 3/4 of the idle round trip, or all of it without trimming");
    nscc.target = target.given;
    one("gamma", nscc.gamma, "of the decrease, times the excess of the delay");
    one("most_decrease", nscc.most_decrease, "of the window at once");
    one("fast_increase", nscc.fast_increase, "of what is acknowledged, on a path that stays clear");
    one("delay_weight", nscc.delay_weight, "of the newest delay in the average");
    one("adjust_after", nscc.adjust_after,
        "packets acknowledged until increases count, or a round trip", between(1, 1'000'000));
    one("quick_adapt_gate", nscc.quick_adapt_gate,
        "adapts at once below the largest window shifted right by so much", between(0, 30));
  });
}

inline void describe_scheduled(Keys& keys, NetworkSpec& network) {
  ControlKeys key{keys, network};
  std::vector<Bytes> thresholds;
  key("thresholds", thresholds,
      "PIAS: bytes that a message has sent, behind each of which it goes on in the next lower "
      "class; without it those of its authors' web search, 1.33 to 3.63 MB");
  if (!thresholds.empty()) network.transport.pias.thresholds = thresholds;
}

// Whole numbers of layers, and rates that follow the delay.
inline void describe_mlt_sending(Keys& keys, NetworkSpec& network) {
  MltSpec& mlt = network.transport.mlt;
  ControlKeys key{keys, network};
  key("probe_after", mlt.probe_after,
      "MLT: a sender asks what is missing so long after its last packet", positive);
  std::int32_t classes = mlt.classes + 1;
  key("classes", classes,
      "MLT: priorities of a port; the highest is for STOPs and reports, the others are for layers, "
      "the front ones first",
      between(2, MltSpec::most_classes + 1));
  mlt.classes = classes - 1;
  keys.map("droppable", "MLT: packets that switches may drop where they mark others",
           [&](Keys& map) {
             ControlKeys one{map, network};
             one("front_layers", mlt.front_layers, "of the layers, those that may lose them");
             one("small", mlt.small,
                 "of the packets of a tensor, those with small values, drawn once; the others are "
                 "protected");
           });
  keys.map("rate", "MLT: rate control by delay", [&](Keys& map) {
    ControlKeys one{map, network};
    MltRateSpec& rate = mlt.rate;
    one("low", rate.low, "below this queueing delay the rate rises", positive);
    one("high", rate.high, "above this queueing delay it falls", positive);
    one("step", rate.step, "rise for each report", positive);
    one("factor", rate.factor,
        "it falls to 1 - factor (1 - high / delay) of itself, at most once in a round trip");
    one("minimum", rate.minimum, "a rate never falls below it", positive);
    one("report_every", rate.report_every, "packets that come until the sender is told the delay",
        between(1, 1'000'000));
  });
}

inline void describe_mlt(Keys& keys, NetworkSpec& network) {
  MltSpec& mlt = network.transport.mlt;
  std::optional<Share> both;
  if (mlt.push == mlt.pull && mlt.push.part > 0) both = mlt.push;  // of a preset
  const std::optional<Share> before = both;
  keys.value_or_map(
      "loss_bound", both,
      "MLT: the part of a tensor of gradients that may be missing; one for both directions, or "
      "{push, pull}",
      [&](Keys& map) {
        ControlKeys one{map, network};
        one("push", mlt.push, "of what goes to be added up");
        one("pull", mlt.pull, "of what comes back");
      });
  if (both != before) mlt.push = mlt.pull = both.value_or(Share{0, 1});
  keys.note_if_given("loss_bound", network.given, SettingGroup::transport);
  describe_mlt_sending(keys, network);
  keys.optional_items(
      "rounds", mlt.rounds,
      "MLT: what a model needs whose gradients lack a part, from experiments with it; linear "
      "between two points, the smallest part first",
      [](Keys& item, TrainingRounds& one, std::size_t) {
        item.required("missing", one.missing, "part of the gradients' data");
        item.required("rounds", one.rounds,
                      "iterations until it is as good, for each that it takes without losses",
                      positive);
      });
  keys.note_if_given("rounds", network.given, SettingGroup::transport);
}

inline void describe_ramp(Keys& keys, std::optional<EcnRamp>& ramp) {
  keys.optional_map("ecn", "when packets of the class are marked", [&](Keys& map) {
    ramp.emplace();
    RampSize minimum, maximum;
    map.required("minimum", minimum, "waiting bytes from which packets are marked");
    map.required("maximum", maximum, "waiting bytes above which every packet is marked");
    map.optional("probability", ramp->probability, "of a mark just below the maximum");
    map.optional("weight", ramp->weight, "of the newest queue length in the average; 1: none");
    map.optional("on_leaving", ramp->on_leaving,
                 "marks packets that leave by what waits behind them; false: those that come");
    map.optional("of_port", ramp->of_port,
                 "by what waits of all classes before the link; false: of this class");
    ramp->minimum = minimum.size;
    ramp->maximum = maximum.size;
    ramp->per_gigabit = minimum.per_gigabit;
    map.check([&](Reader& reader) {
      if (minimum.per_gigabit != maximum.per_gigabit)
        reader.wrong("maximum", "one of the two is for each Gb/s and the other is not",
                     "write both with `per Gb/s`, or none");
    });
  });
}

// What a class says to no effect.
inline void note_idle_keys(Keys& item, const PacketClass& one, NetworkSpec& network) {
  const SwitchSpec& spec = network.switches;
  const auto idle_unless = [&](bool works, std::string_view key, std::string_view needs) {
    const std::size_t before = network.given.size();
    if (!works) item.note_if_given(key, network.given, SettingGroup::switch_buffer);
    if (network.given.size() > before) network.given.back().needs = needs;
  };
  constexpr std::string_view enabled = "network.switch.pfc.enabled: true";
  for (const std::string_view key : {"alpha", "headroom"})
    idle_unless(one.lossless && spec.pfc.enabled, key,
                one.lossless ? enabled : "lossless: true in the same class");
  for (const std::string_view key : {"buffer", "overflow"})
    idle_unless(!one.lossless || !spec.pfc.enabled, key, "lossless: false in the same class");
  idle_unless(spec.scheduler == PortScheduler::dwrr, "weight", "network.switch.scheduler: dwrr");
}

inline void describe_classes(Keys& keys, NetworkSpec& network) {
  SwitchSpec& spec = network.switches;
  ControlKeys key{keys, network};
  key("scheduler", spec.scheduler,
      "which class a port sends next: strict, the highest priority; dwrr, by weight");
  key("headers_in_turn", spec.headers_in_turn,
      "where a class trims: packets of control that go before one of another class that waits",
      between(1, 255));
  key("port_reserve", spec.port_reserve,
      "memory of each lossless class of each link that is not shared", not_negative);
  keys.map("pfc", "priority flow control (IEEE 802.1Qbb)", [&](Keys& map) {
    ControlKeys pause{map, network};
    pause("enabled", spec.pfc.enabled, "false: lossless classes are lossy");
    Automatic<Duration> response{spec.pfc.response};
    pause("response", response,
          "from the end of a pause frame until the class stops; automatic: IEEE 802.3's most");
    spec.pfc.response = response.given;
    pause("resume_offset", spec.pfc.resume_offset,
          "a class goes on when it holds so much less than the threshold", not_negative);
    pause("watchdog", spec.pfc.watchdog, "a class that is paused for longer is examined", positive);
    pause("on_watchdog", spec.pfc.on_watchdog,
          "stop: the run ends with the cycle or the root; drop: the pause is ignored, and packets "
          "are lost");
  });
  keys.optional_items(
      "classes", spec.classes,
      "classes of packets, by priority, each with a queue at every port; without them RoCE has "
      "lossless data of its priority and acknowledgements of 6",
      [&network, packet = full_packet_of(network)](Keys& item, PacketClass& one, std::size_t) {
        item.required("priority", one.priority, "0 to 7 (IEEE 802.1Q); 7 is sent first",
                      between(0, 7));
        item.optional("lossless", one.lossless, "senders are paused before packets are lost (PFC)");
        Ratio alpha{one.alpha};
        item.optional("alpha", alpha,
                      "lossless: packets from a link may hold so many times the free memory");
        one.alpha = alpha.factor;
        Automatic<Bytes> headroom{one.headroom};
        item.optional("headroom", headroom,
                      "lossless: memory of each link for what comes after a pause; automatic: by "
                      "rate, latency, packet and response");
        one.headroom = headroom.given;
        item.optional("weight", one.weight, "share of the port under dwrr", between(1, 1'000));
        item.optional("carries", one.carries,
                      "data; or control: acknowledgements and notifications");
        item.optional("overflow", one.overflow,
                      "lossy: what becomes of a packet that finds no room; trim: its header goes "
                      "on in the class that carries control");
        std::optional<BufferSize> buffer;
        item.optional("buffer", buffer,
                      "lossy: memory of the class at each port, apart from that of the switch; "
                      "also as full packets of the transport");
        if (buffer) {
          one.buffer = buffer->of(packet);
          one.buffer_per_gigabit = buffer->per_gigabit;
        }
        item.optional("least_first", one.least_first,
                      "pfabric: sends the message with the least left first, and loses packets of "
                      "the one with the most; false: in the order in which they come");
        describe_ramp(item, one.ecn);
        note_idle_keys(item, one, network);
      });
  keys.note_if_given("classes", network.given, SettingGroup::switch_buffer);
}

}  // namespace orrery::yaml
