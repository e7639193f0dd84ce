#include "network/packet/what_waits.h"

#include <fmt/format.h>

#include "core/units/unit_text.h"

namespace orrery {

std::string text_of_chain(const PacketFabric& fabric, const LastingPause& pause) {
  std::string text;
  for (std::size_t i = 0; i < pause.chain.size(); ++i)
    text += fmt::format("  {}: {} wait{}\n", fabric.name_of(pause.chain[i].link),
                        to_text(pause.chain[i].waiting), i + 1 < pause.chain.size() ? ", for" : "");
  if (pause.cycle)
    text +=
        fmt::format("  which waits for {}: a cycle\n", fabric.name_of(pause.chain.front().link));
  return text;
}

std::string what_waits(const PacketFabric& fabric) {
  const std::uint64_t packets = fabric.waiting_packets();
  if (packets == 0) return {};
  std::string text = fmt::format("deadlock of the network: {} packet{} for ever.\n", packets,
                                 packets == 1 ? " waits" : "s wait");
  if (const std::optional<LastingPause> cycle = fabric.deadlock())
    text +=
        fmt::format("  priority {} is paused:\n{}", cycle->priority, text_of_chain(fabric, *cycle));
  return text;
}

}  // namespace orrery
