// Readers of other programs' files under libFuzzer, in one process and in memory: the first byte of
// an input chooses the reader, the others are the file. What is wrong with a file is to be an error
// of the user, of whatever bytes it is made. A finding is a crash, a failed check, a report of a
// sanitizer, a leak, 10 s, or more memory at a time than 16 x the file + 64 MB.
//
//   ./scripts/fuzz_readers.py --seconds 3600     builds it with clang, and runs it
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "core/base/config_error.h"
#include "core/base/io_error.h"
#include "core/units/range_error.h"
#include "formats/astra/set_up.h"
#include "formats/astra/text_workload.h"
#include "formats/chakra/rank_trace.h"
#include "formats/chakra/read_message_graph.h"
#include "formats/chakra/trace_check.h"
#include "formats/chakra/trace_workload.h"
#include "formats/hpcc/hpcc_format.h"
#include "formats/import/import_megatron.h"
#include "formats/import/import_nccl_topology.h"
#include "formats/kineto/kineto_profile.h"
#include "formats/msccl/read_msccl.h"
#include "tests/fuzz/readers/memory_in_use.h"

namespace orrery::fuzz {
namespace {

// What a packed file is to be measured by; nothing if it is more than is worth the time.
std::optional<std::size_t> unpacked_size(const std::string& bytes) {
  constexpr std::size_t kMost = std::size_t{16} << 20;
  std::size_t size = 0;
  const auto stream = unpacked("file", bytes_of(bytes));
  try {
    for (std::string_view piece = stream->next(); !piece.empty(); piece = stream->next())
      if ((size += piece.size()) > kMost) return std::nullopt;
  } catch (const ConfigError&) {  // its end is damaged
  }
  return size;
}

void read_trace(const std::string& bytes) {
  const chakra::TraceFile file{"t.0.et", [&] { return bytes_of(bytes); }};
  // Twice, so that peers and groups have somebody to name; lanes and dependencies by the size.
  chakra::TraceSettings settings;
  settings.lanes = static_cast<chakra::TraceLanes>(bytes.size() % 4);
  settings.dependencies = static_cast<chakra::TraceDependencies>(bytes.size() / 4 % 3);
  settings.durations = static_cast<chakra::TraceDurations>(bytes.size() / 12 % 3);
  const chakra::TraceInspection found =
      chakra::inspect_trace(settings, {file, file}, {}, bytes.size() % 2 == 0);
  chakra::contradictions_in(found.workload);
}

void read_nodes(const std::string& bytes) {
  json_text(chakra::read_rank_trace("t.et", bytes_of(bytes)));
}

void read_graph_of_messages(const std::string& bytes) {
  InputTexts texts;
  for (const char* name : {"a.0.et", "a.1.et"}) texts.put(name, bytes);
  read_message_graph(texts, "a.et", Collective::all_reduce, orrery::bytes(1000));
}

void read_profile(const std::string& bytes) {
  const auto text = istream_of(unpacked("k.json", bytes_of(bytes)));
  kineto::read_profile("k.json", *text);
}

using Read = void (*)(const std::string&);
constexpr std::array<Read, 13> readers = {
    read_trace,
    read_nodes,
    read_graph_of_messages,
    [](const std::string& text) { chakra::read_groups("g.json", text); },
    read_profile,
    [](const std::string& text) { parse_text_workload(text, "t.txt"); },
    [](const std::string& text) { parse_msccl("m.xml", text); },
    [](const std::string& text) { import_nccl_topology("n.xml", text, {.npu = "h100"}); },
    [](const std::string& text) { import_megatron("run.sh", text, {.ranks = 64}); },
    [](const std::string& text) { parse_hpcc_topology(text, "h.txt"); },
    [](const std::string& text) { astra::read_network("n.yml", text); },
    [](const std::string& text) { astra::read_system("s.json", text, 2); },
    [](const std::string& text) { astra::read_memory("m.json", text); },
};

void read(const std::string& file, Read reader) {
  const std::optional<std::size_t> size = unpacked_size(file);
  if (!size) return;
  const MemoryInUse memory;
  try {
    reader(file);
  } catch (const ConfigError&) {
  } catch (const IoError&) {
  } catch (const RangeError&) {
  }
  const std::size_t most = 16 * std::max(*size, file.size()) + (std::size_t{64} << 20);
  if (memory.most() <= most) return;
  fmt::print(stderr, "{} bytes of memory for a file of {}\n", memory.most(), *size);
  std::abort();
}

}  // namespace
}  // namespace orrery::fuzz

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // A copy, so that reading beyond its end is seen.
  const std::string file(reinterpret_cast<const char*>(data) + 1, size - 1);
  orrery::fuzz::read(file, orrery::fuzz::readers[data[0] % orrery::fuzz::readers.size()]);
  return 0;
}
