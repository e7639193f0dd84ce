#include "network/queue/queue_backend.h"

#include <algorithm>

#include "network/backends.h"
#include "network/queue/store_and_forward.h"

namespace orrery {
namespace {

// No queue is stored: what waits for a link has its time already.
class QueueBackend final : public StoreAndForward {
 public:
  QueueBackend(EventQueue& queue, const Topology& topology, const NetworkSpec& network)
      : StoreAndForward(queue, topology, network, network.queue.segment,
                        {SettingGroup::routing, SettingGroup::queue}) {}

 private:
  std::optional<Time> join(SegmentNumber number) override {
    return put_on_link(number, std::max(queue_.now(), links_[next_link(segments_[number])].free));
  }
};

}  // namespace

const BackendTraits queue_traits{.shares_links = true, .carriage = Carriage::stored_whole};

std::unique_ptr<NetworkBackend> make_queue_backend(EventQueue& queue, const Topology& topology,
                                                   const NetworkSpec& spec) {
  return std::make_unique<QueueBackend>(queue, topology, spec);
}

}  // namespace orrery
