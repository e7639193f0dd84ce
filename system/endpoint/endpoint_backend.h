// The endpoints of all ranks, as a layer over a network backend: a message passes its sender's
// endpoint before the backend sees it, and its receiver's after that.
//
//   send      the processor is busy for o_s; then the copy, size / send_copy; then the port to the
//             wire takes one message every gap
//   receive   the port takes one message every gap; then the copy, size / receive_copy; then the
//             processor is busy for o_r
//
// A rank has two endpoints, one for messages that stay on local levels and one for those that
// cross a scale-out level, and each has one processor, one copy engine a direction and one port a
// direction. Each of these serves one message at a time, in the order in which the messages reach
// it, at equal times in the order of events; the processor is the only one that sends and arrivals
// share. A message that begins or ends at a switch node passes no endpoint.
//
// Where all costs are off there is no such layer (make_endpoints returns null), and where those of
// one scope are, its messages go straight through.
//
// LogGP: see endpoint_spec.h. k short messages posted at once by one rank are all there after
// o_s + (k-1) max(g, o_s) + L + o_r.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/trace/trace_sink.h"
#include "core/units/total.h"
#include "network/network_backend.h"
#include "system/operation_source.h"
#include "system/system_spec.h"

namespace orrery {

// What a rank's messages spent in its endpoints, summed.
struct EndpointAccount {
  std::int64_t sent = 0, received = 0;  // messages
  TotalTime overhead, copy;             // the processor and the copy engines were busy
  TotalTime waited;                     // messages stood in line for one of these, or for the gap
};

class EndpointBackend final : public NetworkBackend, private MessageListener, private EventHandler {
 public:
  // REQUIRES: all references outlive this backend.
  EndpointBackend(EventQueue& queue, NetworkBackend& network, const Topology& topology,
                  const SystemSpec& spec, TraceSink& sink);

  Time send(const Message& message, MessageListener& listener) override;
  NetworkStatistics statistics() const override { return network_.statistics(); }
  bool shares_ports() const override { return network_.shares_ports(); }
  void watch_links(ByteBins& bins) override { network_.watch_links(bins); }
  std::span<const std::string> unused_settings() const override {
    return network_.unused_settings();
  }

  EndpointAccount account(Rank rank) const { return accounts_[rank]; }

 private:
  // Serves one message at a time.
  struct Server {
    Time free;
    // Returns when this one begins.
    Time take(Time from, Duration busy) {
      const Time begin = from > free ? from : free;
      free = begin + busy;
      return begin;
    }
  };
  struct Endpoint {
    Server processor, send_copy, receive_copy, send_port, receive_port;
  };
  enum class Step : std::uint8_t { post, injected, process, deliver };
  struct Flight {
    Message message;
    MessageListener* listener = nullptr;
    Time begun;  // of its stay in the present endpoint
    std::uint8_t scope = 0;
    int open_ends = 0;  // of delivered and injected
  };

  void delivered(const MessageToken& token, Bytes size) override;
  void injected(const MessageToken& token, NodeId source) override;
  void on_event(std::uint64_t argument) override;

  Scope scope_of(const Message& message) const;
  Endpoint& endpoint_of(NodeId npu, std::uint8_t scope) {
    return endpoints_[static_cast<std::size_t>(npu.value) * 2 + scope];
  }
  std::uint32_t open_flight(const Message& message, MessageListener& listener, Scope scope);
  void close_end(std::uint32_t flight);
  void schedule(Time when, std::uint32_t flight, Step step);
  void post(std::uint32_t flight);
  void process_arrival(std::uint32_t flight);
  void hand_over(std::uint32_t flight);
  // Both count what they return, or the wait before it, to the rank's account.
  Duration copy(Bytes size, const std::optional<Bandwidth>& rate, EndpointAccount& account) const;
  Time serve(Server& server, Time from, Duration busy, EndpointAccount& account);
  void emit(const Flight& flight, bool receives) const;

  EventQueue& queue_;
  NetworkBackend& network_;
  const Topology& topology_;
  TraceSink& sink_;
  std::array<EndpointSpec, 2> specs_;  // index: Scope
  EventQueue::HandlerId handler_;
  std::vector<Endpoint> endpoints_;  // rank by rank, one of each Scope
  std::vector<EndpointAccount> accounts_;
  std::vector<Flight> flights_;  // the token of a message on its way is its index here
  std::vector<std::uint32_t> free_;
};

// Null if all endpoint costs are off: then `network` is to be used as it is.
std::unique_ptr<EndpointBackend> make_endpoints(EventQueue& queue, NetworkBackend& network,
                                                const Topology& topology, const SystemSpec& spec,
                                                TraceSink& sink);

}  // namespace orrery
