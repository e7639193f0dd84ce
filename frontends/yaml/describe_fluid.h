// The keys of `network.fluid:`, `network.queue:` and `network.credit:`.
#pragma once

#include "frontends/yaml/reader.h"
#include "network/network_spec.h"
#include "network/problems.h"

namespace orrery::yaml {

inline void describe_fluid(Keys& keys, NetworkSpec& network) {
  FluidSpec& fluid = network.fluid;
  keys.optional("message_overhead", fluid.message_overhead,
                "time between the send of a message and its first byte", not_negative);
  keys.optional("flow_limit", fluid.flow_limit, "most bandwidth that one message can use",
                positive);
  keys.optional("window", fluid.window,
                "bytes of one message in flight at most: limits it to window / round-trip time",
                positive);
  keys.optional("highest", fluid.highest,
                "messages of highest priority: fair, like all others; weighted, with a larger "
                "share; strict, the others get what they leave");
  keys.optional("highest_weight", fluid.highest_weight,
                "weight of messages of highest priority under weighted", between(1, 1024));
  keys.optional_items("efficiency", fluid.efficiency,
                      "share of the narrowest link that a message of a size can use; linear "
                      "between the points, smallest size first",
                      [](Keys& point, EfficiencyPoint& spec, std::size_t) {
                        point.required("size", spec.size, "size of the message", positive);
                        point.required("share", spec.efficiency, "share of the narrowest link");
                      });
  keys.optional("completion_tolerance", fluid.completion_tolerance,
                "messages may end late by this share of their size, 0.1 % at most, so that what "
                "ends at nearly the same time ends together");
  keys.check([&](Reader& reader) {
    if (reader.clean()) reader.report(problems_of(fluid));
  });
  for (const char* key : {"message_overhead", "flow_limit", "window", "efficiency", "highest",
                          "highest_weight", "completion_tolerance"})
    keys.note_if_given(key, network.given, SettingGroup::fluid);
}

inline void describe_queue(Keys& keys, NetworkSpec& network) {
  keys.optional("segment", network.queue.segment,
                "messages are stored and forwarded in pieces of at most this size; none: whole",
                positive);
  keys.note_if_given("segment", network.given, SettingGroup::queue);
}

inline void describe_credit(Keys& keys, NetworkSpec& network) {
  CreditSpec& credit = network.credit;
  keys.optional("segment", credit.segment,
                "messages are stored and forwarded in pieces of at most this size", positive);
  keys.optional("buffer", credit.buffer,
                "room at the receiving end of a link, for each virtual channel; without it, what "
                "keeps the link full: two segments and bandwidth x 2 latencies, at least 64 KiB",
                positive);
  keys.check([&](Reader& reader) {
    if (reader.clean()) reader.report(problems_of(credit));
  });
  for (const char* key : {"segment", "buffer"})
    keys.note_if_given(key, network.given, SettingGroup::credit);
}

}  // namespace orrery::yaml
