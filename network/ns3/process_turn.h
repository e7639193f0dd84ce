// ns-3 keeps its simulator, list of nodes and clock in statics of the process: one simulation at a
// time can use them. The turn is held from construction to destruction; another thread waits for
// it, and a second one in the same thread would wait for ever and fails a check instead.
#pragma once

#include <mutex>

namespace orrery {

class ProcessTurn {
 public:
  ProcessTurn();
  ~ProcessTurn();
  ProcessTurn(const ProcessTurn&) = delete;
  ProcessTurn& operator=(const ProcessTurn&) = delete;

 private:
  std::unique_lock<std::mutex> turn_;
};

}  // namespace orrery
