#include "report/json_row.h"

#include <string>
#include <variant>
#include <vector>

#include "report/cell.h"

namespace orrery {

namespace {

using Json = nlohmann::ordered_json;

// Adds what an entry of the declaration says to the object of a row.
struct RowJson {
  Json& json;
  const void* row;
  const ReportOptions& options;
  const RowSpan& all;

  void operator()(const RowColumn& column) const {
    if (column.is_compared ? all.count == 0 : !column.json) return;
    const Cell cell = column.value(row, all);
    const auto* text = std::get_if<std::string>(&cell);
    const bool is_empty = text != nullptr && text->empty() && column.null_if_empty;
    if (column.omit_if_none && std::holds_alternative<std::monostate>(cell)) return;
    json[column.name] = is_empty ? Json(nullptr) : cell_json(cell);
  }
  void operator()(const RowList& list) const {
    if (!list.json) return;
    const RowSpan rows = list.rows(row);
    if (list.omit_if_empty && rows.count == 0) return;
    json[list.name] = list.keyed ? keyed(list, rows) : array(list, rows);
  }
  void operator()(const RowPart& part) const {
    const void* inside = part.part(row);
    if (inside == nullptr && part.omit_if_none) return;
    json[part.name] = inside != nullptr ? json_of_row(part.type(), inside, options) : Json(nullptr);
  }

  Json array(const RowList& list, const RowSpan& rows) const {
    Json array = Json::array();
    const std::size_t shown = list.busiest_only ? shown_count(rows.count, options) : rows.count;
    for (std::size_t i = 0; i < shown; ++i)
      array.push_back(json_of_row(list.type(), rows[i], options));
    return array;
  }
  // The first column names the value of the second one.
  static Json keyed(const RowList& list, const RowSpan& rows) {
    const std::vector<RowColumn>& columns = list.type().columns();
    Json object = Json::object();
    for (std::size_t i = 0; i < rows.count; ++i)
      object[std::get<std::string>(columns[0].value(rows[i], {}))] =
          cell_json(columns[1].value(rows[i], {}));
    return object;
  }
};

}  // namespace

Json json_of_row(const RowType& type, const void* row, const ReportOptions& options,
                 const RowSpan& all) {
  Json json = Json::object();
  for (const RowType::Entry& entry : type.entries())
    std::visit(RowJson{json, row, options, all}, entry);
  return json;
}

}  // namespace orrery
