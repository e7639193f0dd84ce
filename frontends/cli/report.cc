#include <fmt/format.h>

#include <filesystem>

#include "core/base/io_error.h"
#include "core/base/text_file.h"
#include "frontends/cli/commands.h"
#include "report/html/report_page.h"
#include "report/result_folder.h"

namespace orrery::cli {

namespace {

namespace fs = std::filesystem;

// Of a folder that -o named, or a file itself.
fs::path json_of(const fs::path& result) {
  if (!fs::is_directory(result)) return result;
  for (const char* name : {"result.json", "comparison.json"})
    if (fs::exists(result / name)) return result / name;
  throw IoError(fmt::format(
      "{} holds no result.json and no comparison.json: write one with `orrery run FILE -o {}`",
      result.string(), result.string()));
}

fs::path page_of(const PageOptions& options) {
  if (!options.output.empty()) return options.output;
  if (options.results.size() > 1) return "report.html";
  return json_of(options.results.front()).parent_path() / "report.html";
}

}  // namespace

void write_page(const std::string& file, const std::string& page) {
  if (fs::exists(file) && !is_report_page(read_text_file(file)))
    throw IoError(fmt::format("{} is there and is not a report: name another file", file));
  write_whole_file(file, page);
}

ExitCode report(const PageOptions& options, const Terminal& terminal) {
  std::vector<ReportInput> inputs;
  for (const std::string& result : options.results) {
    const fs::path file = json_of(result);
    inputs.push_back({file.string(), read_text_file(file.string())});
  }
  const fs::path page = page_of(options);
  const bool tables_beside =
      inputs.size() == 1 && page.parent_path().lexically_normal() ==
                                fs::path(inputs.front().name).parent_path().lexically_normal();
  write_page(page.string(), report_page(inputs, tables_beside));
  terminal.out << page.string() << '\n';
  return ok;
}

}  // namespace orrery::cli
