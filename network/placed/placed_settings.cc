#include "network/placed/placed_settings.h"

#include <algorithm>

#include "network/packet/wire_format.h"

namespace orrery {

SwitchSpec switches_for_placed(const NetworkSpec& spec, const PacketClass& data) {
  SwitchSpec switches = spec.switches;
  switches.largest_packet = spec.transport.roce.payload + bytes(wire::packet);
  if (!switches.classes.empty()) return switches;
  const bool own = std::any_of(
      spec.given.begin(), spec.given.end(),
      [](const GivenSetting& setting) { return setting.path == "network.switch.buffer"; });
  PacketClass control;
  control.priority = data.priority < 6 ? 6 : 7;
  control.carries = ClassContent::control;
  control.buffer = data.buffer;
  control.buffer_per_gigabit = data.buffer_per_gigabit;
  switches.classes = {data, control};
  if (own) switches.classes.front().buffer.reset();
  return switches;
}

}  // namespace orrery
