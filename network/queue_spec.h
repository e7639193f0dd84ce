// What the queue backend can be told, as plain data. docs/models/queue.md.
#pragma once

#include <optional>

#include "core/units/units.h"

namespace orrery {

struct QueueSpec {
  // Messages are stored and forwarded in pieces of at most this size, > 0; nothing: whole.
  std::optional<Bytes> segment;
};

}  // namespace orrery
