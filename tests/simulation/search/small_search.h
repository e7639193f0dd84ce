// A transformer of two layers on two nodes of two NPUs, small enough to be searched by hand.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "frontends/yaml/searched_experiment.h"

namespace orrery {

// A layer has 784 parameters, 12 h^2 and two norms of h = 8; the embedding 128, the head 136.
inline const std::string small_experiment = R"(platform:
  npu: {peak: 1 TFLOP/s, memory_bandwidth: 100 GB/s, memory: 19000 B}
  topology:
    levels:
      - {name: node, kind: switch, size: 2, bandwidth: 10 GB/s, latency: 1 us, scope: local}
      - {name: fabric, kind: switch, size: 2, bandwidth: 1 GB/s, latency: 1 us}
system: {chunks: 1}
workload:
  transformer: {layers: 2, hidden: 8, heads: 2, vocabulary: 16, sequence: 4, tied_embeddings: false}
  training: {global_batch: 4}
)";

// A file of its own, gone with this.
class SearchFile {
 public:
  explicit SearchFile(const std::string& text, const std::string& name = "small")
      : path_(std::filesystem::temp_directory_path() /
              ("orrery-search-" + std::to_string(getpid()) + '-' + name + ".yaml")) {
    std::ofstream(path_) << text;
  }
  ~SearchFile() { std::filesystem::remove(path_); }
  SearchFile(const SearchFile&) = delete;
  SearchFile& operator=(const SearchFile&) = delete;

  std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace orrery
