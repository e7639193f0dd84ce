// The keys of `network.fluid:` and `network.queue:`. Keys is Reader or SchemaWriter.
#pragma once

#include "frontends/yaml/reader.h"
#include "network/network_spec.h"

namespace orrery::yaml {

template <class Keys>
void describe_fluid(Keys& keys, NetworkSpec& network) {
  FluidSpec& fluid = network.fluid;
  keys.optional("message_overhead", fluid.message_overhead,
                "time between the send of a message and its first byte", not_negative);
  keys.optional("flow_limit", fluid.flow_limit, "what one message can use at most", positive);
  keys.optional("window", fluid.window,
                "bytes of one message in flight at most: limits it to window / round-trip time",
                positive);
  keys.optional("highest", fluid.highest,
                "messages of highest priority: fair, like all others; weighted, with a larger "
                "share; strict, the others get what they leave");
  keys.optional("highest_weight", fluid.highest_weight, "their weight under weighted",
                between(1, 1024));
  for (const char* key : {"message_overhead", "flow_limit", "window", "highest", "highest_weight"})
    keys.note_if_given(key, network.given, SettingGroup::fluid);
}

template <class Keys>
void describe_queue(Keys& keys, NetworkSpec& network) {
  keys.optional("segment", network.queue.segment,
                "messages are stored and forwarded in pieces of at most this size; none: whole",
                positive);
  keys.note_if_given("segment", network.given, SettingGroup::queue);
}

}  // namespace orrery::yaml
