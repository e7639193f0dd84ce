#include "network/ns3/congestion_control.h"

#include <ns3/tcp-bbr.h>
#include <ns3/tcp-bic.h>
#include <ns3/tcp-cubic.h>
#include <ns3/tcp-dctcp.h>
#include <ns3/tcp-highspeed.h>
#include <ns3/tcp-htcp.h>
#include <ns3/tcp-hybla.h>
#include <ns3/tcp-illinois.h>
#include <ns3/tcp-ledbat.h>
#include <ns3/tcp-linux-reno.h>
#include <ns3/tcp-lp.h>
#include <ns3/tcp-scalable.h>
#include <ns3/tcp-vegas.h>
#include <ns3/tcp-veno.h>
#include <ns3/tcp-westwood.h>
#include <ns3/tcp-yeah.h>

#include "core/base/check.h"

namespace orrery {

ns3::Ptr<ns3::TcpCongestionOps> make_congestion_control(std::string_view name) {
#define CONGESTION_CONTROL(known, type, sentence) \
  if (name == #known) return ns3::CreateObject<ns3::type>();
#include "network/congestion_controls.def"
#undef CONGESTION_CONTROL
  CHECK(false, "no congestion control is called {}", name);
  return nullptr;
}

}  // namespace orrery
