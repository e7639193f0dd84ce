// What each key of an experiment file is, as text for people: `orrery explain KEY` prints one key,
// docs/reference/keys.md lists all of them. Both come from the JSON Schema, and so from the
// descriptions that the reader executes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/key_text.h"

namespace orrery {

// In the order of the descriptions; a map comes before its keys.
std::vector<KeyEntry> key_reference();

// The paths of the keys of this name, without those of several jobs.
std::vector<std::string> paths_of_key(std::string_view name);

// True for "network.transport.window" or "levels[0].size", false for what looks like a path of a
// file.
bool looks_like_a_key(const std::string& text);

// What `orrery explain KEY` prints. KEY is a path, or the end of one ("window"): then all keys that
// end so. Indices do not matter. Throws ConfigError, with a suggestion, if there is no such key.
std::string explain_key(const std::string& key);

// docs/reference/keys.md.
std::string key_reference_page();

}  // namespace orrery
