#include "execution/sweep/sweep_limits.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/config_error.h"
#include "core/units/unit_text.h"

namespace orrery {

namespace {

namespace fs = std::filesystem;

// A whole number above 0 and what follows it.
std::optional<std::pair<std::int64_t, std::string>> number_and_unit(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  constexpr std::int64_t most = 1'000'000;
  if (error != std::errc() || number < 1 || number > most) return std::nullopt;
  std::string unit(end, text.data() + text.size());
  std::erase(unit, ' ');
  return std::pair{number, std::move(unit)};
}

std::optional<std::chrono::seconds> time_of(const std::string& text) {
  const auto read = number_and_unit(text);
  if (!read) return std::nullopt;
  const auto& [number, unit] = *read;
  if (unit == "s") return std::chrono::seconds(number);
  if (unit == "m" || unit == "min") return std::chrono::minutes(number);
  if (unit == "h") return std::chrono::hours(number);
  return std::nullopt;
}

std::optional<Bytes> size_of(const std::string& text) {
  const Parsed<Bytes> parsed = parse_bytes(text);
  const Bytes* size = std::get_if<Bytes>(&parsed);
  if (size == nullptr || *size <= Bytes{}) return std::nullopt;
  return *size;
}

class LimitReader {
 public:
  SweepLimits read(const SweepOptions& options) {
    SweepLimits limits;
    read_keep(options.keep, limits);
    read_one("--time-limit", options.time_limit, time_of, "write 90s, 10min or 2h", limits.time);
    read_one("--memory-limit", options.memory_limit, size_of, "write for example 4GB",
             limits.memory);
    read_one("--max-disk", options.max_disk, size_of, "write for example 20GB", limits.disk);
    if (options.batch && (limits.time || limits.memory))
      wrong("--batch", "limits of a point need a process for each",
            "leave out --batch, or --time-limit and --memory-limit");
    if (options.batch && options.jobs > 1)
      wrong("--batch", "one process simulates one point at a time",
            "leave out --jobs, and use more shards");
    if (!problems_.empty()) throw ConfigError(std::move(problems_));
    return limits;
  }

 private:
  void wrong(std::string path, std::string what, std::string remedy) {
    problems_.push_back(
        {.path = std::move(path), .what = std::move(what), .remedy = std::move(remedy)});
  }

  void read_keep(const std::string& keep, SweepLimits& limits) {
    if (keep == "all") return;
    limits.keeps_all = false;
    if (keep == "none") return;
    const std::string head = "best:";
    const auto count = number_and_unit(keep.starts_with(head) ? keep.substr(head.size()) : "");
    if (!count || !count->second.empty())
      return wrong("--keep " + keep, "this is nothing to keep", "write all, none or best:10");
    limits.keeps_best = static_cast<std::size_t>(count->first);
  }

  template <class Parse, class Limit>
  void read_one(const char* name, const std::string& text, Parse parse, const char* remedy,
                std::optional<Limit>& limit) {
    if (text.empty()) return;
    limit = parse(text);
    if (!limit) wrong(fmt::format("{} {}", name, text), "this is no limit", remedy);
  }

  std::vector<Diagnostic> problems_;
};

}  // namespace

SweepLimits limits_of(const SweepOptions& options) { return LimitReader().read(options); }

// Files may go while they are counted: other shards work here.
Bytes DiskUse::now() {
  constexpr int patience = 20;  // measuring takes a twentieth of the time at most
  const Clock::time_point begin = Clock::now();
  if (begin - measured_at_ < patience * cost_) return used_;
  constexpr std::int64_t block = 4096;
  std::int64_t blocks = 0;
  std::error_code gone;
  for (fs::recursive_directory_iterator at(folder_, gone), end; !gone && at != end;
       at.increment(gone)) {
    std::error_code no_size;
    const auto size =
        static_cast<std::int64_t>(at->is_directory(no_size) ? block : at->file_size(no_size));
    if (!no_size) blocks += (size + block - 1) / block;
  }
  used_ = Bytes{blocks * block};
  measured_at_ = Clock::now();
  cost_ = measured_at_ - begin;
  return used_;
}

}  // namespace orrery
