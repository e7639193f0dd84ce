// What `auto` chooses for a call, where the file says nothing of the system.
#pragma once

#include <catch2/catch.hpp>

#include "system/rank/selection.h"

namespace orrery::test {

inline AutomaticChoice fastest_choice(const Topology& topology, const GroupAlongLevels& group,
                                      Collective kind, Bytes size) {
  const CollectiveSpec rule;
  const SystemSpec system;
  const auto choice = Selection(topology, system).fastest(rule, group, kind, size);
  REQUIRE(choice);
  return *choice;
}

}  // namespace orrery::test
