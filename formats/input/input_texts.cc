#include "formats/input/input_texts.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/base/config_error.h"
#include "core/base/hash.h"
#include "core/base/io_error.h"
#include "core/base/text_file.h"
#include "formats/input/embedded_files.h"
#include "formats/input/file_identity.h"

namespace orrery {

namespace {

// A pipe can be read once only.
bool is_regular_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

}  // namespace

const std::string& InputTexts::read(const std::string& path) {
  const Entry& found = entry(path);
  if (!found.error.empty()) throw IoError(found.error);
  return found.text;
}

std::unique_ptr<ByteStream> InputTexts::open(const std::string& path) {
  if (entries_.contains(path) || !is_regular_file(path)) return bytes_of(read(path));
  return hashed(bytes_of_file(path), [this, path](std::uint64_t hash) { note(path, hash); });
}

std::uint64_t InputTexts::hash(const std::string& path) {
  if (const auto known = hashes_.find(path); known != hashes_.end()) return known->second;
  if (entries_.contains(path) || !is_regular_file(path)) return hash_of(read(path));
  if (const auto known = hash_of_id_.find(identity_of_linked_file(path));
      known != hash_of_id_.end())
    return hashes_[path] = known->second;
  const auto bytes = open(path);
  while (!bytes->next().empty()) {
  }
  return hashes_.at(path);
}

void InputTexts::put(const std::string& path, std::string text) {
  entries_[path] = {std::move(text), ""};
}

bool InputTexts::can_read(const std::string& path) {
  if (!entries_.contains(path) && is_regular_file(path) && std::ifstream(path)) return true;
  return entry(path).error.empty();
}

void InputTexts::note(const std::string& path, std::uint64_t hash) {
  if (hashes_.try_emplace(path, hash).first->second != hash)
    throw ConfigError({.file = path,
                       .what = "the file has changed since it was read first",
                       .remedy = "run again, and leave it as it is meanwhile"});
  if (const std::string identity = identity_of_linked_file(path); !identity.empty())
    hash_of_id_.emplace(identity, hash);
}

const InputTexts::Entry& InputTexts::entry(const std::string& path) {
  const auto known = entries_.find(path);
  if (known != entries_.end()) return known->second;
  Entry& entry = entries_[path];
  if (path.starts_with(embedded_prefix)) {
    const std::string_view wanted = std::string_view(path).substr(embedded_prefix.size());
    const auto found = std::ranges::find(embedded_files(), wanted, &EmbeddedFile::path);
    if (found != embedded_files().end()) {
      entry.text = found->text;
      return entry;
    }
  }
  try {
    entry.text = read_text_file(path);
  } catch (const IoError& error) {
    entry.error = error.what();
  }
  return entry;
}

}  // namespace orrery
