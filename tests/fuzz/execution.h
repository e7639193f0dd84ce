// Two ways to run the program on an input: as its own process, under limits of memory and time; and
// in a child process of the fuzzer that runs many, one after the other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "tests/fuzz/outcome.h"
#include "tests/fuzz/workspace.h"

namespace orrery::fuzz {

// `folder`: where it may write what the program prints.
Outcome run_program(const std::filesystem::path& program, const Seed& seed, const Limits& limits,
                    const std::filesystem::path& folder);

struct Inputs {
  std::uint64_t seed = 1;
  std::uint64_t first = 0, end = 0;  // numbers
};

// Told the number of an input and what came out of it.
using Note = std::function<void(std::uint64_t, const Outcome&)>;

// Runs inputs until all are done or `time_is_up`. A child that dies is followed by another one,
// which goes on with the next input.
void run_in_process(Workspace& workspace, const Inputs& inputs, const Limits& limits,
                    const std::function<bool()>& time_is_up, const Note& note);

}  // namespace orrery::fuzz
