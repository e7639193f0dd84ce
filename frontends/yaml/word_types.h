// Values that are words: any text, true and false, and the names of enumerations and of registries.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/event/ties.h"
#include "frontends/yaml/scalar_type.h"
#include "network/fluid_spec.h"
#include "network/routing_spec.h"
#include "network/switch_spec.h"
#include "network/topology/builders/cluster_graph.h"
#include "network/topology/topology.h"
#include "network/transport_spec.h"
#include "system/compute/variation.h"
#include "system/system_spec.h"
#include "workload/workload_spec.h"

namespace orrery::yaml {

template <>
struct ScalarType<std::string> {
  static FromText<std::string> parse(const std::string& text) { return text; }
  static std::string text(const std::string& value) { return value; }
  static SchemaType schema() { return {{"string", "number", "boolean"}}; }
};

template <>
struct ScalarType<bool> {
  static FromText<bool> parse(const std::string& text);
  static std::string text(bool value) { return value ? "true" : "false"; }
  static SchemaType schema() { return {{"boolean"}}; }
};

// The words of an enumeration: all values of E, which a name_of(E) names.
template <class E>
struct ValuesOf;
template <>
struct ValuesOf<Ties> {
  static constexpr std::array all{Ties::call, Ties::seed};
};
template <>
struct ValuesOf<LevelKind> {
  static constexpr std::array all{LevelKind::ring, LevelKind::mesh, LevelKind::fully_connected,
                                  LevelKind::switched};
};
template <>
struct ValuesOf<orrery::NodeKind> {
  static constexpr std::array all{orrery::NodeKind::npu, orrery::NodeKind::nic,
                                  orrery::NodeKind::switched};
};
template <>
struct ValuesOf<NodeInside> {
  static constexpr std::array all{NodeInside::none, NodeInside::switched,
                                  NodeInside::fully_connected};
};
template <>
struct ValuesOf<RoutingPolicy> {
  static constexpr std::array all{
      RoutingPolicy::automatic,     RoutingPolicy::dimension_order, RoutingPolicy::ecmp,
      RoutingPolicy::ecmp_expected, RoutingPolicy::weighted_ecmp,   RoutingPolicy::d_mod_k,
      RoutingPolicy::qp_spread,     RoutingPolicy::spray,           RoutingPolicy::valiant};
};
template <>
struct ValuesOf<LinkCondition> {
  static constexpr std::array all{LinkCondition::down, LinkCondition::degraded, LinkCondition::up};
};
template <>
struct ValuesOf<Scope> {
  static constexpr std::array all{Scope::local, Scope::scale_out};
};
template <>
struct ValuesOf<SchedulingPolicy> {
  static constexpr std::array all{SchedulingPolicy::lifo, SchedulingPolicy::fifo,
                                  SchedulingPolicy::priority, SchedulingPolicy::shortest_first};
};
template <>
struct ValuesOf<HierarchicalSchedule> {
  static constexpr std::array all{
      HierarchicalSchedule::baseline, HierarchicalSchedule::local_bandwidth_aware,
      HierarchicalSchedule::flat,     HierarchicalSchedule::torus,
      HierarchicalSchedule::themis,   HierarchicalSchedule::across_first};
};
template <>
struct ValuesOf<Protocol> {
  static constexpr std::array all{Protocol::none, Protocol::simple, Protocol::ll, Protocol::ll128,
                                  Protocol::automatic};
};
template <>
struct ValuesOf<PipelineSchedule> {
  static constexpr std::array all{
      PipelineSchedule::gpipe,       PipelineSchedule::one_forward_one_backward,
      PipelineSchedule::interleaved, PipelineSchedule::zb_h1,
      PipelineSchedule::zb_h2,       PipelineSchedule::zbv,
      PipelineSchedule::dualpipe,    PipelineSchedule::dualpipe_v};
};
template <>
struct ValuesOf<AttentionKernel> {
  static constexpr std::array all{AttentionKernel::flash, AttentionKernel::unfused};
};
template <>
struct ValuesOf<Recompute> {
  static constexpr std::array all{Recompute::none, Recompute::selective, Recompute::full};
};
template <>
struct ValuesOf<Sharding> {
  static constexpr std::array all{Sharding::none, Sharding::zero1, Sharding::zero2,
                                  Sharding::zero3};
};
template <>
struct ValuesOf<Accumulation> {
  static constexpr std::array all{Accumulation::local, Accumulation::reduced};
};
template <>
struct ValuesOf<ContextMethod> {
  static constexpr std::array all{ContextMethod::ring, ContextMethod::all_gather,
                                  ContextMethod::ulysses, ContextMethod::ulysses_ring};
};
template <>
struct ValuesOf<ExpertLoad> {
  static constexpr std::array all{ExpertLoad::uniform, ExpertLoad::multinomial, ExpertLoad::zipf,
                                  ExpertLoad::dirichlet, ExpertLoad::trace};
};
template <>
struct ValuesOf<Redraw> {
  static constexpr std::array all{Redraw::micro_batch, Redraw::iteration, Redraw::layer};
};
template <>
struct ValuesOf<CapacityMode> {
  static constexpr std::array all{CapacityMode::drop, CapacityMode::pad};
};
template <>
struct ValuesOf<RankOrder> {
  static constexpr std::array all{RankOrder::tensor_data_pipeline, RankOrder::tensor_pipeline_data};
};
template <>
struct ValuesOf<JitterDistribution> {
  static constexpr std::array all{JitterDistribution::uniform, JitterDistribution::exponential,
                                  JitterDistribution::normal};
};
template <>
struct ValuesOf<JitterDraw> {
  static constexpr std::array all{JitterDraw::operation, JitterDraw::iteration};
};
template <>
struct ValuesOf<Interaction> {
  static constexpr std::array all{Interaction::concat, Interaction::dot, Interaction::cross};
};

template <>
struct ValuesOf<ClassSharing> {
  static constexpr std::array all{ClassSharing::fair, ClassSharing::weighted, ClassSharing::strict};
};

enum class DataType : std::uint8_t { fp16, bf16, fp32, fp8 };
template <>
struct ValuesOf<DataType> {
  static constexpr std::array all{DataType::fp16, DataType::bf16, DataType::fp32, DataType::fp8};
};

template <>
struct ValuesOf<TransportKind> {
  static constexpr std::array all = transport_kinds;
};
template <>
struct ValuesOf<IdealModel> {
  static constexpr std::array all{IdealModel::analytical, IdealModel::fluid};
};
template <>
struct ValuesOf<ConnectPolicy> {
  static constexpr std::array all{ConnectPolicy::before_use, ConnectPolicy::first_message,
                                  ConnectPolicy::per_message};
};
template <>
struct ValuesOf<BufferSharing> {
  static constexpr std::array all{BufferSharing::shared, BufferSharing::per_port};
};
template <>
struct ValuesOf<QueueKind> {
  static constexpr std::array all{QueueKind::drop_tail, QueueKind::red};
};

std::string_view name_of(Interaction interaction);
std::string_view name_of(DataType type);
Bytes size_of(DataType type);

// `"rnig" is not one of the names: did you mean "ring"? (known: ...)`
WrongText unknown_name(std::string_view text, const std::vector<std::string_view>& known);

template <class E>
requires requires { ValuesOf<E>::all; }
struct ScalarType<E> {
  static std::vector<std::string_view> names() {
    std::vector<std::string_view> result;
    for (const E value : ValuesOf<E>::all) result.push_back(name_of(value));
    return result;
  }
  static FromText<E> parse(const std::string& text) {
    for (const E value : ValuesOf<E>::all) {
      if (name_of(value) == text) return value;
    }
    return unknown_name(text, names());
  }
  static std::string text(E value) { return std::string(name_of(value)); }
  static SchemaType schema() { return {{"string"}, names()}; }
};

// A word of a list that is made elsewhere: registries and presets.
struct BackendRegistry {
  static std::vector<std::string_view> names();
};
struct CongestionControlRegistry {
  static std::vector<std::string_view> names();
};
struct LibraryRegistry {
  static std::vector<std::string_view> names();
};
template <class Registry>
struct NameIn {
  std::string name;
};
using BackendName = NameIn<BackendRegistry>;  // of network/backends.def
using CongestionControlName = NameIn<CongestionControlRegistry>;
using LibraryName = NameIn<LibraryRegistry>;  // of system/measured_protocols.h, or none

// name or name:number, of system/algorithms/builtin.def; auto; or what NCCL calls its trees
template <>
struct ScalarType<NamedAlgorithm> {
  static FromText<NamedAlgorithm> parse(const std::string& text);
  static std::string text(const NamedAlgorithm& value) { return value.name; }
  static SchemaType schema();
};

template <class Registry>
struct ScalarType<NameIn<Registry>> {
  static FromText<NameIn<Registry>> parse(const std::string& text) {
    const std::vector<std::string_view> known = Registry::names();
    for (const std::string_view name : known) {
      if (name == text) return NameIn<Registry>{text};
    }
    return unknown_name(text, known);
  }
  static std::string text(const NameIn<Registry>& value) { return value.name; }
  static SchemaType schema() { return {{"string"}, Registry::names()}; }
};
template <>
FromText<BackendName> ScalarType<BackendName>::parse(const std::string& text);

}  // namespace orrery::yaml
