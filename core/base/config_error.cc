#include "core/base/config_error.h"

#include <fmt/format.h>

#include <utility>

namespace orrery {

namespace {

// The source line and a caret under `column`. Tabs stay tabs, so that the caret is in the right
// place whatever a terminal makes of them.
std::string excerpt(const std::string& line, int column) {
  std::string text = "\n    " + line;
  if (column < 1) return text;
  text += "\n    ";
  for (int i = 0; i + 1 < column; ++i) {
    const auto at = static_cast<std::size_t>(i);
    text += at < line.size() && line[at] == '\t' ? '\t' : ' ';
  }
  return text + '^';
}

std::string join(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += format_diagnostic(diagnostic);
  }
  return text;
}

}  // namespace

std::string format_diagnostic(const Diagnostic& diagnostic) {
  std::string text;
  if (!diagnostic.file.empty()) {
    text += diagnostic.file + ':';
    if (diagnostic.line > 0) {
      text += fmt::format("{}:", diagnostic.line);
      if (diagnostic.column > 0) text += fmt::format("{}:", diagnostic.column);
    }
    text += ' ';
  }
  text += "error: ";
  if (!diagnostic.path.empty()) text += diagnostic.path + ": ";
  text += diagnostic.what;
  if (!diagnostic.remedy.empty()) text += ": " + diagnostic.remedy;
  if (!diagnostic.source_line.empty()) text += excerpt(diagnostic.source_line, diagnostic.column);
  return text;
}

ConfigError::ConfigError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(join(diagnostics)), diagnostics_(std::move(diagnostics)) {}

}  // namespace orrery
