#include "frontends/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "core/base/io_error.h"
#include "core/base/log.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/common_options.h"
#include "frontends/cli/failure.h"
#include "frontends/cli/failure_json.h"
#include "frontends/cli/help.h"
#include "frontends/cli/log_options.h"
#include "frontends/cli/unknown_command.h"

namespace orrery::cli {

namespace {

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
    add_imports();
    add_search();
    add_topologies();
    add_execution_traces();
    add_checks();
    add_information();
  }

  ExitCode run(std::vector<std::string> arguments) {
    if (const std::string wrong = unknown_command(app_, arguments); !wrong.empty()) {
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
    add_fold(command, options.fold);
  }

  template <class Options>
  void add_result_options(CLI::App* command, Options& options, const char* format_help) {
    add_seed(command, seed_);
    command->add_option("-o,--output", options.output, "also write JSON and CSV files here")
        ->type_name("DIR")
        ->check(a_name());
    command->add_flag("--force", options.force, "replace earlier results in DIR");
    add_format(command, options.format,
               {{"text", Format::text}, {"json", Format::json}, {"csv", Format::csv}}, format_help);
  }

  void add_collectives() {
    CLI::App* coll = add("coll", help::coll, [this] {
      collectives_.overrides = overrides();
      collectives_.invocation = invocation_;
      return cli::coll(collectives_, shown());
    });
    coll->add_option("--op", collectives_.operation, "the collective; without it, all_reduce")
        ->type_name("NAME");
    coll->add_option("--platform", collectives_.platform,
                     "a bundled platform (orrery list platforms), or a YAML file with `platform:`")
        ->type_name("NAME|FILE")
        ->check(a_name())
        ->required();
    coll->add_option("--size", collectives_.sizes,
                     fmt::format("MIN:MAX:xFACTOR, MIN:MAX:+STEP, or sizes with commas between; "
                                 "without it, {}, or the measured ones",
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
        ->check(CLI::Range(1, 1 << 20).description(""));
    coll->add_option("--ranks", collectives_.ranks, "a smaller platform, of so many NPUs")
        ->type_name("N");
    coll->add_option("--measured", collectives_.measured,
                     "output of nccl-tests, or CSV with columns bytes and time_us: shows the error")
        ->type_name("FILE")
        ->check(a_name());
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
    add_spans(run, simulation_);
    add_trace(run, simulation_);
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

  void add_sweeps() {
    CLI::App* sweep = add("sweep", help::sweep, [this] {
      sweep_.invocation = invocation_;
      sweep_.settings = sets_;
      return cli::sweep(sweep_, shown());
    });
    sweep->add_option("FILE", sweep_.file, "the sweep")->type_name("")->required();
    sweep->add_option("-o,--output", sweep_.output, "where results go, and are looked for")
        ->type_name("DIR")
        ->check(a_name())
        ->required();
    add_overrides(sweep);
    add_jobs(sweep, sweep_.jobs, "points at a time");
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
    add_jobs(batch, batch_.jobs, "lines at a time");
    add_overrides(batch);
    add_seed(batch, seed_);
    add_fold(batch, batch_.fold);
  }

  void add_imports() {
    CLI::App* imports = app_.add_subcommand("import", help::import_files.sentence);
    imports->footer(help::import_files.footer);
    imports->require_subcommand(1);
    const auto add_one = [&](const char* name, const help::Text& text, const char* file,
                             auto command) {
      CLI::App* one = imports->add_subcommand(name, text.sentence);
      one->footer(text.footer);
      one->add_option("INPUT", import_.file, file)->type_name("")->required();
      add_log_options(*one, log_);
      one->callback(
          [this, command] { command_ = [this, command] { return command(import_, terminal_); }; });
      return one;
    };
    CLI::App* megatron =
        add_one("megatron", help::import_megatron,
                "a script, a launch line, or a list of arguments in JSON", cli::import_megatron);
    megatron
        ->add_option("--platform", import_.platform, "also write this platform, by name or file")
        ->type_name("NAME|FILE");
    megatron->add_option("--ranks", import_.ranks, "processes, if the launch line does not say")
        ->check(CLI::Range(1, 1 << 24).description(""))
        ->type_name("N");
    megatron
        ->add_option("--vocabulary", import_.vocabulary,
                     "words of the tokenizer, if the launch line does not say")
        ->check(CLI::Range(1, 1 << 30).description(""))
        ->type_name("N");
    megatron
        ->add_option("--variable", import_.variables,
                     "value of a variable of the script; repeatable")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    CLI::App* nccl = add_one("nccl-topo", help::import_nccl, "what NCCL_TOPO_DUMP_FILE wrote",
                             cli::import_nccl_topology);
    nccl->add_option("--npu", import_.npu, "the GPU, if the file does not say: orrery list presets")
        ->type_name("NAME");
    nccl->add_option("--nodes", import_.nodes, "how many such nodes")
        ->check(CLI::Range(1, 1 << 20).description(""))
        ->type_name("N");
    nccl->add_option("--nic", import_.nic, "rate of a NIC, over what the file says")
        ->type_name("RATE");
    nccl->add_option("--nvlink", import_.nvlink, "rate of a GPU's NVLinks in one direction")
        ->type_name("RATE");
    nccl->add_option("--bus", import_.bus, "rate of PCI between GPU and NIC")->type_name("RATE");
  }

  void add_search() {
    CLI::App* search = add("search", help::search, [this] {
      search_.overrides = overrides();
      return cli::search(search_, shown());
    });
    search->add_option("FILE", search_.file, "the experiment")->type_name("")->required();
    search->add_option("--top", search_.top, "configurations to print; without it, 10")
        ->type_name("N");
    search
        ->add_option("--simulate", search_.simulate,
                     "so many of the fastest by estimate are simulated; without it, 10")
        ->type_name("N");
    add_jobs(search, search_.jobs, "threads that estimate");
    add_overrides(search);
    search
        ->add_option("-o,--output", search_.output,
                     "also write search.json, search.csv, search.svg and best.yaml here")
        ->type_name("DIR")
        ->check(a_name());
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
                     "it, all")
        ->transform(CLI::IsMember({"backends", "transports", "algorithms", "presets", "platforms",
                                   "examples"})
                        .description(""))
        ->type_name("");
    CLI::App* schema =
        add("schema", help::schema, [this] { return cli::schema(schema_, terminal_); });
    schema
        ->add_option("KIND", schema_.kind,
                     fmt::format("{}; without it, experiment", fmt::join(schema_kinds(), ", ")))
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
  ImportOptions import_;
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
