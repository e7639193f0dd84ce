#include "formats/measured/measured_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <vector>

#include "core/base/config_error.h"
#include "core/base/quoted.h"
#include "core/base/text_file.h"

namespace orrery {

namespace {

using Words = std::vector<std::string>;

template <class Number>
std::optional<Number> number(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<std::size_t> index_of(const Words& words, std::string_view wanted) {
  const auto found = std::find(words.begin(), words.end(), wanted);
  if (found == words.end()) return std::nullopt;
  return static_cast<std::size_t>(found - words.begin());
}

Words words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

// No quotes: the columns that count are numbers and names.
Words fields_of(const std::string& line) {
  Words fields(1);
  for (const char c : line) {
    if (c == ',') {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

std::vector<std::string> read_lines(const std::string& path) {
  std::istringstream stream(read_text_file(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

class MeasurementReader {
 public:
  MeasurementReader(const std::string& path, std::string_view operation, std::int64_t ranks)
      : path_(path), lines_(read_lines(path)), operation_(operation), ranks_(ranks) {}

  MeasuredTimes read() {
    if (!read_nccl_tests() && !read_csv()) {
      fail(0, "this is neither the output of nccl-tests nor CSV with columns bytes and time_us",
           "an nccl-tests table has a line `# size count type redop root time ...` above it");
    }
    if (times_.empty()) {
      fail(0,
           others_.empty() ? "there is no measurement in it"
                           : fmt::format("there is no {} of {} ranks in it", operation_, ranks_),
           others_.empty() ? "name a file with rows" : "it has " + listed(others_));
    }
    return std::move(times_);
  }

 private:
  [[noreturn]] void fail(std::size_t line, std::string what, std::string remedy) const {
    throw ConfigError({.file = path_,
                       .line = static_cast<int>(line),
                       .what = std::move(what),
                       .remedy = std::move(remedy)});
  }

  static std::string listed(const std::set<std::string>& words) {
    return fmt::format("{}", fmt::join(words, ", "));
  }

  bool read_nccl_tests() {
    std::optional<std::size_t> size, time;
    std::int64_t devices = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      Words words = words_of(lines_[i]);
      if (words.empty()) continue;
      if (words[0] == "#") {
        words.erase(words.begin());
        if (!words.empty() && words[0] == "Rank") ++devices;
        const auto time_here = std::max(index_of(words, "time"), index_of(words, "cputime"));
        if (index_of(words, "size") && time_here) {
          size = index_of(words, "size");
          time = time_here;
        }
      } else if (time && *size < words.size() && number<std::int64_t>(words[*size])) {
        add_row(i + 1, words, *size, *time);
      }
    }
    if (time && devices > 0 && devices != ranks_) {
      fail(0, fmt::format("this was measured on {} ranks, and {} are simulated", devices, ranks_),
           fmt::format("add --ranks {}, or measure again", devices));
    }
    return time.has_value();
  }

  bool read_csv() {
    const auto is_header = [](const std::string& line) {
      return index_of(fields_of(line), "bytes");
    };
    const auto header = std::find_if(lines_.begin(), lines_.end(), is_header);
    if (header == lines_.end()) return false;
    const Words names = fields_of(*header);
    const auto size = index_of(names, "bytes"), time = index_of(names, "time_us");
    if (!time) return false;
    for (auto line = header + 1; line != lines_.end(); ++line) {
      const Words fields = fields_of(*line);
      if (fields.size() == 1 || line->starts_with('#')) continue;
      const auto line_number = static_cast<std::size_t>(line - lines_.begin()) + 1;
      if (is_wanted(names, fields)) add_row(line_number, fields, *size, *time);
    }
    return true;
  }

  bool is_wanted(const Words& names, const Words& fields) {
    const auto value = [&](std::string_view name) -> std::string {
      const auto index = index_of(names, name);
      return index && *index < fields.size() ? fields[*index] : "";
    };
    const std::string operation = value("op"), ranks = value("ranks");
    const bool wanted =
        (operation.empty() || operation.substr(0, operation.find(' ')) == operation_) &&
        (ranks.empty() || ranks == std::to_string(ranks_));
    if (!wanted) {
      others_.insert(fmt::format("{}{}{}", operation, ranks.empty() ? "" : " of ranks: ", ranks));
    }
    return wanted;
  }

  void add_row(std::size_t line, const Words& cells, std::size_t size, std::size_t time) {
    if (std::max(size, time) >= cells.size()) {
      fail(line, "the row has no time", "complete it, or take it out");
    }
    const auto byte_count = number<std::int64_t>(cells[size]);
    const auto microseconds_taken = number<double>(cells[time]);
    if (!byte_count || *byte_count < 0 || !microseconds_taken || !(*microseconds_taken >= 0) ||
        *microseconds_taken > 1e12) {
      fail(line,
           fmt::format("{} bytes in {} us is no measurement", in_quotes(cells[size]),
                       in_quotes(cells[time])),
           "write two numbers");
    }
    if (*byte_count == 0 || *microseconds_taken == 0) return;  // nccl-tests rounds small ones to 0
    const Duration taken{std::llround(*microseconds_taken * 1e6)};
    if (!times_.emplace(Bytes{*byte_count}, taken).second) {
      fail(line, fmt::format("there are two times for {} bytes", *byte_count),
           "keep one machine, operation and data type in a file");
    }
  }

  const std::string& path_;
  std::vector<std::string> lines_;
  std::string_view operation_;
  std::int64_t ranks_;
  MeasuredTimes times_;
  std::set<std::string> others_;  // what was skipped, for the message
};

}  // namespace

MeasuredTimes read_measured_times(const std::string& path, std::string_view operation,
                                  std::int64_t ranks) {
  return MeasurementReader(path, operation, ranks).read();
}

}  // namespace orrery
