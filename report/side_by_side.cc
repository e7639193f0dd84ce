#include "report/side_by_side.h"

#include <algorithm>

namespace orrery {

std::string side_by_side(Systems systems, std::size_t width, const TableOf& table_of) {
  constexpr std::size_t most_systems = 4;
  std::string text;
  while (!systems.empty()) {
    std::size_t count = std::min(most_systems, systems.size());
    while (count > 1 && table_of(systems.first(count)).width() > width) --count;
    const TextTable table = table_of(systems.first(count));
    if (!table.empty()) text += '\n' + table.text();
    systems = systems.subspan(count);
  }
  return text;
}

}  // namespace orrery
