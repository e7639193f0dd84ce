// Packets as a file of tcpdump and Wireshark: the format of libpcap with time stamps in nanoseconds
// (draft-ietf-opsawg-pcap). Of TCP the link type is "raw IP" (101), of RoCE Ethernet (1). Headers
// are kept, data is left out (there is none: simulated bytes have no contents), its length is told.
//
// NPU n has the address 10.0.0.0 + n. Time stamps are simulated time, rounded down.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/units/units.h"
#include "network/capture_spec.h"

namespace orrery {

struct CapturedPacket {
  NodeId from, to;
  std::uint16_t from_port = 0, to_port = 0;
  // In network byte order, with options; ports and checksum are replaced. At most 60 bytes.
  std::span<const std::uint8_t> tcp_header;
  std::uint32_t data_bytes = 0;
  bool can_be_marked = false, marked = false;  // ECN: capable, congestion experienced
};

enum class CapturedLink : std::uint8_t { ethernet = 1, raw_ip = 101 };  // LINKTYPE_...

class PacketCapture {
 public:
  // Keeps the first `limit` packets.
  PacketCapture(CaptureSpec spec, std::int64_t limit, CapturedLink link = CapturedLink::raw_ip);

  bool wants(LinkIndex link, NodeId from, NodeId to) const;
  void add(Time at, const CapturedPacket& packet);
  // A packet of `length` bytes, of which the first are given.
  void add(Time at, std::span<const std::uint8_t> kept, std::uint32_t length);

  const CaptureSpec& spec() const { return spec_; }
  std::uint64_t packets() const { return packets_; }
  std::uint64_t left_out() const { return left_out_; }
  const std::string& pcap() const { return pcap_; }  // the file

 private:
  CaptureSpec spec_;
  std::uint64_t limit_, packets_ = 0, left_out_ = 0;
  std::string pcap_;
};

}  // namespace orrery
