// The backends of this build: network/backends.def as a table.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "network/network_backend.h"
#include "network/network_spec.h"

namespace orrery {

// How a message that is alone moves along its path, with the backend's default settings.
enum class Carriage : std::uint8_t {
  cut_through,         // latency + size / bandwidth
  stored_whole,        // latency + size / bandwidth on every link
  stored_in_segments,  // of BackendTraits::segment: latency + the first one's time on every link,
                       // and behind it the others
};

// What a backend is like: what it promises beyond network_backend.h, and what it leaves out.
struct BackendTraits {
  bool shares_links = false;  // messages slow each other down inside the fabric, not only at ports
  bool folds = false;         // NetworkBackend::fold() can say yes
  bool has_flows = false;     // a message may take several paths at once
  Carriage carriage = Carriage::cut_through;
  Bytes segment = {};           // of Carriage::stored_in_segments
  bool spreads_evenly = false;  // watch_links(): a message's bytes evenly over its time on the way
  // CPU seconds for each message where ranks send one after the other (docs/speed.md); 0 = depends
  // on the way. For a forecast only.
  double seconds_per_message = 0;
  bool has_packets = false;  // links carry headers and acknowledgements too
  // Of backends with packets: what carries messages between nodes if the user names nothing.
  TransportKind transport = TransportKind::ideal;
  // By how much a lone message may take longer than its carriage says, on links of this bandwidth,
  // over a path whose round trip takes so long. None = not at all.
  Duration (*tolerance)(Bytes size, Bandwidth link, Duration round_trip) = nullptr;
};

struct BackendEntry {
  std::string_view name, sentence;
  // REQUIRES: queue and topology outlive the backend. What the user gave that it does not honour
  // (network_spec.h), it returns as unused_settings().
  std::unique_ptr<NetworkBackend> (*make)(EventQueue& queue, const Topology& topology,
                                          const NetworkSpec& spec);
  const BackendTraits* traits;
};

std::span<const BackendEntry> builtin_backends();
const BackendEntry* find_backend(std::string_view name);  // nullptr if unknown

}  // namespace orrery
