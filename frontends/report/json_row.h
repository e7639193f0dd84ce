// A row of a result as a JSON object, as its declaration says (simulation/columns.h).
#pragma once

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <utility>

#include "frontends/report/cell.h"
#include "frontends/report/columns_of.h"
#include "frontends/report/derived.h"
#include "simulation/columns.h"

namespace orrery {

// `all`: the rows that are compared; empty: values that compare are left out.
template <class Row>
nlohmann::ordered_json row_json(const Row& row, const ReportOptions& options,
                                std::span<const Row> all = {});

template <class Row>
class JsonRow {
 public:
  using Json = nlohmann::ordered_json;

  JsonRow(const Row& row, const ReportOptions& options, std::span<const Row> all)
      : row_(row), options_(options), all_(all) {
    Row::describe(*this);
  }

  template <class Value>
  void column(const char* name, Value value, const char*, const Forms<Row>& forms = {}) {
    if (!forms.json) return;
    add(name, cell_of(std::invoke(value, row_)), forms);
  }
  template <class Value>
  void compared(const char* name, Value value, const char*, const Forms<Row>& forms = {}) {
    if (!all_.empty()) add(name, cell_of(value(row_, all_)), forms);
  }
  template <class Value>
  void rows(const char* name, Value value, const char*, const ListForms<Row>& forms = {}) {
    if (!forms.json) return;
    const auto& rows = std::invoke(value, row_);
    if (forms.omit_if_empty && rows.empty()) return;
    json_[name] = forms.keyed ? keyed(rows) : list(rows, forms);
  }
  template <class Part>
  void part(const char* name, Part Row::*part, const char*, const PartForms<Row>& forms = {}) {
    if constexpr (IsOptional<Part>::value) {
      const Part& inside = row_.*part;
      if (!inside && forms.omit_if_none) return;
      json_[name] = inside ? row_json(*inside, options_) : Json(nullptr);
    } else {
      json_[name] = row_json(row_.*part, options_);
    }
  }

  Json take() && { return std::move(json_); }

 private:
  void add(const char* name, const Cell& cell, const Forms<Row>& forms) {
    const auto* text = std::get_if<std::string>(&cell);
    const bool is_empty = text != nullptr && text->empty() && forms.null_if_empty;
    if (forms.omit_if_none && std::holds_alternative<std::monostate>(cell)) return;
    json_[name] = is_empty ? Json(nullptr) : cell_json(cell);
  }

  template <class Rows>
  Json list(const Rows& rows, const ListForms<Row>& forms) const {
    Json list = Json::array();
    const std::size_t shown = forms.busiest_only ? shown_count(rows.size(), options_) : rows.size();
    for (const auto& row : rows | std::views::take(shown)) list.push_back(row_json(row, options_));
    return list;
  }

  // The first column names the value of the second one.
  template <class Rows>
  static Json keyed(const Rows& rows) {
    const ColumnsOf<std::ranges::range_value_t<Rows>> declared;
    const auto& columns = declared.columns();
    Json object = Json::object();
    for (const auto& row : rows)
      object[std::get<std::string>(columns[0].value(row))] = cell_json(columns[1].value(row));
    return object;
  }

  const Row& row_;
  const ReportOptions& options_;
  std::span<const Row> all_;
  Json json_ = Json::object();
};

template <class Row>
nlohmann::ordered_json row_json(const Row& row, const ReportOptions& options,
                                std::span<const Row> all) {
  return JsonRow<Row>(row, options, all).take();
}

}  // namespace orrery
