#include "frontends/yaml/presets.h"

#include <vector>

namespace orrery::yaml {

std::span<const NpuPreset> npu_presets() {
  static constexpr NpuPreset presets[] = {
      // NVIDIA V100 data sheet (January 2020), V100 SXM2: deep learning 125 TFLOPS, 900 GB/s.
      {"v100", teraflops_per_second(125), gigabytes_per_second(900)},
      // NVIDIA A100 data sheet, A100 40GB SXM: FP16 tensor core 312 TFLOPS, 1,555 GB/s.
      {"a100", teraflops_per_second(312), gigabytes_per_second(1555)},
      // NVIDIA H100 data sheet, H100 SXM: FP16 tensor core 1,979 TFLOPS with sparsity, which is
      // twice
      // the dense 989; 3.35 TB/s.
      {"h100", teraflops_per_second(989), gigabytes_per_second(3350)},
  };
  return presets;
}

std::span<const DlrmPreset> dlrm_presets() {
  // S. Rashidi et al., "Scalable Distributed Training of Recommendation Models: An ASTRA-SIM + NS3
  // case-study with TCP/IP transport", Hot Interconnects 2020, slide "DLRM specification".
  static const std::vector<DlrmPreset> presets = [] {
    DlrmSpec hoti20;
    hoti20.global_batch = 65'536;
    hoti20.sparse_features = 64;
    hoti20.embedding_dimension = 64;
    hoti20.pooling = 60;
    hoti20.dense_features = 1'600;
    hoti20.bottom_mlp.assign(6, 1'024);  // 5 + 2 layers: in, five hidden, out
    hoti20.bottom_mlp.push_back(64);
    hoti20.top_mlp.assign(11, 2'048);  // 10 + 2 layers
    hoti20.top_mlp.push_back(1);
    hoti20.interaction = Interaction::concat;
    return std::vector<DlrmPreset>{{"dlrm-hoti20", hoti20, DataType::fp16}};
  }();
  return presets;
}

std::span<const TransportPreset> transport_presets() {
  static const TransportPreset presets[] = {{"hoti20", hoti20_transport()}};
  return presets;
}

}  // namespace orrery::yaml
