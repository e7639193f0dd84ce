// Hand-made results whose numbers are easy to follow: 2 ranks, 2 iterations, all times in round us.
#pragma once

#include "simulation/run_result.h"

namespace orrery::test {

inline LayerRow layer(std::string name, std::int32_t iteration, Pass pass, std::string collective,
                      Bytes size, Duration compute, Duration raw, Duration exposed) {
  const bool communicates = !collective.empty();
  return {.name = std::move(name),
          .iteration = iteration,
          .pass = pass,
          .collective = std::move(collective),
          .algorithms = communicates ? "ring" : "",
          .ranks = communicates ? 2 : 0,
          .bytes = size,
          .compute = compute,
          .raw = raw,
          .raw_max = raw,
          .raw_bound = picoseconds(raw.value / 2),
          .exposed = exposed};
}

// Of 100 us. Nine tenths of what is waited for the network is what it is bound by.
inline TimePart part(std::string name, std::string level, Duration time, BoundBy bound,
                     std::string knob) {
  TimePart part;
  part.part = std::move(name);
  part.level = std::move(level);
  part.time = time;
  part.share = static_cast<double>(time.value) / 1e8;
  part.bound_by = bound;
  if (bound == BoundBy::bandwidth) part.bandwidth = picoseconds(time.value / 10 * 9);
  if (bound == BoundBy::latency) part.latency = picoseconds(time.value / 10 * 9);
  part.knob = std::move(knob);
  return part;
}

// finish 100 us = compute 40 + exposed 50 + idle 10; an iteration takes 50 us.
inline RunResult sample() {
  RunResult result;
  result.name = "Ring";
  result.backend = "analytical";
  result.seed = 7;
  result.fingerprint = "00112233445566778899aabbccddeeff";
  result.finish = microseconds(100);
  result.compute = microseconds(40);
  result.exposed = microseconds(50);
  result.idle = microseconds(10);
  result.bound = microseconds(80);
  result.bound_by = "fabric";
  result.why = {
      part("compute", "", microseconds(40), BoundBy::compute_rate, "a faster processor"),
      part("all_reduce", "fabric", microseconds(30), BoundBy::bandwidth,
           "more bandwidth on fabric"),
      part("all_to_all forward", "fabric", microseconds(20), BoundBy::latency, "less latency"),
      part("idle", "", microseconds(10), BoundBy::nothing, "")};
  result.exposed_by = {{"all_reduce", microseconds(30)}, {"all_to_all forward", microseconds(20)}};
  for (const std::int32_t iteration : {1, 2}) {
    result.layers.push_back(layer("emb", iteration, Pass::forward, "all_to_all", bytes(4'000),
                                  microseconds(0), microseconds(12), microseconds(10)));
    result.layers.push_back(
        layer("emb", iteration, Pass::input_gradient, "", bytes(0), {}, {}, {}));
    result.layers.push_back(layer("top, 0", iteration, Pass::weight_gradient, "all_reduce",
                                  bytes(1'000'000), microseconds(20), nanoseconds(25'500),
                                  microseconds(15)));
  }
  result.levels = {{"fabric", "all_reduce", bytes(4'000'000)},
                   {"fabric", "all_to_all", bytes(8'000)}};
  result.links = {{"npu 0", "npu 1", "fabric", bytes(2'004'000), 0.8016},
                  {"npu 1", "npu 0", "fabric", bytes(2'004'000), 0.8016}};
  result.ranks = {
      {0, 1, microseconds(100), microseconds(40), microseconds(50), microseconds(10), {}},
      {1, 1, microseconds(90), microseconds(40), microseconds(50), microseconds(0), {}}};
  result.events = 123;
  result.messages = 45;
  result.provenance = {.version = "1.2.3",
                       .commit = "abc",
                       .command = "orrery run ring.yaml",
                       .inputs = "0123456789abcdef",
                       .configuration = {{"seed", "7"}}};
  result.host = {.wall_s = 0.5, .cpu_s = 0.25, .peak_rss_bytes = 3'000'000};
  return result;
}

// The same job in half the communication: finish 75 us.
inline RunResult faster_sample() {
  RunResult result = sample();
  result.name = "Switch";
  result.finish = microseconds(75);
  result.exposed = microseconds(25);
  result.exposed_by = {{"all_reduce", microseconds(25)}};
  result.why = {part("compute", "", microseconds(40), BoundBy::compute_rate, "a faster processor"),
                part("all_reduce", "fabric", microseconds(25), BoundBy::bandwidth,
                     "more bandwidth on fabric"),
                part("idle", "", microseconds(10), BoundBy::nothing, "")};
  for (LayerRow& row : result.layers) {
    row.raw = picoseconds(row.raw.value / 2);
    row.exposed = picoseconds(row.exposed.value / 2);
  }
  result.levels = {{"node", "all_reduce", bytes(16'000)}, {"fabric", "all_reduce", bytes(500'000)}};
  return result;
}

}  // namespace orrery::test
