// A backend that tells a trace sink of every message another backend carries: one span from send to
// delivery. It costs a table of the messages in flight, so it is put in only for a sink that asks.
#pragma once

#include <memory>
#include <vector>

#include "core/trace/trace_sink.h"
#include "network/network_backend.h"

namespace orrery {

class TracedBackend final : public NetworkBackend, private MessageListener {
 public:
  // REQUIRES: queue and sink outlive this backend.
  TracedBackend(EventQueue& queue, std::unique_ptr<NetworkBackend> backend, TraceSink& sink);

  Time send(const Message& message, MessageListener& listener) override;
  NetworkStatistics statistics() const override { return backend_->statistics(); }
  std::string unfinished() const override { return backend_->unfinished(); }
  bool shares_ports() const override { return backend_->shares_ports(); }
  void watch_links(ByteBins& bins) override { backend_->watch_links(bins); }
  std::span<const std::string> unused_settings() const override {
    return backend_->unused_settings();
  }
  std::vector<std::string> notices() const override { return backend_->notices(); }

 private:
  struct Flight {
    Message message;
    MessageListener* listener = nullptr;
    Time sent;
    int open_ends = 0;  // of delivered and, if the backend did not know its time, injected
  };

  void delivered(const MessageToken& token, Bytes size) override;
  void injected(const MessageToken& token, NodeId source) override;
  void close_end(std::uint32_t flight);

  EventQueue& queue_;
  std::unique_ptr<NetworkBackend> backend_;
  TraceSink& sink_;
  std::vector<Flight> flights_;  // the token of a message on its way is its index here
  std::vector<std::uint32_t> free_;
};

}  // namespace orrery
