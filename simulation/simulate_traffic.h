// Traffic on a fabric -> TrafficResult: topology, backend and flows, without a job.
#pragma once

#include <cstddef>
#include <functional>

#include "simulation/experiment.h"
#include "simulation/traffic_result.h"
#include "simulation/traffic_spec.h"

namespace orrery {

struct TrafficOptions {
  std::function<bool()> stop;  // asked now and then; true ends the run, partial
  // Asked while idle times of a partial run are found; true leaves its slowdowns out.
  std::function<bool()> give_up;
  std::function<void(std::size_t delivered, std::size_t all)> progress;  // told now and then
};

// What is asked for, before anything is drawn.
struct TrafficForecast {
  Bandwidth hosts;    // what all NPUs can send on the outermost level
  Bandwidth uplinks;  // links from switches with NPUs or NICs to other switches; 0: there are none
  Bandwidth offered;  // incasts too
  Bytes mean_size;    // without incasts
  double flows = 0;   // that start, incasts too
};
TrafficForecast forecast_of(const TrafficSpec& traffic, const Topology& topology);
// CPU seconds of the run, within a factor of two (packet_cost.h), if its messages are packets; all
// flows cross the outermost level. 0 on the other backends.
double packet_seconds(const Experiment& experiment, const TrafficSpec& traffic);
// Before a run that takes more than 20 CPU seconds in packets: how many, and what takes less. Else
// empty.
std::string notice_of_long_run(const Experiment& experiment, const TrafficSpec& traffic);

// Of the experiment it needs platform, network and seed. Throws NetworkError where the network
// cannot carry a flow.
TrafficResult simulate_traffic(const Experiment& experiment, const TrafficSpec& traffic,
                               const TrafficOptions& options = {});

}  // namespace orrery
