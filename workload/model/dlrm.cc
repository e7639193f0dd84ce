// The DLRM of M. Naumov et al. (arXiv 1906.00091) as a layer table; docs/models/dlrm.md.
#include <cstddef>
#include <string>

#include "core/base/check.h"
#include "workload/workload.h"

namespace orrery {

namespace {

// A dense layer multiplies a batch x in matrix by an in x out one. Each of the three passes is one
// matrix product of batch * in * out multiply-adds: y = x W, dx = dy W^T, dW = x^T dy.
LayerSpec dense_layer(std::string name, std::int64_t batch, std::int64_t in, std::int64_t out,
                      Bytes element) {
  PassSpec product;
  product.compute.flops = flops(2 * batch * in * out);

  LayerSpec layer;
  layer.name = std::move(name);
  layer.forward = layer.input_gradient = layer.weight_gradient = product;
  layer.weight_gradient.collective = Collective::all_reduce;
  layer.weight_gradient.size = element * (in * out);
  return layer;
}

// The tables are spread over the ranks, so each rank looks up its tables for the global batch, and
// an all-to-all brings every rank the vectors of its own samples; backward, their gradients go
// home.
LayerSpec embedding_layer(const DlrmSpec& spec, std::int64_t batch, std::int32_t ranks) {
  const Bytes exchanged = spec.element * (batch * spec.sparse_features * spec.embedding_dimension);

  LayerSpec layer;
  layer.name = "Embedding";
  layer.forward.compute.measured = spec.embedding_lookup_time;
  if (spec.embedding_traffic) {
    const std::int64_t lookups =
        spec.lookups > 0 ? spec.lookups : spec.pooling * spec.sparse_features;
    const Bytes rows =
        spec.element * (spec.global_batch * lookups / ranks * spec.embedding_dimension);
    layer.forward.compute.memory_traffic = rows;
    layer.weight_gradient.compute.memory_traffic = rows * 2;  // read and written
  }
  layer.forward.collective = Collective::all_to_all;
  layer.forward.size = exchanged;
  layer.input_gradient.collective = Collective::all_to_all;
  layer.input_gradient.size = exchanged;
  layer.weight_gradient.compute.measured = spec.embedding_update_time;
  return layer;
}

std::int64_t top_input_width(const DlrmSpec& spec) {
  const std::int64_t vectors = spec.sparse_features + 1;  // one per table, and the dense one
  if (spec.interaction != Interaction::dot) return vectors * spec.embedding_dimension;
  return vectors * (vectors - 1) / 2 + spec.embedding_dimension;
}

void append_mlp(LayerTable& table, const std::string& name, std::int64_t batch, std::int64_t in,
                const std::vector<std::int64_t>& widths, Bytes element) {
  for (std::size_t i = 0; i < widths.size(); ++i) {
    table.layers.push_back(
        dense_layer(name + "_" + std::to_string(i), batch, in, widths[i], element));
    in = widths[i];
  }
}

}  // namespace

LayerTable make_dlrm(const DlrmSpec& spec, std::int32_t ranks) {
  CHECK(ranks > 0 && spec.global_batch % ranks == 0, "a global batch of {} on {} ranks",
        spec.global_batch, ranks);
  const std::int64_t batch = spec.global_batch / ranks;

  LayerTable table;
  table.policy = ParallelismPolicy::hybrid_dlrm;
  table.layers.push_back(embedding_layer(spec, batch, ranks));
  append_mlp(table, "MLP_Bottom", batch, spec.dense_features, spec.bottom_mlp, spec.element);
  table.last_bottom_layer = static_cast<std::int32_t>(table.layers.size()) - 1;
  if (spec.interaction == Interaction::cross) {
    // Each is a product down to the rank and one up to the width again.
    std::vector<std::int64_t> widths;
    for (std::int64_t i = 0; i < spec.cross_layers; ++i)
      widths.insert(widths.end(), {spec.cross_rank, top_input_width(spec)});
    append_mlp(table, "Cross", batch, top_input_width(spec), widths, spec.element);
  }
  append_mlp(table, "MLP_Top", batch, top_input_width(spec), spec.top_mlp, spec.element);
  return table;
}

}  // namespace orrery
