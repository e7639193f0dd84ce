// The sending side of a port: first come, first served.
#pragma once

#include "core/units/units.h"
#include "network/transfer_memo.h"

namespace orrery {

struct EgressPort {
  Time free;
  Bytes link_bytes;  // that left over the port's own link
  TransferMemo transfer;
};

}  // namespace orrery
