#include "network/ns3/tcp_captures.h"

#include <array>
#include <span>

#include "network/packet/captured_headers.h"

namespace orrery {
namespace {

constexpr std::uint16_t target_port = 5'001;

}  // namespace

CapturedEnds captured_ends(NodeId source, NodeId target, std::uint32_t number, bool forward) {
  const auto port = source_port(number);
  if (forward) return {source, target, port, target_port};
  return {target, source, target_port, port};
}

TcpCaptures::TcpCaptures(const NetworkSpec& spec, PacketFabric& fabric) {
  for (const CaptureSpec& capture : spec.captures) {
    captures_.emplace_back(capture, spec.capture_limit);
    for (const LinkIndex link : capture.links) fabric.report_starts(link);
  }
}

void TcpCaptures::note_ends(PacketIndex packet, const CapturedEnds& ends) {
  if (packet >= ends_.size()) ends_.resize(packet + 1);
  ends_[packet] = ends;
}

void TcpCaptures::packet_starts(Time now, PacketIndex index, LinkIndex link,
                                const ns3::Ptr<ns3::Packet>& packet, bool can_be_marked,
                                bool marked) {
  const CapturedEnds& ends = ends_[index];
  for (PacketCapture& capture : captures_) {
    if (!capture.wants(link, ends.from, ends.to)) continue;
    std::array<std::uint8_t, 60> header{};
    packet->CopyData(header.data(), static_cast<std::uint32_t>(header.size()));
    const std::size_t size = std::size_t{header[12]} / 16 * 4;  // "data offset", in words
    capture.add(now, {.from = ends.from,
                      .to = ends.to,
                      .from_port = ends.from_port,
                      .to_port = ends.to_port,
                      .tcp_header = std::span(header).first(size),
                      .data_bytes = packet->GetSize() - static_cast<std::uint32_t>(size),
                      .can_be_marked = can_be_marked,
                      .marked = marked});
  }
}

std::vector<CaptureStatistics> TcpCaptures::statistics() const {
  std::vector<CaptureStatistics> all;
  for (const PacketCapture& capture : captures_)
    all.push_back({capture.spec().link, capture.packets(), capture.left_out(), capture.pcap()});
  return all;
}

}  // namespace orrery
