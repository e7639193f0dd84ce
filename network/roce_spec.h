// RoCEv2 at the ends of packet networks, as plain data. docs/models/roce.md says what each setting
// does and where its default is from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/share.h"
#include "core/units/units.h"

namespace orrery {

// Zhu et al., "Congestion control for large-scale RDMA deployments", SIGCOMM 2015.
struct DcqcnSpec {
  Fraction g = 1.0 / 256;
  Bandwidth additive_increase = {5'000'000};  // 40 Mb/s
  Bandwidth hyper_increase = {25'000'000};    // 200 Mb/s
  Bandwidth minimum_rate = {5'000'000};       // 40 Mb/s
  Duration timer = microseconds(55);          // between increases
  Duration alpha_timer = microseconds(55);    // between decays of alpha
  Bytes byte_counter = bytes(10'000'000);     // between increases; 0: by time alone
  std::int32_t fast_recovery = 5;             // increases of a kind before the target rises
  // A CNP lowers the target to the rate; false: only if that rose since the last cut, as NICs can
  // be told (clamp_tgt_rate).
  bool clamp_target = true;
  // 0: every CNP cuts the rate and raises alpha at once, as in the paper. Else as NICs do it: at
  // most one cut in each such interval, and alpha moves once in each alpha_timer, up if a CNP came.
  Duration decrease_interval = {};
  bool cut_on_loss = false;  // a NACK counts as a CNP
};

// Li et al., "HPCC: high precision congestion control", SIGCOMM 2019.
struct HpccSpec {
  Fraction utilisation = 0.95;          // eta
  std::int32_t additive_stages = 5;     // maxStage
  Bytes additive_increase = bytes(80);  // W_AI
};

// Mittal et al., "TIMELY: RTT-based congestion control for the datacenter", SIGCOMM 2015.
struct TimelySpec {
  Fraction ewma = 0.875;    // weight of the newest difference
  Fraction decrease = 0.8;  // beta
  Duration low = microseconds(50), high = microseconds(500);
  Duration minimum_round_trip = microseconds(20);
  Bandwidth additive_increase = {1'250'000};  // 10 Mb/s
  Bytes segment = bytes(64'000);              // between updates
  std::int32_t hyper_after = 5;               // updates with a falling round trip
  Bandwidth minimum_rate = {1'250'000};
};

// Kumar et al., "Swift: delay is simple and effective for congestion control in the datacenter",
// SIGCOMM 2020. The paper gives no numbers for the base target of a fabric; ours is its testbed's.
struct SwiftSpec {
  Duration base_target = microseconds(25), per_hop = microseconds(1);
  double additive_increase = 1;                   // packets per round trip
  Fraction decrease = 0.8;                        // beta
  Fraction most_decrease = 0.5;                   // max_mdf
  Duration flow_scaling = microseconds(100);      // fs_range
  double flow_minimum = 0.1, flow_maximum = 100;  // fs_min_cwnd, fs_max_cwnd
  double least_window = 0.001;                    // packets
};

// Alizadeh et al., "Data center TCP (DCTCP)", SIGCOMM 2010; RFC 8257.
struct DctcpSpec {
  Fraction g = 1.0 / 16;
  double additive_increase = 1;  // packets per round trip
};

enum class RecoveryKind : std::uint8_t { go_back_n, selective_repeat };
std::string_view name_of(RecoveryKind kind);  // "go_back_n", "selective_repeat"

// Payload that a pair may send beyond what is acknowledged, besides what its control allows.
struct PairWindow {
  enum class Kind : std::uint8_t { automatic, bdp, none, bytes };
  Kind kind = Kind::automatic;  // bdp, but none where the control has a window of its own
  Bytes size;                   // of Kind::bytes
  bool operator==(const PairWindow&) const = default;
};

struct RoceSpec {
  std::string congestion_control = "dcqcn";  // a name of roce_controls()
  Bytes payload = bytes(4'096);
  RecoveryKind recovery = RecoveryKind::go_back_n;
  std::int32_t qps_per_pair = 1;
  std::int32_t ack_every = 1;  // packets for an acknowledgement; the last of a message always
  PairWindow window;
  std::optional<Duration> rto = {};            // else that of the kind: rto_of()
  Duration nack_interval = microseconds(500);  // until a gap is told again
  // selective_repeat: a packet is called lost when one has come that is by more than so many
  // later. Without it 0 where packets of a pair keep their order, else a window of the path.
  std::optional<std::int32_t> reorder_tolerance = {};
  Duration cnp_interval = microseconds(50);  // between two CNPs to a pair
  std::int32_t priority = 3;
  DcqcnSpec dcqcn;
  HpccSpec hpcc;
  TimelySpec timely;
  SwiftSpec swift;
  DctcpSpec dctcp;
};

// Sets of parameters in use elsewhere: they replace the defaults.
struct RocePreset {
  std::string_view name, sentence;
  RoceSpec spec;
};
std::span<const RocePreset> roce_presets();

}  // namespace orrery
