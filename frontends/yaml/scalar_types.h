// What one YAML value can be: how its text becomes a C++ value, how that prints, and what an editor
// should know about it. One ScalarType<T> for each T that appears in a description of keys.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/event/ties.h"
#include "core/units/share.h"
#include "core/units/unit_text.h"
#include "core/units/units.h"
#include "network/fluid_spec.h"
#include "network/routing_spec.h"
#include "network/switch_spec.h"
#include "network/topology/builders/cluster_graph.h"
#include "network/topology/topology.h"
#include "network/transport_spec.h"
#include "system/compute/variation.h"
#include "system/operation_source.h"
#include "system/system_spec.h"
#include "workload/workload_spec.h"

namespace orrery::yaml {

// Why a text is not a T; `what` includes the text.
struct WrongText {
  std::string what, remedy;
  bool out_of_range = false;  // of T; where the key has limits, these are the remedy
};
template <class T>
using FromText = std::variant<T, WrongText>;

// For the JSON schema. With names, the value is one of them.
struct SchemaType {
  std::vector<std::string_view> json_types;
  std::vector<std::string_view> names = {};
  std::string_view pattern = {};
  bool is_part = false;         // a number is from 0 to 1
  std::string_view title = {};  // for people, where the JSON type says too little
};

// The longest time in a file. The clock ends at 106 days, and this leaves room for sums.
inline constexpr Duration longest_time = milliseconds(1'000'000'000);  // 11.6 days

// Inclusive, in the unit of the type (bytes, picoseconds, ...).
struct Limits {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};
constexpr Limits at_least(std::int64_t least) { return {.least = least}; }
constexpr Limits between(std::int64_t least, std::int64_t most) { return {least, most}; }
inline constexpr Limits positive = at_least(1), not_negative = at_least(0), any_value = {};

template <class T>
struct ScalarType;

// --- Words ---

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
template <class Registry>
struct NameIn {
  std::string name;
};
using BackendName = NameIn<BackendRegistry>;  // of network/backends.def
using CongestionControlName = NameIn<CongestionControlRegistry>;

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

// --- Numbers ---

// Decimal digits only: no 010, 1_000, 1e3, 0x10.
FromText<std::int64_t> parse_integer(const std::string& text);
FromText<std::uint64_t> parse_unsigned(const std::string& text);

template <>
struct ScalarType<std::int64_t> {
  static FromText<std::int64_t> parse(const std::string& text) { return parse_integer(text); }
  static std::string text(std::int64_t value) { return std::to_string(value); }
  static SchemaType schema() { return {{"integer"}}; }
};
template <>
struct ScalarType<std::int32_t> {
  static FromText<std::int32_t> parse(const std::string& text);
  static std::string text(std::int32_t value) { return std::to_string(value); }
  static SchemaType schema() { return {{"integer"}}; }
};
template <>
struct ScalarType<std::uint64_t> {
  static FromText<std::uint64_t> parse(const std::string& text) { return parse_unsigned(text); }
  static std::string text(std::uint64_t value) { return std::to_string(value); }
  static SchemaType schema() { return {{"integer"}}; }
};

// Decimal digits, a point, an exponent: 0.25, 1e-4. Of a factor also per cent: "150 %".
template <>
struct ScalarType<double> {
  static FromText<double> parse(const std::string& text);
  static std::string text(double value);
  static SchemaType schema() {
    return {.json_types = {"number", "string"},
            .pattern = R"(^\s*(\d*\.)?\d+([eE][+-]?\d+)?\s*%?\s*$)",
            .title = "number"};
  }
};

// normal, highest or a number
template <>
struct ScalarType<Priority> {
  static FromText<Priority> parse(const std::string& text);
  static std::string text(Priority value);
  static SchemaType schema() {
    return {.json_types = {"integer", "string"}, .title = "normal, highest or a whole number"};
  }
};

template <class T>
inline constexpr std::string_view title_of_quantity = "quantity with a unit";
template <>
inline constexpr std::string_view title_of_quantity<Duration> = "duration, such as 1.5 us";
template <>
inline constexpr std::string_view title_of_quantity<Bytes> = "size, such as 64 MiB";
template <>
inline constexpr std::string_view title_of_quantity<Bandwidth> = "bandwidth, such as 400 Gb/s";
template <>
inline constexpr std::string_view title_of_quantity<FlopRate> = "rate, such as 312 TFLOP/s";

template <class Tag>
struct ScalarType<Quantity<Tag>> {
  static FromText<Quantity<Tag>> parse(const std::string& text);
  static std::string text(Quantity<Tag> value) { return exact_text(value); }
  static SchemaType schema() {
    return {.json_types = {"string"},
            .pattern = R"(^\s*[0-9.]+([eE][+-]?[0-9]+)?\s*[A-Za-z/]+\s*$)",
            .title = title_of_quantity<Quantity<Tag>>};
  }
};
template <>
FromText<Duration> ScalarType<Duration>::parse(const std::string& text);
template <>
FromText<Bytes> ScalarType<Bytes>::parse(const std::string& text);
template <>
FromText<Bandwidth> ScalarType<Bandwidth>::parse(const std::string& text);
template <>
FromText<FlopRate> ScalarType<FlopRate>::parse(const std::string& text);

// A part of a whole: "15.2 %", 0.152 or "20/132" (share_text.h). As a number, at most 1.
template <>
struct ScalarType<Share> {
  static FromText<Share> parse(const std::string& text);
  static std::string text(Share value);
  static SchemaType schema() {
    return {.json_types = {"string", "number"},
            .pattern = R"(^\s*(\d+\s*/\s*\d+|(\d*\.)?\d+([eE][+-]?\d+)?\s*%?)\s*$)",
            .is_part = true,
            .title = "share, such as 15.2 %, 0.152 or 20/132"};
  }
};
template <>
struct ScalarType<Fraction> {
  static FromText<Fraction> parse(const std::string& text);
  static std::string text(Fraction value);
  static SchemaType schema() { return ScalarType<Share>::schema(); }
};

// A size that is shown only if it is given.
struct SizeIfGiven {
  Bytes bytes;
};
template <>
struct ScalarType<SizeIfGiven> {
  static FromText<SizeIfGiven> parse(const std::string& text);
  static std::string text(const SizeIfGiven& value) {
    return value.bytes == Bytes{} ? "" : ScalarType<Bytes>::text(value.bytes);
  }
  static SchemaType schema() { return ScalarType<Bytes>::schema(); }
};

// --- Ranks and levels ---

// "0-3,5": what a `ranks:` names, as inclusive runs.
struct RankRuns {
  std::vector<std::pair<Rank, Rank>> runs;
};
template <>
struct ScalarType<RankRuns> {
  static FromText<RankRuns> parse(const std::string& text);
  static std::string text(const RankRuns& value);
  static SchemaType schema() {
    return {.json_types = {"integer", "string"},
            .pattern = R"(^\s*\d+(-\d+)?(\s*,\s*\d+(-\d+)?)*\s*$)",
            .title = "ranks, such as 0-3,5"};
  }
};

// A level of the platform, by its index or its name.
struct LevelReference {
  std::string text;
};
template <>
struct ScalarType<LevelReference> {
  static FromText<LevelReference> parse(const std::string& text) { return LevelReference{text}; }
  static std::string text(const LevelReference& value) { return value.text; }
  static SchemaType schema() {
    return {.json_types = {"integer", "string"}, .title = "level, by name or index"};
  }
};

// --- Lists, and values that may be absent ---

// A list, for which a single value stands for a list of one.
template <class T>
struct OneOrMore {
  std::vector<T> values;
};

// As `explain` shows a value; "" if there is none.
template <class T>
std::string text_of(const T& value) {
  return ScalarType<T>::text(value);
}
template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : "none";
}
template <class T>
std::string text_of(const std::vector<T>& values) {
  if (values.empty()) return "";
  std::string text;
  for (const T& value : values) text += (text.empty() ? "[" : ", ") + text_of(value);
  return text + ']';
}
template <class T>
std::string text_of(const OneOrMore<T>& list) {
  return list.values.size() == 1 ? text_of(list.values[0]) : text_of(list.values);
}

// --- Range ---

template <class T>
bool is_within(const T& value, const Limits& limits) {
  if constexpr (std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>) {
    return limits.least <= value && value <= limits.most;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (limits.least == 1) return value > 0 && value <= static_cast<double>(limits.most);
    return static_cast<double>(limits.least) <= value && value <= static_cast<double>(limits.most);
  } else if constexpr (requires { value.value; }) {
    return limits.least <= value.value && value.value <= limits.most;
  }
  return true;
}

// What to write instead of a value outside `limits`.
template <class T>
std::string range_text(const Limits& limits) {
  const auto text = [](std::int64_t value) {
    if constexpr (requires(T quantity) { quantity.value; }) {
      return ScalarType<T>::text(T{value});
    } else {
      return std::to_string(value);
    }
  };
  const Limits none;
  if (limits.most != none.most && limits.least != none.least) {
    return "it must be from " + text(limits.least) + " to " + text(limits.most);
  }
  if (limits.most != none.most) return "it must be at most " + text(limits.most);
  if (limits.least == 1 && !std::is_integral_v<T>) return "it must be greater than 0";
  return "it must be at least " + text(limits.least);
}

}  // namespace orrery::yaml
