// What to write instead of a word that is unknown.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace orrery {

// The candidate that `word` is most likely a misspelling of; "" if none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// "a, b, c"
std::string listed(std::span<const std::string_view> words);

// `did you mean "ring"? (known: ring, direct)`, without the list if that is long; or only the list.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace orrery
