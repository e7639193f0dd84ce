#include "report/backend_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "core/units/unit_text.h"
#include "report/expected_error_text.h"
#include "simulation/backend_choice.h"
#include "simulation/packet_cost.h"

namespace orrery {

namespace {

// Items behind a heading, in lines of at most 100 columns as far as the items allow.
std::string headed_list(const std::string& heading, std::span<const std::string> items) {
  constexpr std::size_t columns = 100;
  std::string text = heading;
  std::size_t used = heading.size();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t wanted = 2 + items[i].size();  // with a space before it and what ends it
    const bool fits = used + wanted <= columns;
    used = fits ? used + wanted : wanted + 1;
    text += fmt::format("{}{}{}", fits ? " " : "\n  ", items[i], i + 1 < items.size() ? ";" : "\n");
  }
  return text;
}

std::string chosen_text(const std::string& heading, const std::string& chosen) {
  return chosen.empty() ? "" : fmt::format("{}: {}\n", heading, chosen);
}

std::string because_of_backend(const RunResult& result) {
  if (result.backend_because.empty()) return "";
  return fmt::format("{}, because {}", result.backend, result.backend_because);
}

// What carries the messages, as far as the file does not name it; "" if it does.
std::string choice_of(const RunResult& result) {
  std::string text = because_of_backend(result);
  if (!result.network_chosen.empty())
    text += fmt::format("{}network: {}", text.empty() ? "" : "; ", result.network_chosen);
  return text;
}

std::string backend_line(const std::string& heading, const RunResult& result) {
  const std::string choice = choice_of(result);
  return choice.empty() ? "" : fmt::format("{}: {}\n", heading, choice);
}

std::string ignored_by(const RunResult& result) {
  if (result.ignored.empty()) return "";
  std::vector<std::string> ignored = result.ignored;
  if (!result.in_packets.empty()) ignored.back() += " (in packets: see below)";
  return ignored_text(result.backend, " in " + result.name, ignored);
}

// "In packets (...): 41.5 TB would take some 62 CPU minutes; ...".
std::string packets_of(std::span<const RunResult> results) {
  std::vector<std::string> sentences;
  for (const RunResult& result : results)
    if (!result.in_packets.empty())
      sentences.push_back(results.size() > 1
                              ? fmt::format("{} in {}", result.in_packets, result.name)
                              : result.in_packets);
  if (sentences.empty()) return "";
  sentences.emplace_back("fewer layers or samples take as much less");
  sentences.emplace_back(
      "one collective is orrery coll --platform FILE --set network.backend=packet");
  return headed_list(fmt::format("In packets (--set network.backend=packet, chosen up to {}):",
                                 cpu_time_text(most_seconds_of_packets)),
                     sentences);
}

// Of systems that are compared: one line if all have the same.
std::string of_all(std::span<const RunResult> results, std::string_view what,
                   const std::function<std::string(const RunResult&)>& line,
                   const std::function<std::string(const RunResult&)>& value) {
  if (results.empty()) return "";
  const std::string first = line(results.front());
  const auto as_first = [&](const RunResult& result) { return line(result) == first; };
  if (std::ranges::all_of(results, as_first)) return first;
  std::string text;
  for (const RunResult& result : results)
    if (const std::string its = value(result); !its.empty())
      text += fmt::format("{} of {}: {}\n", what, result.name, its);
  return text;
}

// "leaf0 -> spine1 is down; spine2 is down from 2 ms; and 3 more"; "" without any.
std::string faults_of(const RunResult& result) {
  constexpr std::size_t most_named = 2;
  const std::size_t named = std::min(result.faults.size(), most_named);
  std::string text = fmt::format("{}", fmt::join(std::span(result.faults).first(named), "; "));
  if (result.faults.size() > named)
    text += fmt::format("; and {} more", result.faults.size() - named);
  return text;
}

std::string faults_line(const RunResult& result) {
  return chosen_text("faults", faults_of(result));
}

std::string chosen_models(std::span<const RunResult> results) {
  return of_all(
             results, "efficiency",
             [](const RunResult& result) { return chosen_efficiency(result.efficiency); },
             [](const RunResult& result) { return efficiency_text(result.efficiency); }) +
         of_all(
             results, "protocols",
             [](const RunResult& result) { return chosen_protocols(result.protocols); },
             [](const RunResult& result) { return protocols_text(result.protocols); });
}

// Of a run. What is expected of this run stands in the place of what is known of the era.
std::string efficiency_line(const RunResult& result) {
  if (!result.expected_error) return chosen_efficiency(result.efficiency);
  constexpr std::size_t columns = 100;
  std::string text = "efficiency: " + result.efficiency.name;
  if (!result.efficiency.because.empty()) text += ", " + result.efficiency.because;
  text += "; ";
  const std::size_t room = columns - std::min(text.size(), columns);
  return text + expected_error_text(*result.expected_error, room) + '\n';
}

// Both models in one line, without their reasons: `orrery explain` has them.
std::string models_in_short(const RunResult& result) {
  const auto assumed = [](const std::string& because) {
    return because.starts_with("ASSUMED") ? ", ASSUMED" : "";
  };
  std::string text;
  const EfficiencyInForce& efficiency = result.efficiency;
  if (!efficiency.because.empty() || result.expected_error)
    text = fmt::format("efficiency: {}{}{}", efficiency.name,
                       result.expected_error ? ' ' + band_text(*result.expected_error) : "",
                       assumed(efficiency.because));
  const ProtocolsInForce& protocols = result.protocols;
  if (!protocols.because.empty())
    text += fmt::format("{}protocols: {}{}", text.empty() ? "" : "; ", protocols.name,
                        assumed(protocols.because));
  return text.empty() ? "" : text + '\n';
}

}  // namespace

std::string ignored_text(std::string_view backend, std::string_view where,
                         std::span<const std::string> ignored) {
  return headed_list(fmt::format("IGNORED by the {} backend{}:", backend, where), ignored);
}

std::string network_in_title(const RunResult& result) {
  const std::string& chosen = result.network_chosen;
  return chosen.empty() ? "" : fmt::format("{} (ASSUMED)", chosen.substr(0, chosen.find(',')));
}

std::string backend_text(const RunResult& result, ModelsText models) {
  return chosen_text("backend", because_of_backend(result)) + ignored_by(result) +
         faults_line(result) +
         (models == ModelsText::full ? efficiency_line(result) + chosen_protocols(result.protocols)
                                     : models_in_short(result)) +
         chosen_text("parallelism", result.parallelism_chosen);
}

std::string packets_text(const RunResult& result) { return packets_of({&result, 1}); }

std::string efficiency_text(const EfficiencyInForce& efficiency) {
  const std::string& text = efficiency.name;
  const std::string because =
      efficiency.because.empty() ? "" : fmt::format(", {}", efficiency.because);
  if (!efficiency.error) return text + because;
  // A single run that was not fitted to, and is met as the fitted ones are, is one of them at
  // another size (GB200 in 8 bits: 128 and 256 of them): it says nothing of others.
  constexpr double of_such_a_fit = 0.005;
  if (efficiency.runs < 2 && *efficiency.error < of_such_a_fit)
    return text + because + "; error unknown";
  // Of another device, or another kind of model: its error is not this one's.
  if (efficiency.because.starts_with("ASSUMED"))
    return text + because +
           fmt::format("; error unknown ({:.1f} % where measured)", *efficiency.error * 100);
  return text +
         fmt::format(" (mean error {:.1f} % over {} {})", *efficiency.error * 100, efficiency.runs,
                     efficiency.runs == 1 ? "run" : "runs") +
         because;
}

std::string chosen_efficiency(const EfficiencyInForce& efficiency) {
  if (efficiency.because.empty()) return "";
  return fmt::format("efficiency: {}\n", efficiency_text(efficiency));
}

std::string protocols_text(const ProtocolsInForce& protocols) {
  std::string text = protocols.name;
  if (protocols.error && protocols.sizes > 0)
    text += fmt::format(" (mean error {:.1f} % over {} sizes)", *protocols.error * 100,
                        protocols.sizes);
  if (!protocols.because.empty()) text += ", " + protocols.because;
  return text;
}

std::string chosen_protocols(const ProtocolsInForce& protocols) {
  if (protocols.because.empty()) return "";
  return fmt::format("protocols: {}\n", protocols_text(protocols));
}

std::string backends_text(std::span<const RunResult> results) {
  const auto as_first = [&](const RunResult& result) {
    return choice_of(result) == choice_of(results.front());
  };
  std::string text;
  if (!std::ranges::all_of(results, as_first)) {
    for (const RunResult& result : results)
      text += backend_line("backend of " + result.name, result);
  } else if (!results.empty()) {
    text += backend_line("backend", results.front());
  }
  for (const RunResult& result : results)
    if (!result.ignored.empty()) text += "* " + ignored_by(result);
  text += of_all(results, "faults", faults_line, faults_of);
  text += packets_of(results);
  text += chosen_models(results);
  for (const RunResult& result : results)
    text += chosen_text("parallelism of " + result.name, result.parallelism_chosen);
  return text;
}

}  // namespace orrery
