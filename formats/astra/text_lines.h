// The lines of a text workload (text_workload.h), their tokens, and what is wrong with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/config_error.h"

namespace orrery::astra {

struct Token {
  std::string_view text;
  int column;  // from 1
};

struct Line {
  std::string_view text;
  int number;  // from 1
  std::vector<Token> tokens;
};

// Without the blank ones.
std::vector<Line> split_lines(std::string_view text);

// Where something more was expected.
int end_column(const Line& line);

// Beyond these a sum or a conversion to picoseconds could leave 64 bits.
inline constexpr std::int64_t kLongestTime = 1'000'000'000'000;  // ns: 17 minutes
inline constexpr std::int64_t kLargestSize = 1'000'000'000'000;  // bytes: 1 TB
inline constexpr std::int64_t kMostLayers = 1'000'000;

class LineProblems {
 public:
  explicit LineProblems(std::string file_name) : file_name_(std::move(file_name)) {}

  // `column` 0 = the line as a whole.
  void add(const Line& line, int column, std::string path, std::string what, std::string remedy);
  // A whole number from 0 to `most`; none, with a problem added, if the token is not one.
  std::optional<std::int64_t> read_number(const Line& line, std::size_t token, std::string path,
                                          std::int64_t most, const std::string& remedy);
  // Throws ConfigError with the first 20, in the order of the lines, if there are any.
  void throw_if_any();

 private:
  std::string file_name_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace orrery::astra
