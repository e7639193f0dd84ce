// Whose turn it is where messages follow each other. What one node sends to another on a connection
// goes in order, as on a queue pair or a socket of a library's channel: each message begins when
// the one before it has left. Different connections and classes of traffic share links instead, and
// so do messages without a connection. A connection on which nothing is under way takes no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "network/network_backend.h"

namespace orrery::fluid {

class Connections {
 public:
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

  // `slot` names the message until it leaves. True if it begins now: it waits for nobody.
  bool enter(std::uint32_t slot, const Message& message);
  // The message has left. Who begins now; nobody if none waits.
  std::uint32_t leave(std::uint32_t slot, const Message& message);

 private:
  struct Name {
    std::int32_t source, target, connection;
    TrafficClass traffic_class;
    bool operator==(const Name&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Name& name) const;
  };
  static Name name_of(const Message& message) {
    return {message.source.value, message.target.value, message.connection, message.traffic_class};
  }

  std::unordered_map<Name, std::uint32_t, Hash> last_;  // of those that have entered and not left
  std::vector<std::uint32_t> behind_;                   // by slot
};

}  // namespace orrery::fluid
