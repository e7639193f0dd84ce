#include <optional>
#include <variant>

#include "core/base/config_error.h"
#include "core/base/quoted.h"
#include "core/trace/csv_sink.h"
#include "core/units/unit_text.h"
#include "execution/interrupt.h"
#include "execution/simulations.h"
#include "execution/tie_ranges.h"
#include "execution/unfinished_file.h"
#include "execution/what_ifs.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/named_examples.h"
#include "report/csv_report.h"
#include "report/html/page_file.h"
#include "report/html/report_page.h"
#include "report/json_report.h"
#include "report/measured_text.h"
#include "report/result_folder.h"
#include "report/text_report.h"
#include "report/timeline/timeline.h"
#include "report/wrapped_text.h"

namespace orrery::cli {

namespace {

std::string text_of(const RunResult& result, const SimulationOptions& options) {
  switch (options.format) {
    case Format::json:
      return run_json(result, options.report);
    case Format::csv:
      return csv_table("layers.csv", {&result, 1});
    case Format::text:
      break;
  }
  return text_report(result, options.report);
}

void write_page_of(const RunResult& result, const SimulationOptions& options) {
  const ReportInput input{"the result", run_json(result, options.report)};
  write_page(options.output + "/report.html", report_page({&input, 1}, true));
}

// Captures are files, and have no other place to go.
void note_lost_captures(RunResult& result) {
  if (result.packets && !result.packets->captures.empty())
    result.notices.push_back(
        "network.transport.capture writes its files where -o says, and that is not given");
}

CsvSink::Messages messages_of(const SimulationOptions& options) {
  return options.message_spans ? CsvSink::Messages::include : CsvSink::Messages::leave_out;
}

// `run --spans`: one CSV line per span.
struct SpanFile {
  SpanFile(const SimulationOptions& options)
      : file(options.spans, options.force), sink(file.stream(), messages_of(options)) {}
  UnfinishedFile file;
  CsvSink sink;
};

// `run --trace`.
struct TraceFile {
  TraceFile(const SimulationOptions& options)
      : file(options.trace, options.force),
        timeline([this]() -> std::ostream& { return file.begin_anew(); },
                 {options.trace_ranks, options.trace_limit, options.trace_messages}) {}
  UnfinishedFile file;
  Timeline timeline;
};

// `run --measured`. Nothing if it is not given.
std::optional<Duration> measured_time(const SimulationOptions& options) {
  if (options.measured.empty()) return std::nullopt;
  const Parsed<Duration> parsed = parse_duration(options.measured);
  const auto* time = std::get_if<Duration>(&parsed);
  if (time == nullptr || *time <= Duration{})
    throw ConfigError({.path = "--measured",
                       .what = in_quotes(options.measured) + " is no time of an iteration",
                       .remedy = "write for example 5.1s"});
  return *time;
}

}  // namespace

ExitCode run(const SimulationOptions& options, const Terminal& terminal) {
  return run_loaded(load_experiment(experiment_of(options.files.front()), options.overrides),
                    options, terminal);
}

ExitCode run_loaded(const Experiment& experiment, const SimulationOptions& options,
                    const Terminal& terminal, const std::function<void(const RunResult&)>& before) {
  const InterruptGuard interrupt;  // until all is written
  const std::optional<Duration> measured = measured_time(options);
  const Overwrite overwrite = options.force ? Overwrite::allow : Overwrite::refuse;
  if (!options.output.empty()) prepare_result_folder(options.output, overwrite);
  std::optional<SpanFile> spans;
  if (!options.spans.empty()) spans.emplace(options);
  std::optional<TraceFile> trace;
  if (!options.trace.empty()) trace.emplace(options);
  std::vector<Outcome> outcomes = simulate_all({&experiment, 1}, terminal,
                                               {.fold = options.fold,
                                                .spans = spans ? &spans->sink : nullptr,
                                                .observer = trace ? &trace->timeline : nullptr,
                                                .matrix = options.matrix,
                                                .activity = options.activity,
                                                .page = options.page});
  add_tie_ranges({&experiment, 1}, options.ties, terminal, outcomes);
  if (options.what_if && !add_what_ifs({&experiment, 1}, options.fold, terminal, outcomes))
    outcomes.front().failure = what_ifs_interrupted;
  Outcome& outcome = outcomes.front();
  if (outcome.result) outcome.result->provenance = provenance_of(experiment, options.invocation);
  if (outcome.result && options.output.empty()) note_lost_captures(*outcome.result);
  print_remarks(outcomes);
  if (!outcome.result) return outcome.failure.exit_code;
  const RunResult& result = *outcome.result;
  if (before) before(result);
  terminal.out << text_of(result, options);
  if (measured && !result.partial && options.format == Format::text)
    terminal.out << '\n' << wrapped_text(measured_text(result, *measured), terminal.width);
  if (!options.output.empty()) write_run(options.output, result, options.report, overwrite);
  if (options.page) write_page_of(result, options);
  // The result first: it is not lost when the disk is full of spans.
  if (spans && result.partial)
    spans->file.stream() << "# partial: " << result.partial_reason << '\n';
  if (spans) spans->file.finish();
  if (trace) trace->file.finish();
  return outcome.failure.exit_code;
}

}  // namespace orrery::cli
