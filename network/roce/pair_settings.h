// What makes RoCE, PIAS or pFabric of the queue pairs of RoceTransport.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "network/network_spec.h"
#include "network/transport/congestion_control.h"
#include "network/transport/recovery.h"

namespace orrery {

struct PairSettings {
  std::string name = "RoCE";
  RoceSpec roce;
  Duration rto;
  std::int32_t retries = 10;
  const ControlEntry* control = nullptr;
  std::unique_ptr<Recovery> (*recovery)() = nullptr;  // else that of `roce`
  SwitchSpec switches;
  std::uint8_t highest_priority = 0, answer_priority = 0;

  // --- Each message is a flow: it has a pair of its own while it lasts, and begins anew ---
  bool messages_are_flows = false;
  // PIAS: bytes sent behind which the next of the priorities is taken.
  std::vector<Bytes> thresholds = {};
  std::vector<std::uint8_t> priorities = {};
  bool ranks = false;  // pFabric: packets are ranked by what their message has left
};

}  // namespace orrery
