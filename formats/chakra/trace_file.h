// A file of a trace, which is read when it is asked for, and again where a message needs a name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formats/input/byte_stream.h"

namespace orrery::chakra {

struct TraceFile {
  std::string name;
  std::function<std::unique_ptr<ByteStream>()> open;  // none: the file is not there
  std::string identity = {};  // files that have the same one, if not "", are the same
};

// The names of the files of ranks 0, 1, ...: by the number that tells them apart, where there is
// one ("gpt.10.et" goes behind "gpt.2.et"), else as they are. Ranks without a file are there too,
// by the name that it would have; `is_missing` tells. REQUIRES: a name.
struct RankFile {
  std::string name;
  bool is_missing = false;
};
std::vector<RankFile> files_of_ranks(std::vector<std::string> names);

}  // namespace orrery::chakra
