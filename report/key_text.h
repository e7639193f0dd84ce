// The keys of a file as text for people, from the JSON Schema of the file: a paragraph for a key,
// and a page of all keys.
#pragma once

#include <string>
#include <vector>

namespace orrery {

struct KeyEntry {
  std::string path;                // "platform.topology.levels[].bandwidth"
  std::string type;                // with the range: "whole number, at least 1"
  std::string default_value;       // "" = none is written in the schema
  std::string help;                // one sentence
  std::string page;                // of docs/, what the key does in the model
  std::vector<std::string> below;  // names of the keys of a map, or of a list of maps
  std::vector<std::string> names;  // that the value may be, where it is one of a few
  bool required = false;           // beside the keys of the same map
};

// In the order of the schema; a map comes before its keys.
std::vector<KeyEntry> keys_of_schema(const std::string& schema);

std::string last_step(const std::string& path);  // "window" of "network.transport.window"

std::string key_paragraph(const KeyEntry& key);
// Of keys of one name: those that differ in nothing but their path share a paragraph.
std::string key_paragraphs(const std::vector<KeyEntry>& keys);

// docs/reference/keys.md.
std::string key_page(const std::vector<KeyEntry>& keys);

}  // namespace orrery
