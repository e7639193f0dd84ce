// The keys of `platform.npu.efficiency`, and of the files in platforms/efficiency.
#pragma once

#include <cstddef>
#include <string>

#include "frontends/yaml/reader.h"
#include "system/compute/roofline.h"
#include "system/problems.h"
#include "workload/workload_spec.h"

namespace orrery::yaml {

inline void describe_efficiency(Keys& keys, EfficiencySpec& efficiency, std::string& description) {
  std::string preset;
  keys.optional("preset", preset,
                "a device with the software of its time (`orrery list presets`), which gives the "
                "other values");
  keys.optional("description", description, "a sentence for `orrery list presets`");
  keys.optional("matrix", efficiency.matrix,
                "share of the peak that a large matrix product reaches, and every operation "
                "without a key of its own");
  efficiency.attention = efficiency.matrix;
  keys.optional("attention", efficiency.attention,
                "share of the peak that an attention kernel (flash attention) reaches with many "
                "keys");
  keys.optional("attention_half_length", efficiency.attention_half_length,
                "keys of a query at which an attention kernel reaches half of `attention`",
                between(0, 1'000'000));
  keys.optional("memory", efficiency.memory,
                "share of the memory bandwidth that a large kernel reaches");
  keys.optional("spread", efficiency.spread,
                "standard deviation of the rates of equal devices; ranks of a job are as slow as "
                "the slowest of them is expected to be");
  keys.optional("launch", efficiency.launch,
                "time before each operation in which the device does nothing", not_negative);
  keys.optional(
      "issue", efficiency.issue,
      "time that the host takes to issue an operation; the device is not faster than that",
      not_negative);
  keys.optional(
      "results", efficiency.results,
      "rate at which the result of a matrix product leaves the multiprocessors, behind its "
      "operations; without it beside them",
      positive);
  TransformerTraining software;  // read by InputFiles, for the workload
  constexpr auto said = "what this software does: the default of that key of workload.training";
  keys.optional("overlap_gradient_sums", software.overlap_gradient_sums, said);
  keys.optional("recompute_stops_early", software.recompute_stops_early, said);
  keys.optional("optimizer_traffic", software.optimizer_traffic, said);
  keys.optional_items(
      "products", efficiency.products, "matrix products that were timed",
      [](Keys& product, TimedProduct& timed, std::size_t) {
        product.required("rows", timed.shape.rows, "rows of the first matrix and of the result",
                         positive);
        product.required("columns", timed.shape.columns,
                         "columns of the second matrix and of the result", positive);
        product.required("depth", timed.shape.depth,
                         "columns of the first matrix, rows of the second", positive);
        product.required("time", timed.time, "time that the product takes", positive);
      });
  keys.check([&](Reader& reader) {
    if (reader.clean()) reader.report(problems_of(efficiency));
  });
}

}  // namespace orrery::yaml
