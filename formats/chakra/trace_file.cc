#include "formats/chakra/trace_file.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace orrery::chakra {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<std::uint32_t> number_in(std::string_view digits) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

// What names have in common before and behind the number that tells them apart.
struct Frame {
  std::string_view before, behind;

  Frame(const std::vector<std::string>& names) : before(names.front()), behind(names.front()) {
    for (const std::string& name : names) {
      const auto same = std::ranges::mismatch(before, name).in1 - before.begin();
      before = before.substr(0, static_cast<std::size_t>(same));
      std::size_t end = 0;
      while (end < std::min(behind.size(), name.size()) &&
             behind[behind.size() - 1 - end] == name[name.size() - 1 - end])
        ++end;
      behind.remove_prefix(behind.size() - end);
    }
    while (!before.empty() && is_digit(before.back())) before.remove_suffix(1);
    while (!behind.empty() && is_digit(behind.front())) behind.remove_prefix(1);
  }
  std::optional<std::uint32_t> number_of(std::string_view name) const {
    if (name.size() <= before.size() + behind.size()) return std::nullopt;
    return number_in(name.substr(before.size(), name.size() - before.size() - behind.size()));
  }
};

// With names that are missing; nothing if the names have no numbers, or all but a few are missing.
std::vector<RankFile> numbered(const std::vector<std::string>& names) {
  const Frame frame(names);
  std::map<std::uint32_t, const std::string*> files;
  for (const std::string& name : names) {
    const std::optional<std::uint32_t> number = frame.number_of(name);
    if (!number || !files.emplace(*number, &name).second) return {};
  }
  constexpr std::uint32_t kMostApart = 16;
  const std::uint32_t last = files.rbegin()->first;
  if (last / kMostApart > names.size()) return {};
  std::vector<RankFile> ranks;
  for (std::uint32_t rank = 0; rank <= last; ++rank) {
    const auto found = files.find(rank);
    if (found != files.end())
      ranks.push_back({*found->second});
    else
      ranks.push_back(
          {std::string(frame.before) + std::to_string(rank) + std::string(frame.behind), true});
  }
  return ranks;
}

}  // namespace

std::vector<RankFile> files_of_ranks(std::vector<std::string> names) {
  std::vector<RankFile> ranks;
  if (names.size() > 1) ranks = numbered(names);
  if (ranks.empty())
    for (std::string& name : names) ranks.push_back({std::move(name)});
  return ranks;
}

}  // namespace orrery::chakra
