// Arrows from sends to receives: the k-th that leaves on a channel and the k-th that arrives there
// have the same number. A channel is (sender, receiver, tag).
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "system/operation_source.h"

namespace orrery {

class Flows {
 public:
  std::uint64_t departs(Rank sender, Rank receiver, std::int32_t tag) {
    Channel& channel = channel_of(sender, receiver, tag);
    return channel.first_flow | ++channel.sent;
  }
  std::uint64_t arrives(Rank sender, Rank receiver, std::int32_t tag) {
    Channel& channel = channel_of(sender, receiver, tag);
    return channel.first_flow | ++channel.received;
  }

 private:
  struct Channel {
    std::uint64_t first_flow = 0, sent = 0, received = 0;
  };

  // Numbers are global in a trace: a channel has 2^32 of them.
  Channel& channel_of(Rank sender, Rank receiver, std::int32_t tag) {
    const auto number = static_cast<std::uint64_t>(channels_.size()) + 1;
    return channels_.try_emplace({sender, receiver, tag}, Channel{number << 32, 0, 0})
        .first->second;
  }

  std::map<std::tuple<Rank, Rank, std::int32_t>, Channel> channels_;
};

}  // namespace orrery
