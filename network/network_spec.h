// What the user says about the network besides its wires, as plain data: which backend, and the
// settings of each. Filled by frontends/yaml, by tests by hand.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "network/capture_spec.h"
#include "network/credit_spec.h"
#include "network/fluid_spec.h"
#include "network/queue_spec.h"
#include "network/routing_spec.h"
#include "network/switch_spec.h"
#include "network/topology/topology.h"
#include "network/transport_spec.h"

namespace orrery {

// Settings that only some backends honour.
enum class SettingGroup : std::uint8_t {
  transport,      // network.transport: the protocol at the ends
  switch_buffer,  // memory of switches
  routing,        // network.routing, network.faults: which way messages go
  fluid,          // network.fluid
  queue,          // network.queue
  credit,         // network.credit
};

struct GivenSetting {
  std::string path;  // "network.transport.window", "platform.topology.levels[1].buffer"
  SettingGroup group;
  // What its effect needs that the user did not give, "network.switch.queue: red"; "" = nothing.
  std::string needs = "";
  bool operator==(const GivenSetting&) const = default;
};

// What a level has of its own.
struct LevelNetworkSpec {
  std::optional<Bytes> buffer;             // of its switches; else that of all switches
  std::optional<TransportKind> transport;  // else by scope, see transport_of()
};

struct NetworkSpec {
  std::string backend = "analytical";    // a name of network/backends.def
  bool backend_named = true;             // false: simulation/backend_choice.h chose it
  std::string chosen_because = {};       // then, as a clause
  std::vector<GivenSetting> given = {};  // by the user, of the groups above
  RoutingSpec routing = {};
  TransportSpec transport = {};
  SwitchSpec switches = {};
  std::vector<LevelNetworkSpec> levels = {};  // as the topology's; those missing have nothing
  std::uint64_t seed = 1;                     // of random losses and marks
  std::vector<CaptureSpec> captures = {};
  std::int64_t capture_limit = 100'000;  // packets that each keeps, the first ones

  // What carries the messages of a level where backends have a choice: inside a node the ideal
  // model, unless the level says otherwise. `usual`: elsewhere, where the user names none.
  TransportKind transport_of(std::size_t level, Scope scope, TransportKind usual) const;
  // Some level may be of this kind, on a backend whose usual one is `usual`.
  bool uses(TransportKind kind, TransportKind usual) const;
  std::vector<std::optional<Bytes>> level_buffers() const;
  FluidSpec fluid = {};
  QueueSpec queue = {};
  CreditSpec credit = {};
};

// The paths of what the user gave that a backend which honours these groups does not: what it
// returns as NetworkBackend::unused_settings().
std::vector<std::string> settings_outside(const NetworkSpec& spec,
                                          std::initializer_list<SettingGroup> honoured);

// Marks the settings whose effect needs another one (GivenSetting::needs). The topology, if it is
// known, tells which levels have switches.
void mark_idle_settings(NetworkSpec& spec, const TopologySpec* topology);

}  // namespace orrery
