#include "network/credit/credit_backend.h"

#include <deque>
#include <utility>

#include "core/base/check.h"
#include "network/credit/channel_order.h"
#include "network/queue/store_and_forward.h"

namespace orrery {
namespace {

bool takes_levels_in_order(const Router& router, const RoutingSpec& routing) {
  return router.policy() == RoutingPolicy::dimension_order && routing.faults.empty() &&
         routing.routes.empty();
}

class CreditBackend final : public StoreAndForward {
 public:
  CreditBackend(EventQueue& queue, const Topology& topology, const NetworkSpec& network)
      : StoreAndForward(queue, topology, network, network.credit.segment,
                        {SettingGroup::routing, SettingGroup::credit}),
        buffer_(network.credit.buffer),
        order_(topology, takes_levels_in_order(router_, network.routing)),
        ports_(topology.links().size()) {
    CHECK(buffer_ >= network.credit.segment, "a buffer of {} B for segments of {} B", buffer_.value,
          network.credit.segment.value);
  }

 private:
  enum OwnStep : std::uint32_t { credit_step, wake_step };

  struct Waiting {
    SegmentNumber number = 0;
    std::uint64_t turn = 0;  // counts what has come to the link
  };
  struct Channel {
    Bytes room;  // in the buffer at the other end, as the sending end knows
    std::deque<Waiting> waiting;
  };
  struct Port {  // the sending end of a link
    std::vector<Channel> channels;
    std::uint64_t turns = 0;
    std::uint64_t waiting = 0;  // in all channels
    bool wakes = false;         // there is a wake_step to come
  };
  struct Credit {  // on its way back
    LinkIndex link = 0;
    std::uint32_t channel = 0;
    Bytes size;
  };
  struct Channels {            // of a segment
    std::uint32_t held = 0;    // where it is stored
    std::uint32_t wanted = 0;  // of the link it is on or waits for
  };

  std::optional<Time> join(SegmentNumber number) override;
  void reached_node(SegmentNumber number) override;
  void lost(SegmentNumber number) override;
  void on_own_event(std::uint32_t step, std::uint32_t number) override;

  std::optional<SegmentNumber> serve(LinkIndex link);
  Channel* next_to_send(Port& port);
  void start(LinkIndex link, Channel& channel);
  void send_elsewhere(Port& port);
  void give_back(LinkIndex link, std::uint32_t channel, Bytes size, Time when);

  const Bytes buffer_;
  ChannelOrder order_;
  std::vector<Port> ports_;         // as Topology::links()
  std::vector<Channels> channels_;  // as segments_
  std::vector<Credit> credits_;
  std::vector<std::uint32_t> free_credits_;
};

std::optional<Time> CreditBackend::join(SegmentNumber number) {
  const Segment& segment = segments_[number];
  const LinkIndex link = next_link(segment);
  channels_.resize(segments_.size());
  Channels& channels = channels_[number];
  channels.wanted =
      segment.hop == 0 ? 0 : order_.next(segment.path[segment.hop - 1], channels.held, link);
  Port& port = ports_[link];
  if (port.channels.size() <= channels.wanted)
    port.channels.resize(channels.wanted + 1, Channel{buffer_, {}});
  port.channels[channels.wanted].waiting.push_back({number, port.turns++});
  ++port.waiting;
  if (serve(link) != number) return std::nullopt;
  return links_[link].free;
}

// Sends the next segment if the link is free and one fits. Returns which.
std::optional<CreditBackend::SegmentNumber> CreditBackend::serve(LinkIndex link) {
  Port& port = ports_[link];
  std::optional<SegmentNumber> started;
  if (links_[link].free <= queue_.now()) {
    Channel* const channel = next_to_send(port);
    if (channel == nullptr) return std::nullopt;  // the next credit comes back here
    if (router_.bandwidth(link) == Bandwidth{}) {
      send_elsewhere(port);
      return std::nullopt;
    }
    started = channel->waiting.front().number;
    start(link, *channel);
  }
  if (port.waiting > 0 && !std::exchange(port.wakes, true))
    schedule_own(links_[link].free, wake_step, link);
  return started;
}

// Within a channel first come, first served; of the channels whose first one fits, that of the one
// that came first.
CreditBackend::Channel* CreditBackend::next_to_send(Port& port) {
  Channel* best = nullptr;
  for (Channel& channel : port.channels) {
    if (channel.waiting.empty()) continue;
    const Waiting& first = channel.waiting.front();
    if (segments_[first.number].size > channel.room) continue;
    if (best == nullptr || first.turn < best->waiting.front().turn) best = &channel;
  }
  return best;
}

void CreditBackend::start(LinkIndex link, Channel& channel) {
  const SegmentNumber number = channel.waiting.front().number;
  const Segment& segment = segments_[number];
  channel.waiting.pop_front();
  --ports_[link].waiting;
  channel.room -= segment.size;
  const Time out = put_on_link(number, queue_.now());
  if (segment.hop > 0)
    give_back(segment.path[segment.hop - 1], channels_[number].held, segment.size, out);
}

// The link went down: what waits for it looks for another way.
void CreditBackend::send_elsewhere(Port& port) {
  std::vector<SegmentNumber> stranded;
  for (Channel& channel : port.channels)
    for (const Waiting& waiting : std::exchange(channel.waiting, {}))
      stranded.push_back(waiting.number);
  port.waiting = 0;
  for (const SegmentNumber number : stranded) enter(number);
}

// A segment leaves the buffer behind `link` at `when`.
void CreditBackend::give_back(LinkIndex link, std::uint32_t channel, Bytes size, Time when) {
  const std::uint32_t slot = take(credits_, free_credits_);
  credits_[slot] = {link, channel, size};
  schedule_own(when + topology_.links()[link].latency, credit_step, slot);
}

// At its target a segment is taken out of the buffer at once.
void CreditBackend::reached_node(SegmentNumber number) {
  const Segment& segment = segments_[number];
  Channels& channels = channels_[number];
  channels.held = channels.wanted;
  if (at_target(segment)) give_back(next_link(segment), channels.held, segment.size, queue_.now());
}

void CreditBackend::lost(SegmentNumber number) {
  const Segment& segment = segments_[number];
  give_back(segment.path[segment.hop - 1], channels_[number].held, segment.size, queue_.now());
}

void CreditBackend::on_own_event(std::uint32_t step, std::uint32_t number) {
  if (step == wake_step) {
    ports_[number].wakes = false;
    serve(number);
    return;
  }
  const Credit credit = credits_[number];
  free_credits_.push_back(number);
  Channel& channel = ports_[credit.link].channels[credit.channel];
  channel.room += credit.size;
  DCHECK(channel.room <= buffer_, "link {}: room for {} B of {}", credit.link, channel.room.value,
         buffer_.value);
  serve(credit.link);
}

}  // namespace

std::unique_ptr<NetworkBackend> make_credit_backend(EventQueue& queue, const Topology& topology,
                                                    const NetworkSpec& spec) {
  return std::make_unique<CreditBackend>(queue, topology, spec);
}

}  // namespace orrery
