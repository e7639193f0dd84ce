// What `orrery --help` and `orrery COMMAND --help` say beside the options.
#pragma once

namespace orrery::cli::help {

struct Text {
  const char* sentence;
  const char* footer;  // examples
};

inline constexpr const char* program =
    "Simulates what a training iteration costs on hardware you do not have: describe platform and\n"
    "workload in a YAML file, run it, compare systems, change one knob.";

inline constexpr const char* program_footer = R"(Examples:
  orrery run examples/first-run/first.yaml
  orrery compare examples/flat-vs-hier/*.yaml
  orrery explain examples/first-run/first.yaml    what is configured, and what follows from it
  orrery run --help                               options and examples of a command

Results go to standard output, everything else to standard error.
Exit codes: 0 ok; 1 the simulated job failed (stuck, contradicts itself); 2 wrong usage or
configuration; 3 a file cannot be read or written; 70 a bug in Orrery; 130 interrupted.)";

inline constexpr Text run{"Simulate one experiment and report where its time goes.",
                          R"(Examples:
  orrery run first.yaml
  orrery run first-run                          an example by name: orrery list examples
  orrery run first.yaml --set 'platform.topology.levels[0].bandwidth=400 Gb/s'
  orrery run first.yaml -o out/first            result.json and CSV tables as well
  orrery run first.yaml --format json | jq .finish_ps
  orrery run first.yaml --trace first.pftrace   a timeline: drop it on https://ui.perfetto.dev

Ctrl-C, SIGTERM and SIGHUP end the simulation; what was reached is reported, marked as partial (exit
code 130).
Fields and columns: docs/results.md. How to read the report: docs/how-to/read-the-text.md.)"};

inline constexpr Text compare{"Simulate several experiments and report them side by side.",
                              R"(Examples:
  orrery compare flat.yaml hier.yaml
  orrery compare flat.yaml hier.yaml --set workload.iterations=1 -o out/comparison
  orrery compare *.yaml --format csv > layers.csv
  orrery compare my.yaml --vary network.transport=tcp,roce
  orrery compare my.yaml --vary "network.switch.buffer=64 MB,1 GB" --vary system.chunks=4,16

The experiments are simulated beside each other, one on each core. --set and --seed hold for all of
them. The exit code is the worst one.)"};

inline constexpr Text coll{
    "Simulate one collective at many sizes and print the table of nccl-tests.",
    R"(Examples:
  orrery coll --platform dgx-h100 --size 8:8G:x2 --algorithm ring,direct
  orrery coll --platform dgx-h100-superpod --ranks 64 --algorithm direct+ring
  orrery coll --platform dgx-a100 --measured all_reduce_perf.txt
  orrery coll --platform my.yaml --op all_to_all --size '64K,1M,256 MB' --format csv

Sizes are those of nccl-tests (K, M, G: powers of 1024), or have a unit (MB: 10^6, MiB: 2^20).
algbw is size/time; busbw is that times 2(n-1)/n for an all_reduce of n ranks, (n-1)/n for a
reduce_scatter, all_gather, all_to_all or all_to_allv (whose size is what a rank sends). All ranks
start at once, on an idle network, and each collective runs once: in place and out of place are the
same, and nothing is checked (#wrong N/A).
--ranks makes the platform smaller, in whole inner groups. Platforms are found by name below
platforms/ of $ORRERY_PATH, the program itself, and platforms/ of the working directory.
Fields and columns: docs/results.md.)"};

inline constexpr Text traffic{
    "Simulate flows on a fabric without a job; report their completion times and slowdowns by "
    "size.",
    R"(Examples:
  orrery traffic examples/fct/websearch.yaml
  orrery traffic examples/fct/websearch.yaml --set traffic.flows.load=0.8
  orrery traffic examples/fct/websearch.yaml -o out/fct --flows
  orrery sweep examples/fct/loads.yaml -o out/loads

A slowdown is the time of a flow over that of the same flow on the idle network. --flows writes
flows.csv and fct.txt, which has the columns of HPCC's simulator: source, target, ports, size,
start, time, time on the idle network (ns); pfc.txt, with a line for each pause; and of the ports in
network.switch.watch qlen.txt.
Keys: orrery explain traffic. Model: docs/models/traffic.md.)"};

inline constexpr Text topo{"Show, check or export what a platform's network is made of.",
                           R"(Examples:
  orrery topo show polaris
  orrery topo show my.yaml --set platform.topology.fat_tree.radix=16
  orrery topo check my.yaml                     exit code 1 if something is suspicious
  orrery topo export tg40 --format svg > tg40.svg
  orrery topo export my.yaml --format hpcc > topology.txt

Builders and formats: docs/models/topology.md.)"};
inline constexpr Text topo_show{"Print nodes, links, diameter, bisection and oversubscription.",
                                ""};
inline constexpr Text topo_check{"Look for missing paths, links without a way back, dead ends.",
                                 ""};
inline constexpr Text topo_export{"Write it as dot (Graphviz), svg or hpcc (ns-3's format).", ""};

inline constexpr Text trace{"What execution traces (Chakra) hold, and what is wrong with them.",
                            R"(Examples:
  orrery trace info gpt.*.et            nodes, recorded times, collectives, dependencies
  orrery trace info profile.json.gz     the same of a profile of PyTorch (Kineto)
  orrery trace check gpt.*.et           what ranks contradict each other in, which are missing
  orrery trace dot --around 17 gpt.0.et | dot -Tsvg > node.svg
`workload: {trace: {files: gpt.%d.et}}` in an experiment runs them.)"};
inline constexpr Text trace_info{"Nodes, recorded times, collectives, dependencies.", ""};
inline constexpr Text trace_json{"The nodes of one file as JSON, which is read again.", ""};
inline constexpr Text trace_dot{"The nodes around one as a picture, for Graphviz.", ""};
inline constexpr Text trace_check{"Look for ranks that contradict each other.", ""};

inline constexpr Text report{"Draw results as a page of charts, one file of HTML.",
                             R"(Examples:
  orrery run first.yaml -o out/first --report     simulates, and writes out/first/report.html
  orrery report out/first                         the same of an earlier result
  orrery report out/flat out/hier -o both.html    up to eight systems beside each other
  orrery compare flat.yaml hier.yaml --report both.html
  orrery report out/sweep                         how a sweep's results depend on its keys

The page needs no network, no scripts and no styles. Each chart has its numbers as a table below it,
and is also a file of its own: charts/NAME.svg beside report.html, both-charts/ beside both.html.
`run --activity` and `run --matrix` add what links did over time, and who sent how much to whom.
How to read it: docs/how-to/read-a-report.md.)"};

inline constexpr Text sweep{"Simulate experiments at every point of a grid, on many machines too.",
                            R"(Examples:
  orrery sweep plan study.yaml                           how many points, how long
  orrery sweep study.yaml -o out/study                   the same as `sweep run`
  orrery sweep status out/study
  orrery sweep collect out/study
  orrery report out/study
  orrery sweep slurm study.yaml -o out/study --shards 200 --time 2h
  orrery sweep run study.yaml -o out/study --hosts hosts.txt

docs/how-to/sweep.md.)"};
inline constexpr Text sweep_run{"Simulate every point, and go on where it stopped.",
                                R"(Examples:
  orrery sweep run study.yaml -o out/study
  orrery sweep run study.yaml -o out/study --dry-run     what would run, as commands
  orrery sweep run study.yaml -o out/study --format csv > study.csv
  orrery sweep run study.yaml -o out/short --set workload.iterations=1

  # study.yaml
  experiments: [flat.yaml, hier.yaml]          relative to this file
  set: {workload.iterations: 2}                at every point
  vary:                                        every combination
    - system.injection_latency: [0.01 us, 1 us, 10 us]
    - system.chunks: [32, 128]                 keys of one item change together
      system.first_phase_limit: [64, 128]
  zip: {KEY: [...], KEY: [...]}                the same as one such item
  random: {samples: 200, seed: 1, keys: {KEY: [1, 2], KEY: {from: 1 us, to: 1 ms, scale: log}}}
  latin: ...                                   the same keys: values spread evenly over ranges
  repeat: {seeds: 5}                           every point with the seeds 1 to 5
  where: system.chunks < 64 and seed != 3      only points for which this holds
  metrics: [training.tokens_per_s]             more columns: numbers of the results

--keep none (or best:10) keeps a line of each point instead of a folder, for large sweeps.
One process per point, as many at a time as there are cores (--jobs N). A point is done when its
result is in DIR/points and is that of the same program, configuration and data files; Ctrl-C, and
the same command later goes on. Files are read when the sweep begins: what changes in them later is
for the next one. --force runs all points again. Columns of sweep.csv:
docs/results.md.)"};
inline constexpr Text sweep_plan{"Count the points, show the first, estimate time and disk.",
                                 R"(Examples:
  orrery sweep plan study.yaml
  orrery sweep plan study.yaml --no-probe

The first, the middle and the last point are simulated, for 30 s each at most; their results are
thrown away. Of more than 100,000 points they are among the first 100,000.)"};
inline constexpr Text sweep_exec{"Simulate one shard of the points.", R"(Example:
  for i in 0 1 2 3 4 5 6; do orrery sweep exec study.yaml -o out/study --shard $i/7; done

Shards work side by side in one folder, on several machines if it is shared. A point that two of
them simulate at once has one result. `orrery sweep collect` puts the results together.)"};
inline constexpr Text sweep_slurm{"Write the script of a Slurm array, and how to submit it.",
                                  R"(Example:
  orrery sweep slurm study.yaml -o out/study --shards 200 --time 2h

DIR/sweep.sbatch runs `orrery sweep exec` in each task, with --requeue. It is not submitted.)"};
inline constexpr Text sweep_status{"Count what is done, failed, running and left.", R"(Example:
  orrery sweep status out/study)"};
inline constexpr Text sweep_collect{"Write what is done as tables: CSV and SQLite.",
                                    R"(Examples:
  orrery sweep collect out/study
  orrery sweep collect out/study --format csv > study.csv

The tables have nothing of the machine: the same points give the same bytes, whoever ran them.
Columns: docs/results.md.)"};

inline constexpr Text batch{
    "Simulate experiments from standard input, one JSON line each, without a process for each.",
    R"(Examples:
  orrery batch < experiments.jsonl > results.jsonl
  echo '{"experiment": "first.yaml", "set": {"system.chunks": 64}}' | orrery batch

A line is an experiment as JSON, or the name of its file in quotes, or both with settings as above.
For each line there is a line of JSON, in the same order: what `run --format json` prints, or
{"error": {"exit_code": 2, "message": ..., "problems": [{"file", "line", "column", "path", "what",
"remedy"}]}}; with "result" beside it if the simulation came so far. The next line runs all the
same; the exit code is then 1. A result is written as soon as those before it are.
Files are relative to the working directory.)"};

inline constexpr Text import_files{"Write an experiment's parts from files of other programs.",
                                   R"(Examples:
  orrery import megatron run.sh --platform dgx-h100-superpod > experiment.yaml
  orrery import nccl-topo topo.xml --nodes 16 > platform.yaml
  orrery import kineto trace.json.gz --as products > products.yaml
  orrery import astra --workload-configuration=... --system-configuration=... \
    --network-configuration=... > experiment.yaml

The result goes to standard output; what was read, ignored and assumed to standard error.
docs/how-to/bring-what-you-have.md.)"};
inline constexpr Text import_megatron{
    "A launch line of Megatron-LM -> the workload of a transformer.",
    R"(Examples:
  orrery import megatron run.sh > workload.yaml
  orrery import megatron run.sh --platform dgx-h100-superpod > experiment.yaml
  orrery import megatron run.sh --variable NNODES=64 --vocabulary 128256

The script is read, not run: variables, arrays, defaults and arithmetic are known, what programs
print is not.)"};
inline constexpr Text import_kineto{
    "A trace of PyTorch's profiler -> times of kernels, collectives, matrix products.",
    R"(Examples:
  orrery import kineto trace.json.gz                      a table
  orrery import kineto trace.json.gz --as products > products.yaml
  orrery run exp.yaml --set platform.npu.efficiency='{preset: products.yaml, matrix: 60 %}'
  orrery import kineto trace.json.gz --as coll > measured.csv
  orrery coll --platform dgx-h100 --ranks 8 --op all_reduce --measured measured.csv

products: of each shape of aten::mm and aten::addmm the median over its calls of the time of their
kernels, in the most frequent data type. Shapes are there with profile(record_shapes=True).
coll: of each (collective, group, size) the shortest time, as the others hold waits for other
ranks.)"};
inline constexpr Text import_nccl{"A topology of NCCL -> a platform of such nodes.",
                                  R"(Examples:
  NCCL_TOPO_DUMP_FILE=topo.xml all_reduce_perf -g 8        on a node
  orrery import nccl-topo topo.xml --nodes 16 > platform.yaml
  orrery import nccl-topo ndv5-topo.xml --nodes 16 --npu h100 --nic "400 Gb/s"

Files that clouds publish hold PCI devices only: what is missing is asked for.)"};

inline constexpr Text export_files{"Write an experiment's job as files of other programs.",
                                   R"(Examples:
  orrery export chakra llama-70b.yaml -o out/llama

docs/how-to/bring-what-you-have.md.)"};
inline constexpr Text export_chakra{
    "The job of an experiment -> a Chakra execution trace for each rank.",
    R"(Examples:
  orrery export chakra llama-70b.yaml -o out/llama
  orrery trace check out/llama/rank.*.et --groups out/llama/groups.json

Compute nodes have the time that the experiment's device takes. groups.json says who is in a group;
workload.yaml is the trace as a workload of Orrery. Platform and system are not in a trace.)"};

inline constexpr Text import_astra{"A set-up of ASTRA-sim 2 -> an experiment, with comments.",
                                   R"(Examples:
  orrery import astra --workload-configuration=allreduce --system-configuration=system.json \
    --network-configuration=network.yml > experiment.yaml

A comment stands at each value that ASTRA-sim ignores or reads differently. Paths are those of the
flags, so the experiment belongs into the working directory.)"};
inline constexpr Text astra{"Simulate a set-up of ASTRA-sim 2, by the flags of its programs.",
                            R"(Examples:
  orrery astra --workload-configuration=allreduce --system-configuration=system.json \
    --network-configuration=network.yml --remote-memory-configuration=memory.json
  orrery astra ... --compat astra-sim            also what ASTRA-sim computes, and what makes the
                                                 difference
  orrery astra ... --set system.chunks=8 -o out  as `run` does it

A line for each NPU as ASTRA-sim prints it, then the report of `run`. The experiment is that of
`orrery import astra`. docs/how-to/bring-what-you-have.md.)"};

inline constexpr Text validate{"Check experiment files, and report all errors at once.",
                               R"(Examples:
  orrery validate *.yaml
  orrery validate --what-fits gpt3.yaml         every way to train it that fits into memory

--what-fits lists the tensor, pipeline and data parallel sizes, micro-batches, sharding and
recomputation that training frameworks allow and that leave room: docs/models/memory.md.)"};

inline constexpr Text search{
    "Find the fastest parallel configurations of a transformer that fit into memory.",
    R"(Examples:
  orrery search gpt3.yaml
  orrery search gpt3.yaml --top 20 --simulate 5 -o out/gpt3    best.yaml is ready to run
  orrery search gpt3.yaml --set search.micro_batch='[1, 2]' --set network.backend=fluid

The section `search:` of the experiment says which values of which keys of workload.training are
tried. Without it they are divisors and powers of two. What training frameworks refuse, and what
does not fit into the memory of an NPU, is left out. The rest is estimated by playing the pipeline
schedule, and the fastest are simulated. The table says which times are estimates:
docs/models/search.md.)"};

inline constexpr Text calibrate{
    "Fit what a device reaches to timed iterations; say what they do not determine.",
    R"(Examples:
  orrery calibrate measured.csv --npu h100 -o my-h100.yaml
  orrery calibrate measured.csv --free matrix,launch
  orrery run gpt3.yaml --set platform.npu.efficiency='{preset: my-h100.yaml}'

FILE has a line of column names and a line for each run: experiment (a file beside it), time (5.1 s)
and keys as of --set. The table has the error of each run, and of a fit that did not see it. A
parameter whose standard error is above 25 % is not determined and keeps its value:
docs/how-to/calibrate.md.)"};

inline constexpr Text explain{
    "Show the resolved configuration and where each value is from; or explain a key.",
    R"(Examples:
  orrery explain hier.yaml --set system.chunks=64
  orrery explain network.transport.window       type, range, default and page of a key
  orrery explain window                         of every key with that name

All keys: docs/reference/keys.md.)"};

inline constexpr Text list{"List backends, collective algorithms, presets and platforms.",
                           R"(Example:
  orrery list algorithms
  orrery list examples                          orrery run NAME, orrery compare NAME)"};

inline constexpr Text schema{"Print the JSON Schema of a kind of file, for editors and scripts.",
                             R"(Examples:
  orrery schema > orrery.schema.json
  orrery schema sweep > orrery.sweep.schema.json
  orrery schema platform                        of a file that `platform: {file: ...}` names
  orrery schema result                          of result.json
  orrery schema --format markdown               the same as a page: docs/reference/keys.md
  orrery schema result --format markdown        docs/reference/results.md)"};

inline constexpr Text version{"Print the version.", ""};

inline constexpr Text completion{"Print the script that completes commands in a shell.",
                                 R"(Example:
  source <(orrery completion bash)
  source <(orrery completion zsh)

Packages install it, and man pages: man orrery, man orrery-run.)"};
inline constexpr Text words{"What completion asks for: platforms, examples, keys.", ""};
inline constexpr Text pages{"Write man pages, completion and schemas into a folder.", ""};

}  // namespace orrery::cli::help
