#include "network/ns3/process_turn.h"

#include <ns3/nstime.h>
#include <ns3/simulator.h>

#include "core/base/check.h"

namespace orrery {
namespace {

// The process-wide state is ns-3's; this only guards it.
std::mutex one_at_a_time;
std::once_flag resolution;
thread_local bool has_turn = false;

std::unique_lock<std::mutex> wait_for_turn() {
  CHECK(!has_turn,
        "a second simulation on the ns3 backend in one thread, while the first still exists");
  return std::unique_lock(one_at_a_time);
}

}  // namespace

ProcessTurn::ProcessTurn() : turn_(wait_for_turn()) {
  has_turn = true;
  // At ns-3's default, nanoseconds, 64 bytes at 100 Gb/s would take 5 ns instead of 5.12.
  std::call_once(resolution, [] { ns3::Time::SetResolution(ns3::Time::PS); });
}

ProcessTurn::~ProcessTurn() {
  ns3::Simulator::Destroy();
  has_turn = false;
}

}  // namespace orrery
