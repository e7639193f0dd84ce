// How the points of a sweep are to be run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace orrery {

struct SweepOptions {
  std::string file, output;           // the sweep's file, and its folder
  std::vector<std::string> settings;  // KEY=VALUE, at every point, over what the file's `set` says
  std::size_t jobs = 1;               // processes at a time
  bool force = false;                 // run again what is done
  bool batch = false;                 // all points of a shard in one process
  std::string keep = "all", time_limit, memory_limit, max_disk;  // as given: sweep_limits.h
  std::string hosts;       // a file with a host in each line; "" = this machine
  bool fetch = false;      // with `hosts`: each has a folder of its own, from which results come
  std::size_t shards = 0;  // of an array of Slurm
  std::string time;        // of Slurm: a limit for each shard
};

}  // namespace orrery
