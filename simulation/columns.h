// How a row of a result is declared: once, beside its members (result_rows.h).
//
//   template <class Columns>
//   static void describe(Columns& row) {
//     row.column("exposed_ps", &JobRow::exposed, "waited for communication",
//                {.text = {"exposed"}});
//   }
//
// JSON, CSV, the tables of the text report, the JSON Schema of results and
// docs/reference/results.md are made from these declarations (report/row_type.h). None
// of them names a column. A declaration is given a visitor with four functions:
//
//   column(name, value, help)   one value
//   rows(name, value, help)     a list of rows that have a declaration of their own
//   part(name, value, help)     one such row, which may be optional
//   compared(name, value, help) one value that depends on all results that are compared
//
// `value` is a pointer to a member or a function of the row. Its type gives the unit: Duration is
// picoseconds, Bytes is bytes. `help` is one sentence without its full stop.
#pragma once

namespace orrery {

// The name of a column in a table, and its place there.
struct Heading {
  const char* name = "";        // "": the column's own; nullptr: not in this table
  const char* after = nullptr;  // stands directly after this heading; else as it is declared
};
inline constexpr Heading no_column{nullptr};

template <class Row>
struct Forms {
  Heading csv = {};
  Heading text = no_column;  // of the text report; '\n' separates lines of a heading
  bool json = true;
  bool null_if_empty = false;             // JSON: an empty text is null
  bool omit_if_none = false;              // JSON: without a value there is no key, instead of null
  bool (*text_if)(const Row&) = nullptr;  // where this is false, text shows `text_without`
  const char* text_without = "-";
};

template <class Row>
struct ListForms {
  bool json = true;
  bool omit_if_empty = false;            // JSON: without rows there is no key
  bool keyed = false;                    // JSON: an object, whose keys are the first column
  bool busiest_only = false;             // the first ten, unless all links are asked for
  const char* csv_file = nullptr;        // nullptr: no table
  bool (*csv_if)(const Row&) = nullptr;  // the table is written if this holds for some result
};

template <class Row>
struct PartForms {
  bool omit_if_none = false;  // JSON: without a value there is no key, instead of null
  bool in_csv = false;        // its columns are columns of the row's table
};

}  // namespace orrery
