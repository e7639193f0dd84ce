// What reports sum the nodes of a trace under: kernels by name, those that take longest; host work;
// collectives by kind and group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "system/job.h"

namespace orrery::chakra {

class TraceLabels {
 public:
  // `kernels`: their recorded time. Those beyond the longest are one row.
  explicit TraceLabels(const std::map<std::string, Duration>& kernels);

  std::int32_t of_kernel(const std::string& name);
  // `traffic`: Label::traffic.
  std::int32_t of(const std::string& name, const std::string& traffic = "");

  const std::vector<Label>& all() const { return labels_; }

 private:
  std::map<std::string, std::string> row_of_kernel_;
  std::map<std::string, std::int32_t> index_of_;
  std::vector<Label> labels_;
};

}  // namespace orrery::chakra
