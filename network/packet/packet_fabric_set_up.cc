// Ports, classes and paths as the topology and the switches' spec have them.
#include <bit>
#include <limits>

#include "core/base/check.h"
#include "network/packet/packet_fabric.h"

namespace orrery {

PacketFabric::PacketFabric(EventQueue& queue, const Topology& topology, const SwitchSpec& spec,
                           std::span<const std::optional<Bytes>> buffers, std::uint64_t seed,
                           PacketOwner& owner)
    : queue_(queue),
      topology_(topology),
      spec_(spec),
      owner_(owner),
      random_(seed, "packet fabric") {
  handler_ = queue.add_handler(*this);
  make_classes();
  make_ports(topology, buffers);
  make_hosts();
  make_pauses(topology);
  depths_.resize(spec.watched.size());
  losses_.resize(depths_.size());
  marks_.resize(depths_.size());
  histograms_.resize(depths_.size() * (classes_.size() + 1));
  for (std::size_t i = 0; i < depths_.size(); ++i) {
    ports_[spec.watched[i]].watched = true;
    rests_[spec.watched[i]].depth = static_cast<std::uint32_t>(i);
  }
}

// Class 0 is there, whether the file names it or not.
void PacketFabric::make_classes() {
  base_queue_ = spec_.classes.empty() || spec_.classes.front().priority != 0;
  if (base_queue_) classes_.emplace_back();
  classes_.insert(classes_.end(), spec_.classes.begin(), spec_.classes.end());
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    if (!spec_.pfc.enabled) classes_[i].lossless = false;
    const auto bit = static_cast<std::uint16_t>(1U << i);
    if (classes_[i].lossless) lossless_ |= bit;
    if (classes_[i].ecn) (classes_[i].ecn->on_leaving ? marks_leaving_ : marks_entering_) |= bit;
    if (classes_[i].buffer && !classes_[i].lossless) own_buffer_ |= bit;
    if (classes_[i].overflow == ClassOverflow::trim) trims_ |= bit;
    if (classes_[i].least_first) least_first_ |= bit;
    if (classes_[i].carries == ClassContent::control) header_class_ = static_cast<unsigned>(i);
    class_of_[static_cast<std::size_t>(classes_[i].priority)] = static_cast<ClassIndex>(i);
  }
  queue_count_ = static_cast<unsigned>(classes_.size());
  if (lossless_ != 0) usual_ = static_cast<unsigned>(std::bit_width(lossless_)) - 1;
}

void PacketFabric::make_ports(const Topology& topology,
                              std::span<const std::optional<Bytes>> buffers) {
  std::vector<std::int32_t> memory_of(static_cast<std::size_t>(topology.node_count()), -1);
  link_count_ = topology.links().size();
  ports_.resize(link_count_);
  rests_.resize(link_count_);
  for (const LossyLink& lossy : spec_.lossy_links) ports_[lossy.link].lossy = true;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const Link& link = topology.links()[i];
    set_rate(static_cast<LinkIndex>(i), link.bandwidth);
    ports_[i].latency = link.latency;
    if (topology.node_kind(link.from) != NodeKind::switched) continue;
    std::int32_t& memory = memory_of[static_cast<std::size_t>(link.from.value)];
    if (memory < 0) {
      memory = static_cast<std::int32_t>(memories_.size());
      const auto level = static_cast<std::size_t>(link.level);
      const bool own = level < buffers.size() && buffers[level];
      memories_.emplace_back(link.from, own ? *buffers[level] : spec_.buffer, spec_);
      memories_.back().headroom_is_beside(spec_.headroom_beside_buffer && !own);
    }
    ports_[i].memory = memory;
  }
}

void PacketFabric::set_rate(LinkIndex link, Bandwidth bandwidth) {
  constexpr std::int64_t second = 1'000'000'000'000;  // ps
  Port& port = ports_[link];
  rests_[link].bandwidth = bandwidth;
  rests_[link].last_size = 0;
  port.is_down = bandwidth == Bandwidth{};
  const bool whole = !port.is_down && second % bandwidth.value == 0;
  constexpr std::int64_t longest = std::numeric_limits<std::uint32_t>::max();
  const std::int64_t byte_time = whole ? second / bandwidth.value : 0;
  port.byte_time = byte_time <= longest ? static_cast<std::uint32_t>(byte_time) : 0;
}

PathIndex PacketFabric::add_path(std::span<const LinkIndex> links) {
  CHECK(!links.empty(), "a path without links");
  const auto path = static_cast<PathIndex>(path_links_.size());
  const std::vector<LinkIndex> path_to_end = ended(links);
  path_links_.insert(path_links_.end(), path_to_end.begin(), path_to_end.end());
  path_links_.push_back(none);
  return path;
}

}  // namespace orrery
