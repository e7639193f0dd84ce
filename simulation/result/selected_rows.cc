#include "simulation/result/selected_rows.h"

namespace orrery {

std::vector<SelectedRow> selected_rows(const Selection& selection) {
  std::vector<SelectedRow> rows;
  for (const Choice& choice : selection.choices()) {
    SelectedRow row;
    row.collective = name_of(choice.kind);
    row.group = choice.sizes;
    row.bytes = choice.size;
    row.chosen = text_of(choice, selection.spec(choice.kind, choice.spec));
    if (choice.automatic) row.predicted = choice.predicted;
    row.candidates = choice.candidates;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace orrery
