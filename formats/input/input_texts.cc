#include "formats/input/input_texts.h"

#include <algorithm>
#include <utility>

#include "core/base/io_error.h"
#include "core/base/text_file.h"
#include "formats/input/embedded_files.h"

namespace orrery {

const std::string& InputTexts::read(const std::string& path) {
  const Entry& found = entry(path);
  if (!found.error.empty()) throw IoError(found.error);
  return found.text;
}

void InputTexts::put(const std::string& path, std::string text) {
  entries_[path] = {std::move(text), ""};
}

bool InputTexts::can_read(const std::string& path) { return entry(path).error.empty(); }

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
