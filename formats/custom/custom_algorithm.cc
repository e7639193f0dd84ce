#include "formats/custom/custom_algorithm.h"

#include "core/base/hash.h"
#include "formats/chakra/read_message_graph.h"
#include "formats/msccl/read_msccl.h"

namespace orrery {

bool names_custom_algorithm(const std::string& word) {
  return word.ends_with(".xml") || word.ends_with(".et");
}

CustomAlgorithm read_custom_algorithm(InputTexts& texts, const std::string& path, Collective kind,
                                      Bytes size) {
  if (path.ends_with(".et")) return read_message_graph(texts, path, kind, size);
  return parse_msccl(path, texts.read(path));
}

std::string hash_of_custom_algorithm(InputTexts& texts, const std::string& path) {
  if (!path.ends_with(".et")) return hash_text(texts.read(path));
  std::string hashes;
  for (const std::string& file : message_graph_files(texts, path))
    hashes += hash_text(texts.read(file));
  return hash_text(hashes);
}

}  // namespace orrery
