// The packet memory of one switch: a pool that its ports share, or a part for each.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/units/units.h"
#include "network/packet/peak_series.h"
#include "network/switch_spec.h"
#include "network/topology/topology.h"

namespace orrery {

class SwitchMemory {
 public:
  SwitchMemory(NodeId node, Bytes size, const SwitchSpec& spec)
      : node_(node),
        size_(size),
        shared_(spec.sharing == BufferSharing::shared),
        threshold_(spec.dynamic_threshold ? *spec.dynamic_threshold : 0) {}

  // May `packet` more bytes wait at a port where `waiting` do?
  bool has_room(Bytes packet, Bytes waiting) const {
    if (!shared_) return waiting + packet <= size_;
    if (used_ + packet > size_) return false;
    if (threshold_ == 0) return true;
    const double limit = threshold_ * static_cast<double>((size_ - used_).value);
    return static_cast<double>((waiting + packet).value) <= limit;
  }

  void add(Bytes packet, Time now) {
    used_ += packet;
    series_.set(now, used_.value);
  }
  void remove(Bytes packet, Time now) {
    used_ -= packet;
    series_.set(now, used_.value);
  }

  NodeId node() const { return node_; }
  Bytes size() const { return size_; }
  const PeakSeries& series() const { return series_; }  // of the bytes in use

 private:
  NodeId node_;
  Bytes size_, used_;
  bool shared_;
  double threshold_;  // 0: none
  PeakSeries series_;
};

}  // namespace orrery
