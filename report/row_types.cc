// The one place that compiles the declarations of rows.
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include "core/base/check.h"
#include "report/collective_report.h"
#include "report/row_type.h"
#include "simulation/run_result.h"
#include "simulation/traffic_result.h"

namespace orrery {

namespace {

// Visits the declaration of a Row.
template <class Row>
class Declaration {
 public:
  Declaration() { Row::describe(*this); }

  template <class Value>
  void column(const char* name, Value value, const char* help, const Forms<Row>& forms = {}) {
    using Type = std::remove_cvref_t<std::invoke_result_t<Value, const Row&>>;
    add<Type>(name, help, forms, false, [value](const void* row, const RowSpan&) {
      return cell_of<Type>(std::invoke(value, row_at(row)));
    });
  }
  template <class Value>
  void compared(const char* name, Value value, const char* help, const Forms<Row>& forms = {}) {
    using Type = std::remove_cvref_t<std::invoke_result_t<Value, const Row&, std::span<const Row>>>;
    add<Type>(name, help, forms, true, [value](const void* row, const RowSpan& all) {
      const std::span<const Row> rows(static_cast<const Row*>(all.first), all.count);
      return cell_of<Type>(value(row_at(row), rows));
    });
  }
  template <class Value>
  void rows(const char* name, Value value, const char* help, const ListForms<Row>& forms = {}) {
    using Rows = std::invoke_result_t<Value, const Row&>;
    using Inside = std::ranges::range_value_t<std::remove_cvref_t<Rows>>;
    RowList list{.name = name,
                 .help = help,
                 .json = forms.json,
                 .omit_if_empty = forms.omit_if_empty,
                 .keyed = forms.keyed,
                 .busiest_only = forms.busiest_only,
                 .csv_file = forms.csv_file,
                 .type = row_type_of<Inside>,
                 .rows = [value](const void* row) { return rows_of<Inside>(value, row_at(row)); },
                 .has_csv = test_of(forms.csv_if)};
    entries_.push_back(std::move(list));
  }
  template <class Part>
  void part(const char* name, Part Row::*part, const char* help, const PartForms<Row>& forms = {}) {
    RowPart below{.name = name,
                  .help = help,
                  .omit_if_none = forms.omit_if_none,
                  .may_have_none = IsOptional<Part>::value,
                  .in_csv = forms.in_csv};
    if constexpr (IsOptional<Part>::value) {
      below.type = row_type_of<typename Part::value_type>;
      below.part = [part](const void* row) -> const void* {
        const Part& inside = row_at(row).*part;
        return inside ? &*inside : nullptr;
      };
    } else {
      below.type = row_type_of<Part>;
      below.part = [part](const void* row) -> const void* { return &(row_at(row).*part); };
    }
    entries_.push_back(std::move(below));
  }

  std::vector<RowType::Entry> take() && { return std::move(entries_); }

 private:
  static const Row& row_at(const void* row) { return *static_cast<const Row*>(row); }

  static std::function<bool(const void*)> test_of(bool (*test)(const Row&)) {
    if (test == nullptr) return nullptr;
    return [test](const void* row) { return test(row_at(row)); };
  }

  template <class Inside, class Value>
  static RowSpan rows_of(const Value& value, const Row& row) {
    using Rows = std::invoke_result_t<Value, const Row&>;
    if constexpr (std::is_lvalue_reference_v<Rows>) {
      return span_of<Inside>(std::invoke(value, row));
    } else {
      const auto made = std::make_shared<const Rows>(std::invoke(value, row));
      RowSpan span = span_of<Inside>(*made);
      span.holder = made;
      return span;
    }
  }

  template <class Type>
  void add(const char* name, const char* help, const Forms<Row>& forms, bool is_compared,
           std::function<Cell(const void*, const RowSpan&)> value) {
    entries_.push_back(RowColumn{.name = name,
                                 .help = help,
                                 .csv = forms.csv,
                                 .text = forms.text,
                                 .json = forms.json,
                                 .null_if_empty = forms.null_if_empty,
                                 .omit_if_none = forms.omit_if_none,
                                 .text_without = forms.text_without,
                                 .is_compared = is_compared,
                                 .may_have_none = IsOptional<Type>::value,
                                 .example = example_cell<Type>(),
                                 .value = std::move(value),
                                 .has_text = test_of(forms.text_if)});
  }

  std::vector<RowType::Entry> entries_;
};

// Places what follows a heading that stands there.
bool insert(std::vector<const RowColumn*>& table, const RowColumn* column,
            Heading RowColumn::*form) {
  const std::string_view after = (column->*form).after;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i]->heading(form) != after) continue;
    table.insert(table.begin() + static_cast<std::ptrdiff_t>(i) + 1, column);
    return true;
  }
  return false;
}

// A column of a part, as one of the row's own table.
RowColumn of_part(const RowPart& part, const RowColumn& column) {
  RowColumn own = column;
  own.text = no_column;
  own.value = [inside = part.part, value = column.value](const void* row, const RowSpan& all) {
    return value(inside(row), all);
  };
  return own;
}

}  // namespace

RowType::RowType(std::vector<Entry> entries) : entries_(std::move(entries)) {
  for (const Entry& entry : entries_) {
    if (const auto* column = std::get_if<RowColumn>(&entry)) columns_.push_back(*column);
    const auto* part = std::get_if<RowPart>(&entry);
    if (part == nullptr || part->may_have_none || !part->in_csv) continue;
    for (const RowColumn& column : part->type().columns())
      columns_.push_back(of_part(*part, column));
  }
}

std::vector<const RowColumn*> RowType::in(Heading RowColumn::*form) const {
  std::vector<const RowColumn*> table, waiting;
  for (const RowColumn& column : columns_) {
    if ((column.*form).name == nullptr) continue;
    ((column.*form).after == nullptr ? table : waiting).push_back(&column);
  }
  while (!waiting.empty()) {
    const auto placed = std::erase_if(
        waiting, [&](const RowColumn* column) { return insert(table, column, form); });
    CHECK(placed > 0, "column {} follows a heading that is not there", waiting.front()->name);
  }
  return table;
}

template <class Row>
const RowType& row_type_of() {
  static const RowType type(Declaration<Row>().take());
  return type;
}

// Results, and the rows that are shown as tables of text.
template const RowType& row_type_of<RunResult>();
template const RowType& row_type_of<CollectiveResult>();
template const RowType& row_type_of<CollectiveRow>();
template const RowType& row_type_of<TrafficResult>();
template const RowType& row_type_of<FlowSizeRow>();
template const RowType& row_type_of<BottleneckRow>();
template const RowType& row_type_of<DepthTimesRow>();
template const RowType& row_type_of<JobRow>();
template const RowType& row_type_of<LayerRow>();
template const RowType& row_type_of<LevelRow>();
template const RowType& row_type_of<LinkRow>();
template const RowType& row_type_of<PauseRow>();
template const RowType& row_type_of<QueueRow>();
template const RowType& row_type_of<SelectedRow>();
template const RowType& row_type_of<SwitchRow>();
template const RowType& row_type_of<TimePart>();
template const RowType& row_type_of<WaitRow>();
template const RowType& row_type_of<WhatIfRow>();

}  // namespace orrery
