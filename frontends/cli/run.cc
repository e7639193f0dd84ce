#include <optional>

#include "core/trace/csv_sink.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/interrupt.h"
#include "frontends/cli/named_examples.h"
#include "frontends/cli/simulations.h"
#include "frontends/cli/tie_ranges.h"
#include "frontends/cli/unfinished_file.h"
#include "frontends/cli/what_ifs.h"
#include "report/csv_report.h"
#include "report/json_report.h"
#include "report/result_folder.h"
#include "report/text_report.h"
#include "report/timeline/timeline.h"

namespace orrery::cli {

namespace {

std::string report(const RunResult& result, const SimulationOptions& options) {
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

}  // namespace

ExitCode run(const SimulationOptions& options, const Terminal& terminal) {
  return run_loaded(load_experiment(experiment_of(options.files.front()), options.overrides),
                    options, terminal);
}

ExitCode run_loaded(const Experiment& experiment, const SimulationOptions& options,
                    const Terminal& terminal) {
  const InterruptGuard interrupt;  // until all is written
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
                                                .activity = options.activity});
  add_tie_ranges({&experiment, 1}, options.ties, terminal, outcomes);
  if (options.what_if && !add_what_ifs({&experiment, 1}, options.fold, terminal, outcomes))
    outcomes.front().failure = what_ifs_interrupted;
  Outcome& outcome = outcomes.front();
  if (outcome.result) outcome.result->provenance = provenance_of(experiment, options.invocation);
  if (outcome.result && options.output.empty()) note_lost_captures(*outcome.result);
  print_remarks(outcomes);
  if (!outcome.result) return outcome.failure.exit_code;
  const RunResult& result = *outcome.result;
  terminal.out << report(result, options);
  if (!options.output.empty()) write_run(options.output, result, options.report, overwrite);
  // The result first: it is not lost when the disk is full of spans.
  if (spans && result.partial)
    spans->file.stream() << "# partial: " << result.partial_reason << '\n';
  if (spans) spans->file.finish();
  if (trace) trace->file.finish();
  return outcome.failure.exit_code;
}

}  // namespace orrery::cli
