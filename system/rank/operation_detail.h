// What a span of an operation says of it (Span::detail).
#pragma once

#include <cstdint>
#include <variant>

#include "system/job.h"

namespace orrery {

// Of std::visit, a case each.
template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

inline std::uint8_t detail_of(const Operation& operation) {
  return std::visit(
      Overloaded{[](const CollectiveCall& call) { return static_cast<std::uint8_t>(call.kind); },
                 [](const SendCall&) { return kDetailSend; },
                 [](const ReceiveCall&) { return kDetailReceive; },
                 [](const auto&) { return kDetailCompute; }},
      operation.what);
}

}  // namespace orrery
