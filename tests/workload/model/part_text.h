// The steps of a part, one line each, so that a test can show a whole layer.
#pragma once

#include <string>
#include <vector>

#include "workload/model/transformer.h"

namespace orrery::test {

// "gemm 77309411328", "all_gather 50331648", "shift 4096", "wait", "memory 25165824".
inline std::vector<std::string> text_of(const std::vector<PartStep>& steps) {
  std::vector<std::string> texts;
  for (const PartStep& step : steps) {
    if (const auto* compute = std::get_if<Compute>(&step.what)) {
      texts.push_back(compute->flops.value > 0
                          ? "gemm " + std::to_string(compute->flops.value)
                          : "memory " + std::to_string(compute->memory_traffic.value));
    } else if (const auto* exchange = std::get_if<PartStep::Exchange>(&step.what)) {
      texts.push_back(std::string(name_of(exchange->kind)) + ' ' +
                      std::to_string(exchange->size.value));
    } else if (const auto* shift = std::get_if<PartStep::Shift>(&step.what)) {
      texts.push_back("shift " + std::to_string(shift->size.value));
    } else {
      texts.push_back("wait");
    }
  }
  return texts;
}

}  // namespace orrery::test
