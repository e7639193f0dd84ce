#include "network/roce/roce_captures.h"

namespace orrery {

RoceCaptures::RoceCaptures(const NetworkSpec& spec, PacketFabric& fabric) {
  for (const CaptureSpec& capture : spec.captures) {
    captures_.emplace_back(capture, spec.capture_limit, CapturedLink::ethernet);
    for (const LinkIndex link : capture.links) fabric.report_starts(link);
  }
}

void RoceCaptures::keep(PacketIndex packet, const RoceFields& fields) {
  if (packet >= frames_.size()) frames_.resize(packet + 1);
  frames_[packet] = RoceFrame(fields);
}

void RoceCaptures::packet_starts(Time now, PacketIndex packet, LinkIndex link, bool marked) {
  RoceFrame& frame = frames_[packet];
  for (PacketCapture& capture : captures_)
    if (capture.wants(link, frame.from(), frame.to()))
      capture.add(now, frame.kept(marked), frame.length());
}

std::vector<CaptureStatistics> RoceCaptures::statistics() const {
  std::vector<CaptureStatistics> all;
  for (const PacketCapture& capture : captures_)
    all.push_back({capture.spec().link, capture.packets(), capture.left_out(), capture.pcap()});
  return all;
}

}  // namespace orrery
