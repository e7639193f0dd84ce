// Whether a folded run is that of all ranks.
#pragma once

#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simulation/simulate.h"

namespace orrery::test {

inline std::vector<std::vector<std::int64_t>> rows_of(const std::vector<LayerRow>& layers) {
  std::vector<std::vector<std::int64_t>> rows;
  for (const LayerRow& row : layers)
    rows.push_back({row.bytes.value, row.compute.value, row.raw.value, row.raw_max.value,
                    row.raw_bound.value, row.exposed.value});
  return rows;
}

inline std::map<std::string, std::int64_t> bytes_of(const std::vector<LinkRow>& links) {
  std::map<std::string, std::int64_t> bytes;
  for (const LinkRow& link : links)
    bytes[link.level + ": " + link.name()] = link.bytes.narrow().value;
  return bytes;
}

inline std::map<std::string, std::int64_t> bytes_of(const std::vector<LevelRow>& levels) {
  std::map<std::string, std::int64_t> bytes;
  for (const LevelRow& row : levels)
    bytes[row.name + ": " + row.collective] = row.bytes.narrow().value;
  return bytes;
}

inline std::vector<std::int64_t> times_of(const RankRow& rank) {
  return {rank.finish.value, rank.compute.value, rank.exposed.value, rank.idle.value};
}

inline void check_equal(const RunResult& folded, const RunResult& full) {
  CHECK(folded.fingerprint == full.fingerprint);
  CHECK(folded.finish == full.finish);
  CHECK(folded.compute == full.compute);
  CHECK(folded.exposed == full.exposed);
  CHECK(folded.idle == full.idle);
  CHECK(folded.bound == full.bound);
  CHECK(folded.messages == full.messages);
  CHECK(rows_of(folded.layers) == rows_of(full.layers));
  CHECK(bytes_of(folded.levels) == bytes_of(full.levels));
  CHECK(bytes_of(folded.links) == bytes_of(full.links));
  std::map<std::vector<std::int64_t>, std::int32_t> of_folded, of_all;  // ranks, by their times
  for (const RankRow& rank : folded.ranks) of_folded[times_of(rank)] += rank.multiplicity;
  for (const RankRow& rank : full.ranks) ++of_all[times_of(rank)];
  CHECK(of_folded == of_all);
}

inline RunResult run(const Experiment& experiment, bool fold) {
  SimulateOptions options;
  options.fold = fold;
  return simulate(experiment, options);
}

}  // namespace orrery::test
