#include "workload/workload_spec.h"

namespace orrery {

std::string_view name_of(PipelineSchedule schedule) {
  switch (schedule) {
    case PipelineSchedule::gpipe:
      return "gpipe";
    case PipelineSchedule::one_forward_one_backward:
      return "1f1b";
    case PipelineSchedule::interleaved:
      return "interleaved";
    case PipelineSchedule::zb_h1:
      return "zb-h1";
    case PipelineSchedule::zb_h2:
      return "zb-h2";
    case PipelineSchedule::zbv:
      return "zbv";
    case PipelineSchedule::dualpipe:
      return "dualpipe";
    case PipelineSchedule::dualpipe_v:
      return "dualpipe-v";
  }
  return "?";
}

std::string_view name_of(AttentionKernel kernel) {
  switch (kernel) {
    case AttentionKernel::flash:
      return "flash";
    case AttentionKernel::eager:
      return "eager";
    case AttentionKernel::unfused:
      return "unfused";
  }
  return "?";
}

std::string_view name_of(AdaptedMatrices matrices) {
  switch (matrices) {
    case AdaptedMatrices::all:
      return "all";
    case AdaptedMatrices::attention:
      return "attention";
    case AdaptedMatrices::mlp:
      return "mlp";
  }
  return "?";
}

std::string_view name_of(Recompute recompute) {
  switch (recompute) {
    case Recompute::none:
      return "none";
    case Recompute::selective:
      return "selective";
    case Recompute::full:
      return "full";
  }
  return "?";
}

std::string_view name_of(Sharding sharding) {
  switch (sharding) {
    case Sharding::none:
      return "none";
    case Sharding::zero1:
      return "zero1";
    case Sharding::zero2:
      return "zero2";
    case Sharding::zero3:
      return "zero3";
  }
  return "?";
}

std::string_view name_of(Accumulation accumulation) {
  return accumulation == Accumulation::local ? "local" : "reduced";
}

std::string_view name_of(RankOrder order) {
  return order == RankOrder::tensor_data_pipeline ? "tp-cp-ep-dp-pp" : "tp-cp-ep-pp-dp";
}

std::string_view name_of(ContextMethod method) {
  switch (method) {
    case ContextMethod::ring:
      return "ring";
    case ContextMethod::all_gather:
      return "all_gather";
    case ContextMethod::pytorch:
      return "pytorch";
    case ContextMethod::ulysses_ring:
      return "ulysses_ring";
    case ContextMethod::ulysses:
      return "ulysses";
  }
  return "?";
}

std::string_view name_of(ExpertLoad load) {
  switch (load) {
    case ExpertLoad::uniform:
      return "uniform";
    case ExpertLoad::multinomial:
      return "multinomial";
    case ExpertLoad::zipf:
      return "zipf";
    case ExpertLoad::dirichlet:
      return "dirichlet";
    case ExpertLoad::trace:
      return "trace";
  }
  return "?";
}

std::string_view name_of(Redraw redraw) {
  switch (redraw) {
    case Redraw::micro_batch:
      return "micro_batch";
    case Redraw::iteration:
      return "iteration";
    case Redraw::layer:
      return "layer";
  }
  return "?";
}

std::string_view name_of(CapacityMode mode) { return mode == CapacityMode::drop ? "drop" : "pad"; }

}  // namespace orrery
