#include "network/packet/headroom.h"

namespace orrery {
namespace {

constexpr std::int64_t quantum_bytes = 512 / 8;

// Pause quanta that a receiver may take to respond, by the rate of the link. IEEE 802.3 names these
// rates; one between two of them has the time of the faster one's quanta.
std::int64_t response_quanta(Bandwidth rate) {
  if (rate <= gigabits_per_second(10)) return 60;
  if (rate <= gigabits_per_second(25)) return 80;
  if (rate <= gigabits_per_second(40)) return 118;
  if (rate <= gigabits_per_second(100)) return 394;
  return 905;
}

// rate * time, rounded up.
Bytes carried(Bandwidth rate, Duration time) {
  constexpr units_internal::Unsigned128 second = 1'000'000'000'000U;
  const auto product = static_cast<units_internal::Unsigned128>(rate.value) *
                       static_cast<units_internal::Unsigned128>(time.value);
  return bytes(static_cast<std::int64_t>((product + second - 1) / second));
}

}  // namespace

Duration longest_pause(Bandwidth rate) {
  return transfer_time(bytes(65'535 * quantum_bytes), rate);
}

Duration response_of(const PfcSpec& pfc, Bandwidth rate) {
  if (pfc.response) return *pfc.response;
  return transfer_time(bytes(response_quanta(rate) * quantum_bytes), rate);
}

Bytes headroom_of(const PacketClass& packet_class, const SwitchSpec& spec, const Link& link) {
  if (packet_class.headroom) return *packet_class.headroom;
  const Duration response = response_of(spec.pfc, link.bandwidth);
  return spec.largest_packet * 3 + pause_frame_bytes +
         carried(link.bandwidth, link.latency * 2 + response);
}

}  // namespace orrery
