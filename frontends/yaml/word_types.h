// Values that are words: any text, true and false, and the names of enumerations and of registries.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
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
#include "workload/data_type.h"
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

// The last word of an enumeration that is written in YAML; those before it are words, too. A
// name_of() has their names.
template <class E>
inline constexpr std::monostate last_word;
template <>
inline constexpr auto last_word<Accumulation> = Accumulation::reduced;
template <>
inline constexpr auto last_word<AttentionKernel> = AttentionKernel::unfused;
template <>
inline constexpr auto last_word<BufferSharing> = BufferSharing::per_port;
template <>
inline constexpr auto last_word<CapacityMode> = CapacityMode::pad;
template <>
inline constexpr auto last_word<ClassSharing> = ClassSharing::strict;
template <>
inline constexpr auto last_word<ConnectPolicy> = ConnectPolicy::per_message;
template <>
inline constexpr auto last_word<ContextMethod> = ContextMethod::ulysses_ring;
template <>
inline constexpr auto last_word<DataType> = DataType::fp8;
template <>
inline constexpr auto last_word<ExpertLoad> = ExpertLoad::trace;
template <>
inline constexpr auto last_word<HierarchicalSchedule> = HierarchicalSchedule::across_first;
template <>
inline constexpr auto last_word<IdealModel> = IdealModel::fluid;
template <>
inline constexpr auto last_word<Interaction> = Interaction::cross;
template <>
inline constexpr auto last_word<JitterDistribution> = JitterDistribution::normal;
template <>
inline constexpr auto last_word<JitterDraw> = JitterDraw::iteration;
template <>
inline constexpr auto last_word<LevelKind> = LevelKind::switched;
template <>
inline constexpr auto last_word<LinkCondition> = LinkCondition::up;
template <>
inline constexpr auto last_word<NodeInside> = NodeInside::fully_connected;
template <>
inline constexpr auto last_word<PipelineSchedule> = PipelineSchedule::dualpipe_v;
template <>
inline constexpr auto last_word<Protocol> = Protocol::automatic;
template <>
inline constexpr auto last_word<QueueKind> = QueueKind::red;
template <>
inline constexpr auto last_word<RankOrder> = RankOrder::tensor_pipeline_data;
template <>
inline constexpr auto last_word<Recompute> = Recompute::full;
template <>
inline constexpr auto last_word<Redraw> = Redraw::layer;
template <>
inline constexpr auto last_word<RoutingPolicy> = RoutingPolicy::source;
template <>
inline constexpr auto last_word<SchedulingPolicy> = SchedulingPolicy::shortest_first;
template <>
inline constexpr auto last_word<Scope> = Scope::scale_out;
template <>
inline constexpr auto last_word<Sharding> = Sharding::zero3;
template <>
inline constexpr auto last_word<SprayOrder> = SprayOrder::random;
template <>
inline constexpr auto last_word<Ties> = Ties::seed;
template <>
inline constexpr auto last_word<TransportKind> = TransportKind::ideal;
template <>
inline constexpr auto last_word<orrery::NodeKind> = orrery::NodeKind::switched;

std::string_view name_of(Interaction interaction);

// `"rnig" is not one of the names: did you mean "ring"? (known: ...)`
WrongText unknown_name(std::string_view text, const std::vector<std::string_view>& known);

// As people write words: RoCE, DCQCN, 1F1B.
bool is_same_word(std::string_view word, std::string_view text);

template <class E>
requires std::is_same_v<const E, decltype(last_word<E>)>
struct ScalarType<E> {
  static std::vector<std::string_view> names() {
    std::vector<std::string_view> result;
    for (int value = 0; value <= static_cast<int>(last_word<E>); ++value)
      result.push_back(name_of(static_cast<E>(value)));
    return result;
  }
  static FromText<E> parse(const std::string& text) {
    for (int value = 0; value <= static_cast<int>(last_word<E>); ++value)
      if (is_same_word(name_of(static_cast<E>(value)), text)) return static_cast<E>(value);
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
      if (is_same_word(name, text)) return NameIn<Registry>{std::string(name)};
    }
    return unknown_name(text, known);
  }
  static std::string text(const NameIn<Registry>& value) { return value.name; }
  static SchemaType schema() { return {{"string"}, Registry::names()}; }
};
template <>
FromText<BackendName> ScalarType<BackendName>::parse(const std::string& text);
template <>
FromText<NodeInside> ScalarType<NodeInside>::parse(const std::string& text);

}  // namespace orrery::yaml
