#include "core/base/edit_distance.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace orrery {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_previous, previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before_previous[j - 2] + 1);
      }
    }
    before_previous = std::exchange(previous, current);
  }
  return previous[b.size()];
}

}  // namespace orrery
