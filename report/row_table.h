// Rows as a table of the text report: those of their columns that have a heading there, as the
// declaration of the rows says (simulation/columns.h).
#pragma once

#include <optional>
#include <ranges>
#include <span>
#include <type_traits>

#include "report/numbers.h"
#include "report/row_type.h"
#include "report/text_table.h"

namespace orrery {

TextTable table_of_rows(const RowType& type, const RowSpan& rows,
                        const std::optional<TimeUnit>& unit);

// Times in one unit for all, if there is one.
template <class Rows>
TextTable table_of(const Rows& rows, const std::optional<TimeUnit>& unit = std::nullopt) {
  using Row = std::remove_cvref_t<std::ranges::range_reference_t<const Rows>>;
  return table_of_rows(row_type_of<Row>(), span_of<Row>(rows), unit);
}

}  // namespace orrery
