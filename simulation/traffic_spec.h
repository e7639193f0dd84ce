// Flows on a fabric without a job, as plain data: what `traffic:` says. docs/models/traffic.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/spec_problem.h"
#include "core/units/share.h"
#include "core/units/units.h"
#include "network/topology/topology.h"

namespace orrery {

// A point of a cumulative distribution: `share` of the flows have at most `size` bytes. Between two
// points sizes are uniform.
struct SizePoint {
  Bytes size;
  Fraction share;

  bool operator==(const SizePoint&) const = default;
};

// What a load is a share of: what all NPUs can send on the outermost level at once, or what the
// links from the switches with NPUs to other switches carry.
enum class LoadOf : std::uint8_t { hosts, uplinks };
std::string_view name_of(LoadOf of);  // "hosts", "uplinks"

enum class FlowPattern : std::uint8_t {
  uniform,      // each flow to an NPU drawn anew
  permutation,  // each NPU to one other, which receives from it alone
};
std::string_view name_of(FlowPattern pattern);

// When a flow ends.
enum class FlowEnd : std::uint8_t {
  delivered,     // its last byte is at the target
  acknowledged,  // the source knows, where the transport tells it (RoCE)
};
std::string_view name_of(FlowEnd end);

// Each NPU starts flows at random times (a Poisson process), or one flow at time 0.
struct FlowsSpec {
  std::vector<SizePoint> sizes;
  Fraction load;
  LoadOf of = LoadOf::hosts;
  FlowPattern pattern = FlowPattern::uniform;
  // In which flows start. Without it, as long as 10,000 of them take, and at least ten times what
  // the largest one takes alone at an NPU's bandwidth.
  std::optional<Duration> length;
  std::optional<Duration> warm_up;  // flows before this are not counted; without it, a tenth
  // One flow each at time 0, instead of a load; `length` is then what a mean one takes at an NPU's
  // part of its NIC.
  bool at_once = false;
};

// At random times `senders` NPUs send `size` bytes each to one NPU, all at once. All are drawn.
// Size and load are those of HPCC (SIGCOMM'19, section 5.3), where 60 send.
struct IncastSpec {
  std::int32_t senders = 8;
  Bytes size{500'000};
  Fraction load = 0.02;  // of what FlowsSpec::of says
};

struct TrafficSpec {
  FlowsSpec flows;
  std::optional<IncastSpec> incast;
  FlowEnd ends = FlowEnd::delivered;
};

// Fills in the times that the user leaves open. REQUIRES: sizes without problems.
void choose_open_times(TrafficSpec& spec, const Topology& topology);

// Keys of `traffic:`.
SpecProblems problems_of(const TrafficSpec& spec, const TopologySpec& topology);

// Distributions that papers use. docs/models/traffic.md cites them.
struct KnownSizes {
  std::string_view name, sentence;
  std::vector<SizePoint> points;
};
const std::vector<KnownSizes>& known_sizes();
const KnownSizes* find_sizes(std::string_view name);  // nullptr if unknown

}  // namespace orrery
