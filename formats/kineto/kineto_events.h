// Traces of PyTorch's profiler (Kineto): {"traceEvents": [{"ph", "cat", "name", "ts", "dur", "tid",
// "args": {...}}, ...]}, read event by event, so that a trace need not fit into memory.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::kineto {

// What an event says and counts here; what it does not say is as it stands.
struct Event {
  std::string category, name;
  double begin_us = -1, duration_us = -1;
  std::int64_t thread = -1;
  std::int64_t external = -1, correlation = -1;       // which operation, which launch
  std::string collective, data_type;                  // "allreduce", "Float"
  std::int64_t given = -1, received = -1, ranks = 0;  // elements of a rank, size of the group
  std::vector<std::vector<std::int64_t>> shapes;      // of the inputs; none if one is a list
  std::string first_type;                             // of the first input
};

// Calls `use` with each event, in the order of the file, and returns how many there are. Throws
// ConfigError where the text is no JSON, or holds no events.
std::int64_t read_events(const std::string& file, std::istream& text,
                         const std::function<void(const Event&)>& use);

// Whether a text that begins so is such a trace, and not one of Chakra in JSON. `begin`: a few
// thousand characters, or the whole text.
bool is_profile(std::string_view begin);

}  // namespace orrery::kineto
