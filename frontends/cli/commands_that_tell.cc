// The options of the commands that read and write files, and that tell about them and the program.
#include <fmt/format.h>

#include "frontends/cli/command_line_parser.h"

namespace orrery::cli {

void CommandLine::add_imports() {
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
  megatron->add_option("--platform", import_.platform, "also write this platform, by name or file")
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
      ->add_option("--variable", import_.variables, "value of a variable of the script; repeatable")
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
  CLI::App* kineto = add_one("kineto", help::import_kineto,
                             "what PyTorch's profiler exported, plain or packed", import_kineto);
  kineto->add_option("--as", import_.as, "table, products or coll")
      ->transform(CLI::IsMember({"table", "products", "coll"}).description(""))
      ->type_name("FORM");
  kineto->add_option("--top", import_.top, "kernels in the table; 0 = all")
      ->check(CLI::Range(0, 1 << 30).description(""))
      ->type_name("N");
  CLI::App* astra = imports->add_subcommand("astra", help::import_astra.sentence);
  astra->footer(help::import_astra.footer);
  add_astra_options(astra);
  add_log_options(*astra, log_);
  astra->callback([this] { command_ = [this] { return import_astra(astra_, terminal_); }; });
}

void CommandLine::add_exports() {
  CLI::App* exports = app_.add_subcommand("export", help::export_files.sentence);
  exports->footer(help::export_files.footer);
  exports->require_subcommand(1);
  CLI::App* one = exports->add_subcommand("chakra", help::export_chakra.sentence);
  one->footer(help::export_chakra.footer);
  one->add_option("FILE", export_.file, "the experiment")->type_name("")->required();
  one->add_option("-o,--output", export_.folder, "where to write rank.0.et, ...")
      ->type_name("DIR")
      ->check(a_name())
      ->required();
  one->add_flag("--copies", export_.copies, "no hard links between ranks that do the same");
  one->add_flag("--force", export_.force, "replace earlier files in DIR");
  add_overrides(one);
  add_log_options(*one, log_);
  one->callback([this] {
    command_ = [this] {
      export_.overrides = overrides();
      return export_chakra(export_, terminal_);
    };
  });
}

// As ASTRA-sim's programs call them; those behind `--injection-scale` change nothing here.
void CommandLine::add_astra_options(CLI::App* command) {
  const auto file = [&](const char* name, std::string& value, const char* text) {
    return command->add_option(name, value, text)->type_name("FILE");
  };
  file("--workload-configuration", astra_.files.workload,
       "prefix of PREFIX.0.et, ...; or a text workload")
      ->type_name("PREFIX")
      ->required();
  file("--system-configuration", astra_.files.system, "the system, in JSON")->required();
  file("--network-configuration", astra_.files.network, "the dimensions of the network, in YAML")
      ->required();
  file("--remote-memory-configuration", astra_.files.memory, "the remote memory, in JSON");
  file("--comm-group-configuration", astra_.files.groups, "the NPUs of each group, in JSON");
  command->add_flag("--congestion-aware", astra_.files.shares_links,
                    "messages share links, as in ASTRA-sim's congestion_aware backend");
  command
      ->add_option("--num-queues-per-dim", astra_.files.queues,
                   "queues of a dimension, half of them for the way back; without it, 1")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N");
  command
      ->add_option("--injection-scale", astra_.files.injection_scale, "multiplies endpoint-delay")
      ->check(CLI::Range(0.0, 1000.0).description(""))
      ->type_name("X");
  command->add_option("--rendezvous-protocol", astra_.files.rendezvous, "true is refused")
      ->type_name("BOOL");
  command->add_option("--compute-scale", astra_.compute_scale, "changes nothing")->type_name("X");
  command->add_option("--comm-scale", astra_.communication_scale, "changes nothing")
      ->type_name("X");
  file("--logging-configuration", astra_.logging, "changes nothing");
  file("--logging-folder", astra_.logging_folder, "changes nothing")->type_name("DIR");
}

void CommandLine::add_topologies() {
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

void CommandLine::add_execution_traces() {
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
    return one;
  };
  add_one("info", help::trace_info, cli::trace_info);
  add_one("check", help::trace_check, cli::trace_check)
      ->add_option("--platform", execution_trace_.platform,
                   "a bundled platform, or a YAML file: is there a file for each of its NPUs?")
      ->type_name("PLATFORM");
  add_one("json", help::trace_json, cli::trace_json);
  CLI::App* dot = add_one("dot", help::trace_dot, cli::trace_dot);
  dot->add_option("--around", execution_trace_.around, "the id of a node: its neighbours only")
      ->type_name("NODE");
  dot->add_option("--steps", execution_trace_.steps, "how many dependencies away from it")
      ->check(CLI::Range(0, 1000).description(""))
      ->type_name("N");
}

void CommandLine::add_checks() {
  CLI::App* validate = add("validate", help::validate, [this] {
    validate_.overrides = overrides();
    return cli::validate(validate_, terminal_);
  });
  validate->add_option("FILE", validate_.files, "the experiments")->type_name("")->required();
  validate->add_flag("--what-fits", validate_.what_fits,
                     "list the parallel configurations of a transformer that fit into memory; "
                     "those of the files are not checked");
  add_overrides(validate);
  CLI::App* explain = add("explain", help::explain,
                          [this] { return cli::explain(files_.front(), overrides(), terminal_); });
  explain->add_option("FILE|KEY", files_, "an experiment, or a key of one")
      ->type_name("")
      ->required()
      ->expected(1);
  add_overrides(explain);
}

void CommandLine::add_information() {
  CLI::App* list = add("list", help::list, [this] { return cli::list(topic_, terminal_); });
  list->add_option(
          "TOPIC", topic_,
          "backends, transports, algorithms, presets, models, devices, servers, platforms or "
          "examples; without it, all")
      ->transform(CLI::IsMember({"backends", "transports", "algorithms", "presets", "models",
                                 "devices", "servers", "platforms", "examples"})
                      .description(""))
      ->type_name("");
  CLI::App* schema =
      add("schema", help::schema, [this] { return cli::schema(schema_, terminal_); });
  schema
      ->add_option("KIND,--of", schema_.kind,
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
void CommandLine::add_pages() {
  CLI::App* completion = add("completion", help::completion,
                             [this] { return cli::completion(app_, shell_, terminal_); });
  completion->add_option("SHELL", shell_, "bash or zsh")
      ->transform(CLI::IsMember({"bash", "zsh"}).description(""))
      ->type_name("")
      ->required();
  CLI::App* words = add("words", help::words, [this] { return cli::words(topic_, terminal_); });
  words->add_option("KIND", topic_, "platforms, examples, keys or KEY=")->required();
  words->group("");
  CLI::App* pages = add("pages", help::pages, [this] {
    return cli::pages(app_, invocation_.version, simulation_.output);
  });
  pages->add_option("DIR", simulation_.output, "where to write them")->required();
  pages->group("");
}

}  // namespace orrery::cli
