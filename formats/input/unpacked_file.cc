#include "formats/input/unpacked_file.h"

#include "formats/input/byte_stream.h"

namespace orrery {

std::unique_ptr<std::istream> unpacked_file(const std::string& path) {
  return istream_of(unpacked(path, bytes_of_file(path)));
}

}  // namespace orrery
