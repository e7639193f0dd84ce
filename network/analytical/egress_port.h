// The sending side of a port: first come, first served.
#pragma once

#include "core/units/total.h"
#include "core/units/units.h"
#include "network/transfer_memo.h"

namespace orrery {

struct EgressPort {
  Time free;
  TotalBytes link_bytes;  // that left over the port's own link
  TransferMemo transfer;
};

}  // namespace orrery
