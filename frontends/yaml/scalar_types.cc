#include "frontends/yaml/scalar_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/share_text.h"
#include "formats/import/foreign_names.h"
#include "formats/yaml/problems.h"
#include "network/backends.h"
#include "system/collective_algorithm.h"
#include "system/measured_protocols.h"

namespace orrery::yaml {

std::string_view name_of(Interaction interaction) {
  if (interaction == Interaction::cross) return "cross";
  return interaction == Interaction::concat ? "concat" : "dot";
}

WrongText unknown_name(std::string_view text, const std::vector<std::string_view>& known) {
  const std::string_view remedy = name_here(text);  // of another tool, or of another key's value
  return {in_quotes(text) + " is unknown here",
          remedy.empty() ? suggestion(text, known) : std::string(remedy)};
}

bool is_same_word(std::string_view word, std::string_view text) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(word, text, {}, lower, lower);
}

namespace {

std::vector<std::string_view> algorithm_names() {
  std::vector<std::string_view> result;
  for (const AlgorithmEntry& entry : builtin_algorithms()) result.push_back(entry.name);
  return result;
}

}  // namespace

FromText<NamedAlgorithm> ScalarType<NamedAlgorithm>::parse(const std::string& text) {
  if (text == kAutomatic.name) return kAutomatic;
  if (text == "tree") return NamedAlgorithm("double_binary_tree");
  if (NamedAlgorithm found(text); found.algorithm != nullptr) return found;
  if (text.find('+') != std::string::npos) {
    std::string list = text;
    for (std::size_t at = 0; (at = list.find('+', at)) != std::string::npos;)
      list.replace(at, 1, ", ");
    return WrongText{in_quotes(text) + " is one for each phase", "write [" + list + "]"};
  }
  const std::string name = text.substr(0, text.find(':'));
  const auto algorithm = find_algorithm(name);
  if (algorithm == nullptr) return unknown_name(name, algorithm_names());
  if (algorithm->with(1) == nullptr)
    return WrongText{in_quotes(name) + " takes no number", "write " + name};
  return WrongText{in_quotes(text) + " has no such number", "write for example " + name + ":2"};
}

SchemaType ScalarType<NamedAlgorithm>::schema() {
  static const std::string pattern =
      fmt::format("^(auto|tree|({})(:[1-9][0-9]*)?)$", fmt::join(algorithm_names(), "|"));
  return {.json_types = {"string"},
          .pattern = pattern,
          .title = "algorithm, such as ring, direct:8 or auto"};
}

std::vector<std::string_view> BackendRegistry::names() {
  std::vector<std::string_view> result;
  for (const BackendEntry& entry : builtin_backends()) result.push_back(entry.name);
  return result;
}

std::vector<std::string_view> CongestionControlRegistry::names() {
  std::vector<std::string_view> result;
  for (const CongestionControlEntry& entry : congestion_controls()) result.push_back(entry.name);
  for (const CongestionControlEntry& entry : roce_control_sentences())
    if (std::find(result.begin(), result.end(), entry.name) == result.end())
      result.push_back(entry.name);
  return result;
}

std::vector<std::string_view> LibraryRegistry::names() {
  std::vector<std::string_view> result{"none"};
  for (const MeasuredProtocols& measured : measured_protocols()) result.push_back(measured.name);
  return result;
}

// Names from the documentation deserve a better answer than "unknown".
template <>
FromText<BackendName> ScalarType<BackendName>::parse(const std::string& text) {
  const std::vector<std::string_view> available = BackendRegistry::names();
  if (std::find(available.begin(), available.end(), text) != available.end()) {
    return BackendName{text};
  }
  if (text == "ns3" || text == "packet") {
    return WrongText{
        in_quotes(text) + " is not in this build, which found no ns-3",
        "install libns3-dev (3.37) and build again, or use one of: " + listed(available)};
  }
  return unknown_name(text, available);
}

// The inside of a server has no shape with neighbours: that is a level.
template <>
FromText<NodeInside> ScalarType<NodeInside>::parse(const std::string& text) {
  for (const NodeInside inside :
       {NodeInside::none, NodeInside::switched, NodeInside::fully_connected})
    if (name_of(inside) == text) return inside;
  const std::vector<std::string_view> known = names();
  if (text != "ring" && text != "mesh" && text != "torus")
    return WrongText{in_quotes(text) + " is unknown here", suggestion(text, known)};
  const char* kind = text == "mesh" ? "mesh" : "ring";
  return WrongText{in_quotes(text) + " is unknown here",
                   fmt::format("use one of {}; a {} inside each server is a level: "
                               "platform.topology.levels: [{{kind: {}, size: 8, bandwidth: 300 "
                               "GB/s}}, {{kind: switch, size: 16, bandwidth: 400 Gb/s}}]",
                               listed(known), kind, kind)};
}

FromText<bool> ScalarType<bool>::parse(const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return WrongText{in_quotes(text) + " is not a truth value", "write true or false"};
}

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <class Integer>
FromText<Integer> parse_whole(const std::string& text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const bool digits_only =
      text.size() > sign && std::all_of(text.begin() + sign, text.end(), is_digit);
  if (!digits_only) {
    std::string plain = text;
    std::erase_if(plain, [](char c) { return c == '_' || c == ',' || c == '\''; });
    const bool only_separators =
        !plain.empty() && std::all_of(plain.begin(), plain.end(), is_digit);
    return WrongText{in_quotes(text) + " is not a whole number",
                     only_separators ? "write it without separators: " + plain
                                     : "write decimal digits only, for example 1000"};
  }
  const std::size_t first = text.find_first_not_of('0', sign);
  if (text[sign] == '0' && text.size() > sign + 1) {
    const std::string value = first == std::string::npos ? "0" : text.substr(first);
    return WrongText{in_quotes(text) + " begins with a zero, which some read as octal",
                     "write " + (sign == 1 ? "-" + value : value)};
  }
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument) {
    return WrongText{in_quotes(text) + " is negative", "it must be at least 0"};
  }
  if (error != std::errc()) {
    constexpr std::numeric_limits<Integer> range;
    return WrongText{in_quotes(text) + " is out of range",
                     sign == 1 ? fmt::format("it must be at least {}", range.min())
                               : fmt::format("it must be at most {}", range.max()),
                     true};
  }
  return value;
}

}  // namespace

FromText<std::int64_t> parse_integer(const std::string& text) {
  return parse_whole<std::int64_t>(text);
}
FromText<std::uint64_t> parse_unsigned(const std::string& text) {
  return parse_whole<std::uint64_t>(text);
}
FromText<std::int32_t> ScalarType<std::int32_t>::parse(const std::string& text) {
  return parse_whole<std::int32_t>(text);
}

FromText<double> ScalarType<double>::parse(const std::string& text) {
  if (text.ends_with('%')) return parse_percentage(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value == value))
    return WrongText{in_quotes(text) + " is not a number", "write for example 0.25 or 1e-4"};
  return value;
}

std::string ScalarType<double>::text(double value) { return fmt::format("{}", value); }

FromText<Priority> ScalarType<Priority>::parse(const std::string& text) {
  if (text == "normal") return Priority::normal;
  if (text == "highest") return Priority::highest;
  const FromText<std::int32_t> number = ScalarType<std::int32_t>::parse(text);
  if (const auto* value = std::get_if<std::int32_t>(&number)) return static_cast<Priority>(*value);
  return WrongText{in_quotes(text) + " is not a priority",
                   "write normal, highest or a whole number (larger goes first)"};
}

std::string ScalarType<Priority>::text(Priority value) {
  if (value == Priority::normal) return "normal";
  if (value == Priority::highest) return "highest";
  return std::to_string(static_cast<std::int32_t>(value));
}

namespace {

// "X has no unit (accepted: ...)" -> what and remedy apart; for a bare number the remedy shows that
// number with the two units that its writer probably had in mind.
WrongText wrong_quantity(const std::string& text, const UnitError& error,
                         std::initializer_list<std::string_view> usual_units) {
  const std::size_t bracket = error.what.find(" (");
  WrongText wrong{in_quotes(text) + ' ' + error.what.substr(0, bracket), ""};
  if (bracket != std::string::npos) {
    wrong.remedy = error.what.substr(bracket + 2);
    if (wrong.remedy.ends_with(')')) wrong.remedy.pop_back();
  }
  if (error.what == "is negative") wrong.remedy = "it must be at least 0";
  if (error.what.starts_with("has no unit")) {
    wrong.remedy = "write for example";
    for (const std::string_view unit : usual_units) {
      wrong.remedy +=
          fmt::format("{} \"{} {}\"", unit == *usual_units.begin() ? "" : " or", text, unit);
    }
  }
  return wrong;
}

template <class Q>
FromText<Q> parsed(const std::string& text, Parsed<Q> result,
                   std::initializer_list<std::string_view> usual_units) {
  if (const Q* quantity = std::get_if<Q>(&result)) return *quantity;
  return wrong_quantity(text, std::get<UnitError>(result), usual_units);
}

}  // namespace

template <>
FromText<Duration> ScalarType<Duration>::parse(const std::string& text) {
  const Parsed<Duration> time = parse_duration(text);
  const auto* error = std::get_if<UnitError>(&time);
  if (error == nullptr ? std::get<Duration>(time) > longest_time
                       : error->what.starts_with("is too large"))
    return WrongText{in_quotes(text) + " is too long",
                     fmt::format("a time in a file is at most {} (11 days), because the clock of a "
                                 "simulation ends at 106 days",
                                 exact_text(longest_time))};
  return parsed(text, time, {"us", "ns"});
}
FromText<SizeIfGiven> ScalarType<SizeIfGiven>::parse(const std::string& text) {
  FromText<Bytes> size = ScalarType<Bytes>::parse(text);
  if (auto* wrong = std::get_if<WrongText>(&size)) return std::move(*wrong);
  if (std::get<Bytes>(size) <= Bytes{})
    return WrongText{in_quotes(text) + " is out of range", "it must be greater than 0"};
  return SizeIfGiven{std::get<Bytes>(size)};
}

template <>
FromText<Bytes> ScalarType<Bytes>::parse(const std::string& text) {
  const bool many = text.size() >= 3 && std::all_of(text.begin(), text.end(), is_digit);
  if (many) return parsed(text, parse_bytes(text), {"B", "kB"});  // an MTU: 1500
  return parsed(text, parse_bytes(text), {"MB", "KiB"});
}
FromText<Bytes> parse_size(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
  return ScalarType<Bytes>::parse(plain ? text + " B" : text);
}
template <>
FromText<Bandwidth> ScalarType<Bandwidth>::parse(const std::string& text) {
  return parsed(text, parse_bandwidth(text), {"Gb/s", "GB/s"});
}
template <>
FromText<FlopRate> ScalarType<FlopRate>::parse(const std::string& text) {
  return parsed(text, parse_flop_rate(text), {"TFLOP/s", "GFLOP/s"});
}

FromText<Share> ScalarType<Share>::parse(const std::string& text) { return parse_share(text); }
std::string ScalarType<Share>::text(Share value) { return share_text(value); }
FromText<Fraction> ScalarType<Fraction>::parse(const std::string& text) {
  return parse_fraction(text);
}
std::string ScalarType<Fraction>::text(Fraction value) { return fraction_text(value); }

FromText<RankRuns> ScalarType<RankRuns>::parse(const std::string& text) {
  const WrongText wrong{in_quotes(text) + " does not name ranks",
                        "write for example 5, \"0-3\" or \"0-3,5,8-9\""};
  std::string plain = text;
  std::erase(plain, ' ');
  RankRuns result;
  const char* at = plain.data();
  const char* const end = at + plain.size();
  const auto number = [&](Rank& rank) {
    if (at == end || !is_digit(*at)) return false;
    const auto [next, error] = std::from_chars(at, end, rank);
    at = next;
    return error == std::errc();
  };
  while (true) {
    Rank first = 0;
    if (!number(first)) return wrong;
    Rank last = first;
    const std::string_view rest(at, end);
    const std::size_t dash = rest.starts_with("..") ? 2 : rest.starts_with('-') ? 1 : 0;
    at += dash;
    if (dash > 0 && !number(last)) return wrong;
    if (last < first)
      return WrongText{in_quotes(text) + " runs backwards", "write the smaller rank first"};
    result.runs.emplace_back(first, last);
    if (at == end) return result;
    if (*at++ != ',') return wrong;
  }
}

std::string ScalarType<RankRuns>::text(const RankRuns& value) {
  std::string result;
  for (const auto& [first, last] : value.runs) {
    if (!result.empty()) result += ',';
    result += first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
  }
  return result;
}

}  // namespace orrery::yaml
