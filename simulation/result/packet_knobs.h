// What to change where senders of packets hold back, or send again, without need.
#pragma once

#include <string>

#include "network/network_spec.h"
#include "simulation/run_result.h"

namespace orrery {

// Where packets are sent again because others overtook them, no control makes up for it. "" if they
// are not.
std::string other_recovery(const RunResult& result, const NetworkSpec& network);

// Where RoCE's control keeps senders from a free line, it may be what holds them. At most the time
// in which the fullest link is idle is gained without it. "another ...; ", or "". `idle`: of the
// time in which there is communication, the share without bytes on the fullest link of the part's
// level.
std::string other_control(const TimePart& part, const RunResult& result, const NetworkSpec& network,
                          double idle);

}  // namespace orrery
