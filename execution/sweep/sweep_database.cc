#include "execution/sweep/sweep_database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/io_error.h"

namespace orrery {

namespace {

template <class T>
bool is_all(const std::string& text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

const char* type_of(const SweepTable& table, std::size_t column) {
  bool is_whole = true, is_number = true, has_any = false;
  for (const std::vector<std::string>& row : table.rows) {
    const std::string& cell = row[column];
    if (cell.empty()) continue;
    has_any = true;
    is_whole = is_whole && is_all<std::int64_t>(cell);
    is_number = is_number && is_all<double>(cell);
  }
  return !has_any || !is_number ? "TEXT" : is_whole ? "INTEGER" : "REAL";
}

std::string in_sql_quotes(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

class Database {
 public:
  Database() {
    sqlite3* opened = nullptr;
    check(sqlite3_open(":memory:", &opened));
    database_.reset(opened);
  }

  void run(const std::string& statement) {
    check(sqlite3_exec(database_.get(), statement.c_str(), nullptr, nullptr, nullptr));
  }

  void add(const SweepTable& table) {
    std::vector<std::string> columns, places(table.columns.size(), "?");
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      columns.push_back(in_sql_quotes(table.columns[i]) + " " + type_of(table, i));
    const std::string name = in_sql_quotes(table.name);
    run(fmt::format("CREATE TABLE {} ({})", name, fmt::join(columns, ", ")));
    sqlite3_stmt* prepared = nullptr;
    const std::string insert =
        fmt::format("INSERT INTO {} VALUES ({})", name, fmt::join(places, ", "));
    check(sqlite3_prepare_v2(database_.get(), insert.c_str(), -1, &prepared, nullptr));
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared,
                                                                          sqlite3_finalize);
    for (const std::vector<std::string>& row : table.rows) {
      for (std::size_t i = 0; i < row.size(); ++i) bind(prepared, static_cast<int>(i) + 1, row[i]);
      const int done = sqlite3_step(prepared);
      if (done != SQLITE_DONE) check(done);
      check(sqlite3_reset(prepared));
    }
  }

  std::string bytes() {
    sqlite3_int64 size = 0;
    const std::unique_ptr<unsigned char, void (*)(void*)> all(
        sqlite3_serialize(database_.get(), "main", &size, 0), sqlite3_free);
    if (!all) check(SQLITE_NOMEM);
    return {all.get(), all.get() + size};
  }

 private:
  // The column's type makes a number of a text.
  void bind(sqlite3_stmt* statement, int place, const std::string& cell) {
    check(cell.empty() ? sqlite3_bind_null(statement, place)
                       : sqlite3_bind_text(statement, place, cell.data(),
                                           static_cast<int>(cell.size()), SQLITE_STATIC));
  }

  void check(int code) {
    if (code == SQLITE_OK) return;
    throw IoError(fmt::format("cannot make the sweep's database: {}",
                              database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code)));
  }

  std::unique_ptr<sqlite3, int (*)(sqlite3*)> database_{nullptr, sqlite3_close};
};

}  // namespace

std::string database_of(std::span<const SweepTable> tables) {
  Database database;
  database.run("BEGIN");
  for (const SweepTable& table : tables) database.add(table);
  database.run("COMMIT");
  return database.bytes();
}

}  // namespace orrery
