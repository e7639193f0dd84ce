// Which virtual channel of a link a segment takes, so that buffers never wait for each other in a
// circle.
//
// Links have places in an order, and a segment goes up one channel whenever its next link does not
// come later in that order than the one before. So the pair (channel, place) only ever rises along
// a path; what is in the last buffers of that order leaves, then what is in those before them, and
// so on: no deadlock, whatever the routes, with a buffer of one segment for each channel.
// W. Dally, C. Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks",
// IEEE Trans. Computers C-36(5), 1987.
//
//   ring, mesh   upwards by coordinate, then downwards by falling coordinate: the one step back is
//                behind the link that closes the ring, the dateline; two channels
//   switch       to the switch, from the switch; one channel
//   a graph      away from the NPUs, sideways, towards them; one channel on a tree, and one more
//                for each further hop sideways (dragonfly) or change from down to up (valiant)
//
// Where all routes take the levels in their order (dimension order), channels begin again at 0 on
// every level: a torus has two, whatever its dimensions.
#pragma once

#include <cstdint>
#include <vector>

#include "network/topology/topology.h"

namespace orrery {

class ChannelOrder {
 public:
  // `by_levels`: all paths cross the levels of a structural topology in their order.
  ChannelOrder(const Topology& topology, bool by_levels);

  // The channel on `link`, for what has just crossed `before` on `channel`. On its first link a
  // segment is on channel 0.
  std::uint32_t next(LinkIndex before, std::uint32_t channel, LinkIndex link) const {
    if (by_levels_ && places_[link].level > places_[before].level) return 0;
    return places_[before] < places_[link] ? channel : channel + 1;
  }

 private:
  struct Place {
    std::int32_t level = 0, rank = 0;
    auto operator<=>(const Place&) const = default;
  };

  static Place place_on_levels(const Topology& topology, const Link& link);
  void place_on_graph(const Topology& topology);

  bool by_levels_;
  std::vector<Place> places_;  // as Topology::links()
};

}  // namespace orrery
