// What can be named in an experiment file, as tables of names with a sentence each: what
// `orrery list` prints.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {

using NamedSentence = std::pair<std::string, std::string>;
// `what`: heads the sentences. An entry without a name goes on with that above it.
std::string table_of_names(std::string_view heading, const std::vector<NamedSentence>& entries,
                           std::string_view what = "");

std::string backends_text();
std::string transports_text();
std::string algorithms_text();
std::string device_presets_text();
std::string server_presets_text();
std::string library_presets_text();
std::string model_presets_text();

}  // namespace orrery
