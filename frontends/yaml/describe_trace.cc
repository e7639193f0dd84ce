#include "frontends/yaml/describe_trace.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/io_error.h"
#include "formats/chakra/trace_workload.h"
#include "formats/input/file_identity.h"
#include "frontends/yaml/input_files.h"

namespace orrery::yaml {

namespace {

constexpr std::string_view kRankMark = "%d";

std::string file_of_rank(std::string pattern, std::size_t rank) {
  return pattern.replace(pattern.find(kRankMark), kRankMark.size(), std::to_string(rank));
}

// The files of ranks 0, 1, ...; one more than the platform has NPUs, if there is one.
std::vector<std::string> files_of_ranks(Reader& trace, const std::string& pattern,
                                        std::size_t npus) {
  std::vector<std::string> files = {file_of_rank(pattern, 0)};
  while (files.size() <= npus && trace.texts().can_read(file_of_rank(pattern, files.size())))
    files.push_back(file_of_rank(pattern, files.size()));
  return files;
}

}  // namespace

void read_trace(Reader& trace, const chakra::TraceSettings& settings, GraphWorkload& workload,
                const PlatformFacts& platform) {
  const std::string pattern = resolved_path(*trace.find("files"));
  std::string_view key = "files";  // whose file is read
  const bool each = pattern.find(kRankMark) != std::string::npos;
  if (each && settings.replicate > 0)
    return trace.wrong("replicate", "there is a file for each rank",
                       "leave the key out, or name one file");
  try {
    std::vector<chakra::TraceFile> files;
    const auto npus = static_cast<std::size_t>(platform.npus);
    const std::vector<std::string> names =
        each ? files_of_ranks(trace, pattern, npus) : std::vector<std::string>{pattern};
    for (const std::string& name : names)
      files.push_back({name, [&texts = trace.texts(), name] { return texts.open(name); },
                       identity_of_linked_file(name)});
    if (each && files.size() < npus)
      return trace.wrong("files", file_of_rank(pattern, files.size()) + " is not there",
                         fmt::format("it runs on {} NPUs: give a file for each, or choose fewer "
                                     "NPUs",
                                     npus));
    chakra::GroupRanks groups;
    if (!settings.groups.empty()) {
      const std::string path = resolved_path(*trace.find("groups"));
      key = "groups";
      groups = chakra::read_groups(path, trace.texts().read(path));
      key = "files";
    }
    workload =
        chakra::trace_workload(settings, files, groups, static_cast<int>(platform.levels.size()));
    for (const std::string& name : names) trace.record_contents("files", name);
    if (!settings.groups.empty())
      trace.record_contents("groups", resolved_path(*trace.find("groups")));
  } catch (const ConfigError& error) {
    trace.wrong_elsewhere(error);
  } catch (const IoError& error) {
    trace.wrong(key, error.what(), unreadable_remedy);
  }
}

}  // namespace orrery::yaml
