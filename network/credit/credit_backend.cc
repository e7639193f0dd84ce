#include "network/credit/credit_backend.h"

#include <deque>
#include <utility>

#include "core/base/check.h"
#include "network/backends.h"
#include "network/credit/channel_order.h"
#include "network/credit_room.h"
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
        order_(topology, takes_levels_in_order(router_, network.routing)),
        ports_(topology.links().size()) {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      const Link& link = topology.links()[i];
      ports_[i].buffer = room_behind(network.credit, link.bandwidth, link.latency);
      CHECK(ports_[i].buffer >= network.credit.segment, "a buffer of {} B for segments of {} B",
            ports_[i].buffer.value, network.credit.segment.value);
    }
  }

 private:
  enum OwnStep : std::uint32_t { credit_step, wake_step };

  struct Input {  // what is stored behind one link, in one channel, and goes on in one channel
    std::optional<LinkIndex> link;  // none: it begins here
    std::uint32_t held = 0, wanted = 0;
    std::deque<SegmentNumber> waiting;
  };
  struct Port {               // the sending end of a link
    Bytes buffer;             // at the other end, of each channel
    std::vector<Bytes> room;  // of each channel, in the buffer at the other end, as we know here
    std::vector<Input> inputs;
    std::size_t turn = 0;       // of the input that is asked first
    std::uint64_t waiting = 0;  // in all inputs
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

  static Input& input_of(Port& port, const Segment& segment, const Channels& channels);
  std::optional<Time> join(SegmentNumber number) override;
  void reached_node(SegmentNumber number) override;
  void lost(SegmentNumber number) override;
  void on_own_event(std::uint32_t step, std::uint32_t number) override;

  std::optional<SegmentNumber> serve(LinkIndex link);
  Input* next_to_send(Port& port);
  void start(Port& port, Input& input);
  void send_elsewhere(Port& port);
  void give_back(LinkIndex link, std::uint32_t channel, Bytes size, Time when);

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
  if (port.room.size() <= channels.wanted) port.room.resize(channels.wanted + 1, port.buffer);
  input_of(port, segment, channels).waiting.push_back(number);
  ++port.waiting;
  if (serve(link) != number) return std::nullopt;
  return links_[link].free;
}

// The inputs of a port are those that were ever needed: a few.
CreditBackend::Input& CreditBackend::input_of(Port& port, const Segment& segment,
                                              const Channels& channels) {
  std::optional<LinkIndex> from;
  if (segment.hop > 0) from = segment.path[segment.hop - 1];
  for (Input& input : port.inputs)
    if (input.link == from && input.held == channels.held && input.wanted == channels.wanted)
      return input;
  return port.inputs.emplace_back(Input{from, channels.held, channels.wanted, {}});
}

// Sends the next segment if the link is free and one fits. Returns which.
std::optional<CreditBackend::SegmentNumber> CreditBackend::serve(LinkIndex link) {
  Port& port = ports_[link];
  std::optional<SegmentNumber> started;
  if (links_[link].free <= queue_.now()) {
    Input* const input = next_to_send(port);
    if (input == nullptr) return std::nullopt;  // the next credit comes back here
    if (router_.bandwidth(link) == Bandwidth{}) {
      send_elsewhere(port);
      return std::nullopt;
    }
    started = input->waiting.front();
    start(port, *input);
  }
  if (port.waiting > 0 && !std::exchange(port.wakes, true))
    schedule_own(links_[link].free, wake_step, link);
  return started;
}

// The inputs take turns; one whose first segment does not fit is passed over.
CreditBackend::Input* CreditBackend::next_to_send(Port& port) {
  for (std::size_t i = 0; i < port.inputs.size(); ++i) {
    const std::size_t asked = (port.turn + i) % port.inputs.size();
    Input& input = port.inputs[asked];
    if (input.waiting.empty()) continue;
    if (segments_[input.waiting.front()].size > port.room[input.wanted]) continue;
    port.turn = asked + 1;
    return &input;
  }
  return nullptr;
}

void CreditBackend::start(Port& port, Input& input) {
  const SegmentNumber number = input.waiting.front();
  const Segment& segment = segments_[number];
  input.waiting.pop_front();
  --port.waiting;
  port.room[input.wanted] -= segment.size;
  const Time out = put_on_link(number, queue_.now());
  if (input.link) give_back(*input.link, input.held, segment.size, out);
}

// The link went down: what waits for it looks for another way.
void CreditBackend::send_elsewhere(Port& port) {
  std::vector<SegmentNumber> stranded;
  for (Input& input : port.inputs)
    for (const SegmentNumber number : std::exchange(input.waiting, {})) stranded.push_back(number);
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
  Port& port = ports_[credit.link];
  Bytes& room = port.room[credit.channel];
  room += credit.size;
  DCHECK(room <= port.buffer, "link {}: room for {} B of {}", credit.link, room.value,
         port.buffer.value);
  serve(credit.link);
}

}  // namespace

const BackendTraits credit_traits{.shares_links = true,
                                  .carriage = Carriage::stored_in_segments,
                                  .segment = CreditSpec{}.segment};

std::unique_ptr<NetworkBackend> make_credit_backend(EventQueue& queue, const Topology& topology,
                                                    const NetworkSpec& spec) {
  return std::make_unique<CreditBackend>(queue, topology, spec);
}

}  // namespace orrery
