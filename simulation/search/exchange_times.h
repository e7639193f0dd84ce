// What exchanges take on a platform when they are alone, estimated: a collective as the stages of
// its plan one after the other, its chunks at the rate of the busiest port (prediction.h), a
// message as its latency and its bytes at the narrowest link.
//
// What keeps ports busy is known where `auto` chooses the algorithm. With protocols there are many
// to choose from, so two sizes of each octave are known, and others lie between two of these.
//
// Without endpoints and limits. The same sums come back for most
// configurations of a search, and are kept.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "network/topology/topology.h"
#include "system/rank/automatic_choice.h"
#include "system/system_spec.h"
#include "workload/schedule_estimate.h"

namespace orrery {

class EstimatedExchangeTimes final : public ExchangeTimes {
 public:
  // REQUIRES: both outlive this.
  EstimatedExchangeTimes(const Topology& topology, const SystemSpec& system)
      : topology_(topology), system_(system), costs_(topology, system) {}

  // If groups of the communicator differ, of the first.
  const PortUse& collective(const Communicator& communicator, Collective kind, Bytes size) override;
  double taken(const Communicator& communicator, Bytes size) override;
  // Over the longest way that ranks so far apart have, at what each gets there while all send.
  Message message(Rank distance, Bytes size) override;
  // Of the first ones.
  Message shift(Rank distance, std::int32_t ranks, Bytes size) override;

 private:
  // Members of a group along a level, innermost first.
  using Layout = GroupAlongLevels;
  // Extents of a communicator as count and stride, or the members of its first group and 0.
  using Members = std::vector<std::pair<std::int32_t, std::int32_t>>;

  const Layout& layout_of(const Communicator& communicator);
  Bandwidth while_all_send(Rank from, Rank to, Rank distance) const;
  void take_longer(Message& longest, Rank from, Rank to, Rank distance, Bytes size) const;
  const PortUse& known(const Layout& layout, Collective kind, Bytes size);
  PortUse estimate(const Layout& layout, Collective kind, Bytes size);
  PortUse exactly(const Layout& layout, Collective kind, Bytes size);

  const Topology& topology_;
  const SystemSpec& system_;
  PhaseCosts costs_;
  std::map<Members, Layout> layouts_;
  std::map<std::tuple<Layout, Collective, Bytes>, PortUse> known_;
  std::map<std::pair<Rank, Bytes>, Message> messages_;
  std::map<std::tuple<Rank, std::int32_t, Bytes>, Message> shifts_;
};

}  // namespace orrery
