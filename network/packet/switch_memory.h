// The packet memory of one switch: a pool that its ports share, or a part for each.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/units/units.h"
#include "network/packet/peak_series.h"
#include "network/switch_spec.h"
#include "network/topology/topology.h"

namespace orrery {

class alignas(64) SwitchMemory {
 public:
  SwitchMemory(NodeId node, Bytes size, const SwitchSpec& spec)
      : shared_size_(size),
        size_(size),
        node_(node),
        shared_(spec.sharing == BufferSharing::shared),
        threshold_(spec.dynamic_threshold ? *spec.dynamic_threshold : 0) {}

  // May `packet` more bytes wait at a port where `waiting` do?
  bool has_room(Bytes packet, Bytes waiting) const {
    if (!shared_) return waiting + packet <= size_;
    if (used_ + packet > shared_size_) return false;
    if (threshold_ == 0) return true;
    const double limit = threshold_ * static_cast<double>(free().value);
    return static_cast<double>((waiting + packet).value) <= limit;
  }

  void add(Bytes packet, Time now) {
    used_ += packet;
    hold(packet, now);
  }
  void remove(Bytes packet, Time now) { remove(packet, packet, now); }
  // So much of the packet was in the shared part; the rest was in what is set aside.
  void remove(Bytes packet, Bytes shared, Time now) {
    used_ -= shared;
    hold(Bytes{} - packet, now);
  }

  // --- Memory of lossless classes, which ports do not share ---

  void headroom_is_beside(bool beside) { headroom_beside_ = beside; }
  void set_aside(Bytes part) {
    if (headroom_beside_)
      size_ += part;
    else
      shared_size_ -= part;
  }
  // Of the shared part; below 0 by less than a packet, where a lossless class has gone beyond.
  Bytes free() const { return shared_size_ - used_; }
  void hold(Bytes packet, Time now) {  // in the part that is set aside; below 0: no longer
    held_ += packet;
    series_.set(now, held_.value);
  }

  NodeId node() const { return node_; }
  Bytes size() const { return size_; }
  const PeakSeries& series() const { return series_; }  // of the bytes in use

 private:
  Bytes used_, held_;  // of the shared part; of all
  PeakSeries series_;  // what changes with each packet is at its front
  Bytes shared_size_, size_;
  NodeId node_;
  bool shared_;
  bool headroom_beside_ = false;  // the size it was made with
  double threshold_;              // 0: none
};

}  // namespace orrery
