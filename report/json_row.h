// A row of a result as a JSON object, as its declaration says (simulation/columns.h).
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "report/derived.h"
#include "report/row_type.h"

namespace orrery {

// `all`: the rows that are compared; empty: values that compare are left out.
nlohmann::ordered_json json_of_row(const RowType& type, const void* row,
                                   const ReportOptions& options, const RowSpan& all = {});

template <class Row>
nlohmann::ordered_json row_json(const Row& row, const ReportOptions& options,
                                std::span<const Row> all = {}) {
  return json_of_row(row_type_of<Row>(), &row, options, span_of<Row>(all));
}

}  // namespace orrery
