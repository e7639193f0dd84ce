// The protocols in which a communication library moves data, as NCCL names them, and what each
// costs (docs/models/endpoint.md).
//
//   simple   bulk copies with a synchronisation for each: most bandwidth, most latency
//   ll       every 8 bytes carry 4 of data and 4 of a flag that says that they are there
//   ll128    120 bytes of data and 8 of flag in each 128
//   nvls     the switch of a node adds and multicasts (NVLink SHARP): all-reduces of one node only
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/units/share.h"
#include "core/units/units.h"
#include "network/topology/topology.h"

namespace orrery {

enum class Protocol : std::uint8_t {
  none,  // messages cost what wires and endpoints cost, no more
  simple,
  ll,
  ll128,
  nvls,
  automatic,  // "auto": the one that is predicted to be fastest, call by call
};
std::string_view name_of(Protocol protocol);

// What one protocol costs in one algorithm.
struct ProtocolCost {
  Protocol protocol = Protocol::simple;
  std::string algorithm;      // its name without a number; "" = all that have no row of their own
  Duration launch;            // of a collective on a rank, before its first chunk; once a call
  Duration step;              // of each message, before it is handed to the endpoint
  Share efficiency = {1, 1};  // of what is on the wire, the part that is data; > 0. Of nvls, the
                              // part of a port's rate that is the whole buffer
  Bytes least = {};           // that a message takes on the wire: what all channels cut at least
  std::optional<Scope> scope = {};  // of the levels on which the row holds; none = all
};

// The row for an algorithm ("ring", "ring:2") on a level of that scope (none: any); null if there
// is none. What names the algorithm goes before what names the scope, and that before the rest.
const ProtocolCost* find_cost(std::span<const ProtocolCost> costs, Protocol protocol,
                              std::string_view algorithm, std::optional<Scope> scope = {});

}  // namespace orrery
