// A loop on several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace orrery {

// Calls work(worker, i) once for each i below `count`, for worker numbers below `workers`; one
// worker does one i at a time. An i is left out only after work has returned false or thrown; what
// it threw is thrown on. REQUIRES: workers > 0.
template <class Work>
void parallel_for(std::size_t count, std::size_t workers, Work work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> goes_on{true};
  std::vector<std::exception_ptr> thrown(workers);
  const auto run = [&](std::size_t worker) {
    try {
      for (std::size_t i = next++; i < count && goes_on; i = next++)
        if (!work(worker, i)) goes_on = false;
    } catch (...) {
      thrown[worker] = std::current_exception();
      goes_on = false;
    }
  };
  std::vector<std::thread> others;
  for (std::size_t worker = 1; worker < workers; ++worker) others.emplace_back(run, worker);
  run(0);
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& exception : thrown)
    if (exception) std::rethrow_exception(exception);
}

}  // namespace orrery
