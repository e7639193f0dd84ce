// Receivers that are slow: what comes to such an NPU waits in its NIC until the host takes it. The
// host is a port behind the last link, with the memory of the NIC; so the NIC pauses its switch, or
// loses packets, as a switch does.
#include <algorithm>

#include "network/packet/packet_fabric.h"

namespace orrery {

void PacketFabric::make_hosts() {
  SwitchSpec nic = spec_;
  nic.sharing = BufferSharing::shared;
  nic.dynamic_threshold.reset();
  for (const SlowReceiver& slow : spec_.slow) {
    const NodeId npu{slow.npu};
    hosts_.push_back({npu, static_cast<LinkIndex>(ports_.size()), {}});
    Port port;
    port.memory = static_cast<std::int32_t>(memories_.size());
    port.is_host = true;
    ports_.push_back(port);
    rests_.emplace_back();
    set_rate(hosts_.back().port, slow.rate);
    memories_.emplace_back(npu, slow.buffer, nic);
    memories_.back().headroom_is_beside(true);
  }
}

// Where packets for a slow receiver leave the network: behind the last link that a switch sends
// over, which is that to its NIC, if it has one. Without switches, behind the last link.
std::vector<LinkIndex> PacketFabric::ended(std::span<const LinkIndex> links) {
  std::vector<LinkIndex> path(links.begin(), links.end());
  const NodeId target = topology_.links()[links.back()].to;
  const auto host = std::ranges::find(hosts_, target, &Host::npu);
  if (host == hosts_.end()) return path;
  const auto is_of_switch = [&](LinkIndex link) {
    return topology_.node_kind(topology_.links()[link].from) == NodeKind::switched;
  };
  std::size_t behind = links.size();
  while (behind > 0 && !is_of_switch(links[behind - 1])) --behind;
  if (behind == 0) behind = links.size();
  path.insert(path.begin() + static_cast<std::ptrdiff_t>(behind), host->port);
  note_entry(*host, links[behind - 1]);
  return path;
}

// Room for what comes over this link after a pause.
void PacketFabric::note_entry(Host& host, LinkIndex link) {
  if (pauses_ == nullptr || std::ranges::find(host.entries, link) != host.entries.end()) return;
  host.entries.push_back(link);
  memories_[ports_[host.port].memory].set_aside(pauses_->set_aside(link));
}

double PacketFabric::fill_of_host(NodeId npu, std::uint8_t priority) const {
  const auto host = std::ranges::find(hosts_, npu, &Host::npu);
  if (host == hosts_.end()) return 0;
  const Port& port = ports_[host->port];
  const unsigned of = class_of_[priority];
  const double size = (own_buffer_ >> of & 1) != 0
                          ? own_buffer(port, of)
                          : static_cast<double>(memories_[port.memory].size().value);
  return static_cast<double>(queue_of(host->port, of).waiting.value) / size;
}

std::string PacketFabric::name_of(LinkIndex link) const {
  if (link < link_count_) return topology_.link_name(link);
  return "host of " + topology_.node_name(hosts_[link - link_count_].npu);
}

NodeId PacketFabric::end_of(LinkIndex link) const {
  return link < link_count_ ? topology_.links()[link].to : hosts_[link - link_count_].npu;
}

NodeId PacketFabric::start_of(LinkIndex link) const {
  return link < link_count_ ? topology_.links()[link].from : hosts_[link - link_count_].npu;
}

bool PacketFabric::loses(LinkIndex link) {
  const auto lossy = std::ranges::find(spec_.lossy_links, link, &LossyLink::link);
  return random_.uniform() < lossy->loss;
}

}  // namespace orrery
