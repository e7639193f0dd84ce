// The file that `run --spans` names: one CSV line per span (core/trace/csv_sink.h), written beside
// its final name and renamed when the run has ended, however it ended.
#pragma once

#include <filesystem>
#include <fstream>

#include "core/trace/csv_sink.h"

namespace orrery::cli {

class SpanFile {
 public:
  // Throws IoError if the file exists and `force` is not given, or cannot be written.
  SpanFile(const std::filesystem::path& path, CsvSink::Messages messages, bool force);

  TraceSink& sink() { return sink_; }
  void finish();  // throws IoError

 private:
  std::filesystem::path path_, unfinished_;
  std::ofstream stream_;
  CsvSink sink_;
};

}  // namespace orrery::cli
