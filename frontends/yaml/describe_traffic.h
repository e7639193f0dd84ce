// The keys of `traffic:`. Keys is Reader or SchemaWriter.
#pragma once

#include <vector>

#include "frontends/yaml/reader.h"
#include "simulation/traffic_spec.h"

namespace orrery::yaml {

class SchemaWriter;

template <>
struct ValuesOf<LoadOf> {
  static constexpr std::array all{LoadOf::hosts, LoadOf::uplinks};
};
template <>
struct ValuesOf<FlowPattern> {
  static constexpr std::array all{FlowPattern::uniform, FlowPattern::permutation};
};

// `sizes`: a name, or a list of points.
void describe_sizes(Reader& keys, std::vector<SizePoint>& sizes);
void describe_sizes(SchemaWriter& keys, std::vector<SizePoint>& sizes);

template <class Keys>
void describe_flows(Keys& keys, FlowsSpec& flows) {
  describe_sizes(keys, flows.sizes);
  keys.required("load", flows.load, "what the flows send, as a share of what `of` names");
  keys.optional("of", flows.of,
                "what loads are shares of: hosts, what all NPUs can send on the outermost level; "
                "uplinks, what the links from switches with NPUs to other switches carry");
  keys.optional("pattern", flows.pattern,
                "to whom: uniform, each flow to an NPU drawn anew; permutation, each NPU to one "
                "other");
  keys.optional("for", flows.length, "time in which flows start", positive);
  keys.optional("warm_up", flows.warm_up, "flows that start before this are not counted",
                not_negative);
}

template <class Keys>
void describe_incast(Keys& keys, IncastSpec& incast) {
  keys.required("senders", incast.senders, "NPUs that send to one, all at once",
                between(1, std::int64_t{1} << 24));
  keys.required("size", incast.size, "what each of them sends", positive);
  keys.required("load", incast.load, "what incasts send, as a share of what flows.of names");
}

template <class Keys>
void describe_traffic(Keys& keys, TrafficSpec& traffic, const TopologySpec& topology,
                      bool topology_known) {
  keys.required_map("flows", "flows that start at random times, at every NPU",
                    [&](auto& below) { describe_flows(below, traffic.flows); });
  keys.optional_map("incast", "several NPUs that send to one, at random times",
                    [&](auto& below) { describe_incast(below, traffic.incast.emplace()); });
  keys.check([&](Reader& reader) {
    if (reader.clean() && topology_known) reader.report(problems_of(traffic, topology));
  });
}

}  // namespace orrery::yaml
