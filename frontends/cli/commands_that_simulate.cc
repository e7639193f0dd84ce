// The options of the commands that simulate.
#include <fmt/format.h>

#include "frontends/cli/command_line_parser.h"

namespace orrery::cli {

void CommandLine::add_simulation_options(CLI::App* command) {
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
void CommandLine::add_output_options(CLI::App* command, Options& options, const char* format_help) {
  add_result_options(command, options, format_help);
  add_fold(command, options.fold);
}

template <class Options>
void CommandLine::add_result_options(CLI::App* command, Options& options, const char* format_help) {
  add_seed(command, seed_);
  command->add_option("-o,--output", options.output, "also write JSON and CSV files here")
      ->type_name("DIR")
      ->check(a_name());
  command->add_flag("--force", options.force, "replace earlier results in DIR");
  add_format(command, options.format,
             {{"text", Format::text}, {"json", Format::json}, {"csv", Format::csv}}, format_help);
}

void CommandLine::add_simulations() {
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
  run->add_flag("--report", simulation_.page,
                "also report.html and charts/*.svg in DIR: where the time goes, and why")
      ->needs(run->get_option("--output"));
  run->add_option("--measured", simulation_.measured,
                  "what an iteration took: also where the difference could lie")
      ->type_name("TIME");
  CLI::App* compare = add("compare", help::compare, simulate(cli::compare));
  compare->add_flag("--predict", simulation_.predict,
                    "also the speed-up predicted from the first system's profile, of "
                    "data-parallel training (docs/models/training-report.md)");
  compare
      ->add_option("--report", simulation_.page_file,
                   "also a page with charts of the systems and of what differs, as HTML")
      ->type_name("PAGE")
      ->check(a_name());
  compare->add_option("FILE", files_, "the experiments, a column each")->type_name("")->required();
  compare
      ->add_option(
          "--vary", simulation_.vary,
          "a column for each value, like network.transport=tcp,roce; repeatable: each with "
          "each")
      ->type_name("KEY=VALUE,VALUE,...")
      ->allow_extra_args(false);
  add_simulation_options(compare);
}

void CommandLine::add_astra() {
  CLI::App* command = add("astra", help::astra, [this] {
    simulation_.overrides = overrides();
    simulation_.invocation = invocation_;
    simulation_.report.width = terminal_.width;
    if (simulation_.format == Format::text) simulation_.fold = false;  // a line for each NPU
    return astra(astra_, simulation_, shown());
  });
  add_astra_options(command);
  command
      ->add_option("--compat", astra_.compatible,
                   "astra-sim: also compute what ASTRA-sim computes, to the cycle, and compare")
      ->transform(CLI::IsMember({"astra-sim"}).description(""))
      ->type_name("NAME");
  add_overrides(command);
  add_result_options(command, simulation_, "text, json or csv (the layers)");
}

void CommandLine::add_collectives() {
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
  coll->add_option("--overhead", collectives_.overhead,
                   "with --measured: what each measured time has that no network takes, such as "
                   "27us of a benchmark in Python")
      ->type_name("TIME");
  add_overrides(coll);
  add_output_options(coll, collectives_, "text (as nccl-tests), json or csv");
}

void CommandLine::add_traffic() {
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
  traffic->add_flag("--all-links", traffic_.report.all_links,
                    fmt::format("report all queues, not only the fullest {}", most_links));
}

void CommandLine::add_reports() {
  CLI::App* report = add("report", help::report, [this] { return cli::report(page_, terminal_); });
  report
      ->add_option("RESULT", page_.results,
                   "folders that `run` or `compare` wrote with -o, or their JSON files; or the "
                   "folder of a sweep")
      ->type_name("")
      ->required();
  report
      ->add_option(
          "--metric", page_.metric,
          "of a sweep: a column of runs.csv, npus, memory_bytes, or a number of the results "
          "by its path; without it, the time")
      ->type_name("NAME");
  report
      ->add_option("--against", page_.against, "of a sweep: the second metric of the Pareto front")
      ->type_name("NAME");
  report->add_flag("--png", page_.png, "each chart also as PNG; needs librsvg2-bin");
  report
      ->add_option("-o,--output", page_.output,
                   "the page; without it, report.html in the folder of the one result, or here")
      ->type_name("PAGE")
      ->check(a_name());
}

void CommandLine::add_sweeps() {
  CLI::App* sweep = app_.add_subcommand("sweep", help::sweep.sentence);
  sweep->footer(help::sweep.footer);
  sweep->require_subcommand(1);
  const auto add_one = [&](const char* name, const help::Text& text, auto command) {
    CLI::App* one = sweep->add_subcommand(name, text.sentence);
    one->footer(text.footer);
    add_log_options(*one, log_);
    one->callback([this, command] {
      command_ = [this, command] {
        sweep_.invocation = invocation_;
        sweep_.settings = sets_;
        return command(sweep_, shown());
      };
    });
    return one;
  };
  const auto add_formats = [&](CLI::App* one) {
    add_format(one, sweep_.format, {{"text", Format::text}, {"csv", Format::csv}}, "text or csv");
  };
  CLI::App* run =
      add_one("run", help::sweep_run, [](const SweepCommandOptions& given, const Terminal& shown) {
        return given.hosts.empty() ? cli::sweep(given, shown) : cli::sweep_on_hosts(given, shown);
      });
  CLI::App* plan = add_one("plan", help::sweep_plan, cli::sweep_plan);
  const auto of_shards = [this](auto command) {
    return [this, command](SweepCommandOptions options, const Terminal& terminal) {
      options.jobs = shard_jobs_;
      return command(options, terminal);
    };
  };
  CLI::App* exec = add_one("exec", help::sweep_exec, of_shards(cli::sweep_exec));
  CLI::App* slurm = add_one("slurm", help::sweep_slurm, of_shards(cli::sweep_slurm));
  for (CLI::App* one : {run, plan, exec, slurm}) {
    one->add_option("FILE", sweep_.file, "the sweep")->type_name("")->required();
    add_overrides(one);
  }
  for (CLI::App* one : {run, exec, slurm})
    one->add_option("-o,--output", sweep_.output, "where results go, and are looked for")
        ->type_name("DIR")
        ->check(a_name())
        ->required();
  for (CLI::App* one : {run, plan}) add_jobs(one, sweep_.jobs, "points at a time");
  run->add_flag("--dry-run", sweep_.dry_run, "only list the points");
  run->add_option("--hosts", sweep_.hosts,
                  "on the hosts that FILE names in its lines, by ssh and GNU parallel; DIR is on a "
                  "file system that they share")
      ->type_name("FILE")
      ->excludes("--jobs")
      ->excludes("--dry-run");
  run->add_flag("--fetch", sweep_.fetch, "hosts share no DIR: rsync brings their results here")
      ->needs("--hosts");
  for (CLI::App* one : {run, exec})
    one->add_flag("--force", sweep_.force, "run again what is done");
  for (CLI::App* one : {run, exec, slurm}) add_limits(one);
  add_formats(run);
  plan->add_flag("!--no-probe", sweep_.probes, "simulate nothing, and estimate nothing");
  add_sharing(exec, slurm);
  CLI::App* status = add_one("status", help::sweep_status, cli::sweep_status);
  CLI::App* collect = add_one("collect", help::sweep_collect, cli::sweep_collect);
  for (CLI::App* one : {status, collect})
    one->add_option("DIR", sweep_.output, "the sweep's folder")->type_name("")->required();
  add_formats(collect);
}

void CommandLine::add_limits(CLI::App* one) {
  one->add_option("--keep", sweep_.keep, "whose folders stay: all, best:N, none; others: a line")
      ->type_name("WHOSE");
  one->add_option("--time-limit", sweep_.time_limit, "of a point: 90s, 10min, 2h")
      ->type_name("TIME");
  one->add_option("--memory-limit", sweep_.memory_limit, "of a point: 4GB")->type_name("SIZE");
  one->add_option("--max-disk", sweep_.max_disk, "no point begins when DIR has more: 20GB")
      ->type_name("SIZE");
}

void CommandLine::add_sharing(CLI::App* exec, CLI::App* slurm) {
  exec->add_option("--shard", sweep_.shard, "the points I, I + N, I + 2N, ...; I from 0 to N-1")
      ->type_name("I/N")
      ->required();
  exec->add_option("-j,--jobs", shard_jobs_, "points at a time; without it, 1")
      ->type_name("N")
      ->check(CLI::Range(1, 4096).description(""));
  for (CLI::App* one : {exec, slurm})
    one->add_flag("--batch", sweep_.batch, "all points in one process: for many that are short");
  slurm->add_option("-j,--jobs", shard_jobs_, "points at a time in a shard, and its CPUs")
      ->type_name("N")
      ->check(CLI::Range(1, 4096).description(""));
  slurm->add_option("--shards", sweep_.shards, "tasks of the array")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->required();
  slurm->add_option("--time", sweep_.time, "limit for a shard: 2h, 90min, 1-12:00:00")
      ->type_name("TIME")
      ->required();
}

void CommandLine::add_batch() {
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

void CommandLine::add_search() {
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

void CommandLine::add_calibration() {
  CLI::App* command =
      add("calibrate", help::calibrate, [this] { return cli::calibrate(calibrate_, shown()); });
  command->add_option("FILE", calibrate_.file, "timed runs, CSV")->type_name("")->required();
  command->add_option("--npu", calibrate_.npu, "preset of the device; without it as in the runs")
      ->type_name("NAME");
  command
      ->add_option("--from", calibrate_.from,
                   "efficiency to begin with; without it what is in force for the first run")
      ->type_name("NAME");
  command
      ->add_option("--free", calibrate_.free,
                   "what is fitted: matrix,attention,memory,launch,issue; without it "
                   "matrix,memory,launch")
      ->delimiter(',')
      ->type_name("LIST");
  command->add_option("-o,--output", calibrate_.output, "file of the efficiency to write")
      ->type_name("FILE")
      ->check(a_name());
  command->add_flag("--force", calibrate_.force, "replace that file");
}

}  // namespace orrery::cli
