#include "core/base/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/base/edit_distance.h"

namespace orrery {

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > 64) return "";  // no key is that long
  // What goes on where the word ends: "mi250x" is mi250x-gcd, not mi300x.
  constexpr std::size_t short_word = 4;
  const auto goes_on = [&](std::string_view candidate) { return candidate.starts_with(word); };
  if (word.size() >= short_word && std::ranges::count_if(candidates, goes_on) == 1)
    return *std::ranges::find_if(candidates, goes_on);
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    // Of two as near, a digit that is another one: "qwen2.5-70b" is 72b, not 7b.
    const bool is_nearer =
        distance < best_distance || (distance == best_distance && !best.empty() &&
                                     candidate.size() == word.size() && best.size() != word.size());
    if (is_nearer && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string listed(std::span<const std::string_view> words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t short_list = 8;
  const std::string_view near = nearest(word, candidates);
  if (near.empty()) {
    return fmt::format("use {}{}", candidates.size() > 1 ? "one of " : "", listed(candidates));
  }
  if (candidates.size() > short_list) return fmt::format("did you mean \"{}\"?", near);
  return fmt::format("did you mean \"{}\"? (known: {})", near, listed(candidates));
}

}  // namespace orrery
