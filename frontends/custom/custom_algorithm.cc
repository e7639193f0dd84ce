#include "frontends/custom/custom_algorithm.h"

#include "frontends/chakra/read_message_graph.h"
#include "frontends/msccl/read_msccl.h"

namespace orrery {

bool names_custom_algorithm(const std::string& word) {
  return word.ends_with(".xml") || word.ends_with(".et");
}

CustomAlgorithm read_custom_algorithm(const std::string& path, Collective kind, Bytes size) {
  if (path.ends_with(".et")) return read_message_graph(path, kind, size);
  return read_msccl(path);
}

}  // namespace orrery
