// What the credit backend can be told, as plain data. docs/models/credit.md.
#pragma once

#include <optional>

#include "core/units/units.h"

namespace orrery {

struct CreditSpec {
  Bytes segment = kibibytes(4);  // messages go in pieces of at most this size, > 0
  // Room at the receiving end of a link, for each virtual channel; >= segment. Nothing: what its
  // bandwidth and latency need (network/credit_room.h).
  std::optional<Bytes> buffer;
};

}  // namespace orrery
