#include "frontends/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <thread>

#include "core/base/io_error.h"
#include "core/base/log.h"
#include "core/base/quoted.h"
#include "core/base/suggestion.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/failure.h"
#include "frontends/cli/failure_json.h"
#include "frontends/cli/help.h"
#include "frontends/cli/log_options.h"

namespace orrery::cli {

namespace {

// Of files and folders: "" would mean that none is wanted.
const CLI::Validator a_name(
    [](std::string& text) { return text.empty() ? std::string("the name is empty") : ""; }, "");

// The parser, and the command that it chose.
class CommandLine {
 public:
  CommandLine(const Build& build, const Terminal& terminal, std::optional<log::Session>& messages)
      : version_(fmt::format("orrery {} (commit {})", build.version, build.commit)),
        invocation_{build.version, build.commit, ""},
        terminal_(terminal),
        messages_(messages) {
    app_.set_version_flag("--version", version_);
    app_.footer(help::program_footer);
    app_.require_subcommand(1);
    app_.get_formatter()->column_width(28);
    add_simulations();
    add_collectives();
    add_traffic();
    add_sweeps();
    add_batch();
    add_search();
    add_topologies();
    add_execution_traces();
    add_checks();
    add_information();
  }

  ExitCode run(std::vector<std::string> arguments) {
    if (const std::string wrong = unknown_command(arguments); !wrong.empty()) {
      log::write(log::Level::error, log::Room::frontends, wrong);
      return wrong_configuration;
    }
    std::vector<std::string> command = arguments;
    command.insert(command.begin(), "orrery");
    invocation_.command = shell_text(command);
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    try {
      app_.parse(std::move(arguments));
    } catch (const CLI::ParseError& error) {
      // Prints the help or the version that was asked for, or what is wrong.
      return app_.exit(error, terminal_.out, terminal_.error) == 0 ? ok : wrong_configuration;
    }
    messages_.emplace(settings_of(log_), terminal_.error);
    try {
      return command_();
    } catch (...) {
      if (log_.error_format != "json") throw;
      terminal_.error << failure_json(std::current_exception()) << '\n';
      return describe_failure(std::current_exception()).exit_code;
    }
  }

 private:
  // Progress rewrites its line; messages in between would break it.
  Terminal shown() const {
    Terminal terminal = terminal_;
    if (log_.quiet || (log_.verbose > 0 && log_.file.empty())) terminal.shows_progress = false;
    return terminal;
  }

  CLI::App* add(const char* name, const help::Text& text, std::function<ExitCode()> command) {
    CLI::App* added = app_.add_subcommand(name, text.sentence);
    added->footer(text.footer);
    add_log_options(*added, log_);
    added->callback([this, command = std::move(command)] { command_ = command; });
    return added;
  }

  void add_overrides(CLI::App* command) {
    command
        ->add_option("--set", sets_, "another value for a key, like system.chunks=64; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
  }

  void add_simulation_options(CLI::App* command) {
    add_overrides(command);
    add_output_options(command, simulation_, "text, json or csv (the layers)");
    command
        ->add_option("--ties", simulation_.ties,
                     "also simulate N random orders of the events of one picosecond, and show the "
                     "range of the result")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000).description(""));
    command->add_flag("--all-links", simulation_.report.all_links,
                      fmt::format("report all links, not only the busiest {}", most_links));
    command->add_flag("--what-if", simulation_.what_if,
                      "also simulate changes one at a time (bandwidth, latency, compute, memory, "
                      "micro-batches, contention), and show what each gains");
    command->add_flag("--layers", simulation_.report.layers,
                      "text: also the table of layers, as in layers.csv");
    command->add_flag("--links", simulation_.report.links,
                      fmt::format("text: also the busiest {} links", most_links));
  }

  // Of SimulationOptions and CollectiveOptions.
  template <class Options>
  void add_output_options(CLI::App* command, Options& options, const char* format_help) {
    add_result_options(command, options, format_help);
    command->add_flag("!--no-fold", options.fold,
                      "simulate every rank, also where one could stand for all: the same result");
  }

  template <class Options>
  void add_result_options(CLI::App* command, Options& options, const char* format_help) {
    command->add_option("--seed", seed_, "seed of all random choices, like --set seed=N")
        ->type_name("N");
    command->add_option("-o,--output", options.output, "also write JSON and CSV files here")
        ->type_name("DIR")
        ->check(a_name);
    command->add_flag("--force", options.force, "replace earlier results in DIR");
    add_format(command, options.format,
               {{"text", Format::text}, {"json", Format::json}, {"csv", Format::csv}}, format_help);
  }

  static void add_format(CLI::App* command, Format& format,
                         const std::map<std::string, Format>& known, const char* help) {
    command->add_option("--format", format, help)
        ->transform(CLI::CheckedTransformer(known).description(""))
        ->type_name("FORMAT");
  }

  void add_collectives() {
    CLI::App* coll = add("coll", help::coll, [this] {
      collectives_.overrides = overrides();
      collectives_.invocation = invocation_;
      return cli::coll(collectives_, shown());
    });
    coll->add_option("--op", collectives_.operation, "the collective; without it all_reduce")
        ->type_name("NAME");
    coll->add_option("--platform", collectives_.platform,
                     "a bundled platform (orrery list platforms), or a YAML file with `platform:`")
        ->type_name("NAME|FILE")
        ->required();
    coll->add_option("--size", collectives_.sizes,
                     fmt::format("MIN:MAX:xFACTOR, MIN:MAX:+STEP, or sizes with commas between; "
                                 "without it {}, or the measured ones",
                                 default_sizes))
        ->type_name("SIZES");
    coll->add_option("--algorithm", collectives_.algorithms,
                     "a table for each; direct+ring: one for each level, innermost first; "
                     "file.xml: your own")
        ->type_name("NAME[,NAME...]")
        ->delimiter(',')
        ->allow_extra_args(false);
    coll->add_option("--chunks", collectives_.chunks, "parts that a collective is cut into")
        ->type_name("N");
    coll->add_option("--skew", collectives_.skew,
                     "all_to_allv: the first rank receives N times what each other one does")
        ->type_name("N")
        ->check(CLI::Range(1, 1 << 20));
    coll->add_option("--ranks", collectives_.ranks, "a smaller platform, of so many NPUs")
        ->type_name("N");
    coll->add_option("--measured", collectives_.measured,
                     "output of nccl-tests, or CSV with columns bytes and time_us: shows the error")
        ->type_name("FILE");
    add_overrides(coll);
    add_output_options(coll, collectives_, "text (as nccl-tests), json or csv");
  }

  void add_traffic() {
    CLI::App* traffic = add("traffic", help::traffic, [this] {
      traffic_.overrides = overrides();
      traffic_.invocation = invocation_;
      return cli::traffic(traffic_, shown());
    });
    traffic->add_option("FILE", traffic_.file, "the experiment, with `traffic:`")
        ->type_name("")
        ->required();
    add_overrides(traffic);
    add_result_options(traffic, traffic_, "text, json or csv (the ranges of sizes)");
    traffic->add_flag(
        "--flows", traffic_.flows,
        "also a line for each flow in DIR: flows.csv, fct.txt; for each pause: pfc.txt");
  }

  void add_simulations() {
    const auto simulate = [this](auto command) {
      return [this, command] {
        simulation_.files = files_;
        simulation_.overrides = overrides();
        simulation_.invocation = invocation_;
        simulation_.report.width = terminal_.width;
        return command(simulation_, shown());
      };
    };
    CLI::App* run = add("run", help::run, simulate(cli::run));
    run->add_option("FILE", files_, "the experiment")->type_name("")->required()->expected(1);
    add_simulation_options(run);
    CLI::Option* spans =
        run->add_option("--spans", simulation_.spans,
                        "also write a CSV line for every compute, collective and exposed span")
            ->type_name("FILE")
            ->check(a_name);
    run->add_flag("--message-spans", simulation_.message_spans,
                  "and one for every message (long: a collective has thousands)")
        ->needs(spans);
    add_trace(run);
    run->add_flag("--matrix", simulation_.matrix,
                  "also who sent how much to whom, for each group: matrix in JSON, matrix.csv");
    run->add_flag("--activity", simulation_.activity,
                  "also each level and the busiest links over time: in text, JSON (activity, "
                  "link_activity), CSV");
    CLI::App* compare = add("compare", help::compare, simulate(cli::compare));
    compare->add_flag("--predict", simulation_.predict,
                      "also the speed-up predicted from the first system's profile, of "
                      "data-parallel training (docs/models/training-report.md)");
    compare->add_option("FILE", files_, "the experiments, a column each")
        ->type_name("")
        ->required();
    add_simulation_options(compare);
  }

  void add_trace(CLI::App* run) {
    CLI::Option* trace =
        run->add_option("--trace", simulation_.trace,
                        "also write a timeline for ui.perfetto.dev (docs/trace.md)")
            ->type_name("FILE")
            ->check(a_name);
    run->add_option("--trace-ranks", simulation_.trace_ranks,
                    "of these ranks, like 0,8,16-23, or all; without it one of each pipeline "
                    "stage, or the first 8")
        ->type_name("RANKS")
        ->needs(trace);
    run->add_flag("--trace-messages", simulation_.trace_messages,
                  "and each message that they send; every rank is simulated then")
        ->needs(trace);
    run->add_option("--trace-limit", simulation_.trace_limit,
                    "write at most so many slices; without it a million")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber.description(""))
        ->needs(trace);
  }

  void add_sweeps() {
    CLI::App* sweep = add("sweep", help::sweep, [this] {
      sweep_.invocation = invocation_;
      sweep_.settings = sets_;
      return cli::sweep(sweep_, shown());
    });
    sweep->add_option("FILE", sweep_.file, "the sweep")->type_name("")->required();
    sweep->add_option("-o,--output", sweep_.output, "where results go, and are looked for")
        ->type_name("DIR")
        ->check(a_name)
        ->required();
    add_overrides(sweep);
    sweep_.jobs = std::max(1U, std::thread::hardware_concurrency());
    sweep->add_option("--jobs", sweep_.jobs, "points at a time; without it one for each core")
        ->check(CLI::PositiveNumber.description(""))
        ->type_name("N");
    sweep->add_flag("--dry-run", sweep_.dry_run, "only list the points");
    sweep->add_flag("--force", sweep_.force, "run again what is done");
    add_format(sweep, sweep_.format, {{"text", Format::text}, {"csv", Format::csv}}, "text or csv");
  }

  void add_batch() {
    CLI::App* batch = add("batch", help::batch, [this] {
      batch_.overrides = overrides();
      batch_.invocation = invocation_;
      return cli::batch(batch_, terminal_);
    });
    batch_.jobs = std::max(1U, std::thread::hardware_concurrency());
    batch->add_option("-j,--jobs", batch_.jobs, "lines at a time; without it one for each core")
        ->check(CLI::PositiveNumber.description(""))
        ->type_name("N");
    add_overrides(batch);
    batch->add_option("--seed", seed_, "seed of all random choices, like --set seed=N")
        ->type_name("N");
    batch->add_flag("!--no-fold", batch_.fold,
                    "simulate every rank, also where one could stand for all: the same result");
  }

  void add_search() {
    CLI::App* search = add("search", help::search, [this] {
      search_.overrides = overrides();
      return cli::search(search_, shown());
    });
    search->add_option("FILE", search_.file, "the experiment")->type_name("")->required();
    search->add_option("--top", search_.top, "configurations to print; without it 10")
        ->type_name("N");
    search
        ->add_option("--simulate", search_.simulate,
                     "so many of the fastest by estimate are simulated; without it 10")
        ->type_name("N");
    search_.jobs = std::max(1U, std::thread::hardware_concurrency());
    search
        ->add_option("--jobs", search_.jobs, "threads that estimate; without it one for each core")
        ->check(CLI::PositiveNumber.description(""))
        ->type_name("N");
    add_overrides(search);
    search
        ->add_option("-o,--output", search_.output,
                     "also write search.json, search.csv, search.svg and best.yaml here")
        ->type_name("DIR")
        ->check(a_name);
    search->add_flag("--force", search_.force, "replace earlier results in DIR");
    add_format(search, search_.format,
               {{"text", Format::text}, {"json", Format::json}, {"csv", Format::csv}},
               "text, json or csv (every configuration that fits)");
  }

  void add_topologies() {
    CLI::App* topo = app_.add_subcommand("topo", help::topo.sentence);
    topo->footer(help::topo.footer);
    topo->require_subcommand(1);
    const auto add_one = [&](const char* name, const help::Text& text, auto command) {
      CLI::App* one = topo->add_subcommand(name, text.sentence);
      one->add_option("PLATFORM", topology_.platform,
                      "a bundled platform, or a YAML file with `platform:`")
          ->type_name("")
          ->required();
      one->add_option("--ranks", topology_.ranks, "a smaller platform, of so many NPUs")
          ->type_name("N");
      add_overrides(one);
      add_log_options(*one, log_);
      one->callback([this, command] {
        command_ = [this, command] {
          topology_.overrides = overrides();
          return command(topology_, terminal_);
        };
      });
      return one;
    };
    add_one("show", help::topo_show, cli::topo_show);
    add_one("check", help::topo_check, cli::topo_check);
    add_one("export", help::topo_export, cli::topo_export)
        ->add_option("--format", topology_.format, "dot, svg or hpcc")
        ->transform(CLI::IsMember({"dot", "svg", "hpcc"}).description(""))
        ->type_name("FORMAT");
  }

  void add_execution_traces() {
    CLI::App* trace = app_.add_subcommand("trace", help::trace.sentence);
    trace->footer(help::trace.footer);
    trace->require_subcommand(1);
    const auto add_one = [&](const char* name, const help::Text& text, auto command) {
      CLI::App* one = trace->add_subcommand(name, text.sentence);
      one->add_option("FILE", execution_trace_.files, "the files of ranks 0, 1, ...")
          ->type_name("")
          ->required();
      one->add_option("--groups", execution_trace_.groups, "the ranks of each group, in JSON")
          ->type_name("FILE");
      add_log_options(*one, log_);
      one->callback([this, command] {
        command_ = [this, command] { return command(execution_trace_, terminal_); };
      });
    };
    add_one("info", help::trace_info, cli::trace_info);
    add_one("check", help::trace_check, cli::trace_check);
    add_one("json", help::trace_json, cli::trace_json);
  }

  void add_checks() {
    CLI::App* validate = add("validate", help::validate, [this] {
      validate_.overrides = overrides();
      return cli::validate(validate_, terminal_);
    });
    validate->add_option("FILE", validate_.files, "the experiments")->type_name("")->required();
    validate->add_flag("--what-fits", validate_.what_fits,
                       "list the parallel configurations of a transformer that fit into memory; "
                       "those of the files are not checked");
    add_overrides(validate);
    CLI::App* explain = add("explain", help::explain, [this] {
      return cli::explain(files_.front(), overrides(), terminal_);
    });
    explain->add_option("FILE|KEY", files_, "an experiment, or a key of one")
        ->type_name("")
        ->required()
        ->expected(1);
    add_overrides(explain);
  }

  void add_information() {
    CLI::App* list = add("list", help::list, [this] { return cli::list(topic_, terminal_); });
    list->add_option("TOPIC", topic_,
                     "backends, transports, algorithms, presets, platforms or examples; without "
                     "it all")
        ->transform(CLI::IsMember({"backends", "transports", "algorithms", "presets", "platforms",
                                   "examples"})
                        .description(""))
        ->type_name("");
    CLI::App* schema =
        add("schema", help::schema, [this] { return cli::schema(schema_, terminal_); });
    schema
        ->add_option("KIND", schema_.kind,
                     fmt::format("{}; without it experiment", fmt::join(schema_kinds(), ", ")))
        ->transform(CLI::IsMember(schema_kinds()).description(""))
        ->type_name("");
    schema
        ->add_option("--format", schema_.format,
                     "json; of experiment and result also markdown, a page of docs/reference")
        ->transform(CLI::IsMember({"json", "markdown"}).description(""))
        ->type_name("FORMAT");
    add("version", help::version, [this] {
      terminal_.out << version_ << '\n';
      return ok;
    });
    add_pages();
  }

  // For packages and shells; the last two are hidden.
  void add_pages() {
    CLI::App* completion =
        add("completion", help::completion, [this] { return cli::completion(app_, terminal_); });
    completion->add_option("SHELL", shell_, "bash")
        ->transform(CLI::IsMember({"bash"}).description(""))
        ->type_name("")
        ->required();
    CLI::App* words = add("words", help::words, [this] { return cli::words(topic_, terminal_); });
    words->add_option("KIND", topic_, "platforms, examples or keys")->required();
    words->group("");
    CLI::App* pages = add("pages", help::pages, [this] {
      return cli::pages(app_, invocation_.version, simulation_.output);
    });
    pages->add_option("DIR", simulation_.output, "where to write them")->required();
    pages->group("");
  }

  std::vector<Override> overrides() const {
    std::vector<Override> all;
    for (const std::string& text : sets_) all.push_back({text});
    if (!seed_.empty()) all.push_back({"seed=" + seed_});
    return all;
  }

  // CLI11 would only say that a subcommand is required.
  std::string unknown_command(const std::vector<std::string>& arguments) const {
    std::vector<std::string_view> known;
    for (const CLI::App* command : app_.get_subcommands({})) known.push_back(command->get_name());
    if (arguments.empty()) return "error: no command\n" + app_.help();
    const std::string& first = arguments.front();
    if (first.starts_with('-') || std::ranges::find(known, first) != known.end()) return "";
    return fmt::format("error: {} is not a command: {}", in_quotes(first),
                       suggestion(first, known));
  }

  std::string version_;  // for people
  Invocation invocation_;
  Terminal terminal_;
  std::optional<log::Session>& messages_;
  LogOptions log_;
  CLI::App app_{help::program, "orrery"};
  std::function<ExitCode()> command_;

  SimulationOptions simulation_;
  CollectiveOptions collectives_;
  TrafficRunOptions traffic_;
  SweepOptions sweep_;
  ValidateOptions validate_;
  BatchOptions batch_;
  SearchOptions search_;
  TopologyOptions topology_;
  TraceOptions execution_trace_;
  SchemaOptions schema_;
  std::vector<std::string> files_, sets_;
  std::string seed_, topic_, shell_;
};

}  // namespace

ExitCode run_command_line(const std::vector<std::string>& arguments, const Build& build,
                          const Terminal& terminal) {
  const log::Session at_first({}, terminal.error);  // until the arguments say what to listen to
  std::optional<log::Session> messages;
  try {
    const ExitCode exit_code = CommandLine(build, terminal, messages).run(arguments);
    terminal.out.flush();
    if (!terminal.out) throw IoError("cannot write to standard output");
    return exit_code;
  } catch (...) {
    const Failure failure = describe_failure(std::current_exception());
    log::write(log::Level::error, log::Room::frontends, failure.text);
    return failure.exit_code;
  }
}

}  // namespace orrery::cli
