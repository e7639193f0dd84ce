// What a backend with packets counted.
#pragma once

#include <cstdint>
#include <vector>

#include "simulation/result/finished_run.h"
#include "simulation/run_result.h"

namespace orrery {

// Fills `packets`, and adds what to notice about them.
void add_packets(RunResult& result, const FinishedRun& run, const PacketStatistics& packets);

// As PacketResult orders them.
std::vector<QueueRow> queue_rows(const Topology& topology, const PacketStatistics& packets);
// Packets lost before links of each level.
std::vector<std::uint64_t> losses_by_level(const Topology& topology,
                                           const std::vector<QueueRow>& queues);
std::vector<PauseRow> pause_rows(const Topology& topology, const PacketStatistics& packets);
std::vector<ClassRow> class_rows(const Topology& topology, const PacketStatistics& packets);

}  // namespace orrery
