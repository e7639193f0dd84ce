#!/usr/bin/env python3
"""Files of other programs that are damaged or contradict themselves: each ends within 10 s with
the exit code and the message of malformed.expected. The code is 2, but where only the simulation
can know: 1, as of any job that contradicts itself. malformed_test.py BUILD [--write]."""
import gzip
import pathlib
import subprocess
import sys
import tempfile

# ---- Chakra's wire format, written without its library -------------------------------------------

METADATA, LOAD, STORE, COMPUTE, SEND, RECEIVE, COLLECTIVE = range(1, 8)


def varint(value):
    value &= (1 << 64) - 1  # negative numbers take ten bytes
    out = bytearray()
    while True:
        out.append((value & 0x7F) | (0x80 if value > 0x7F else 0))
        value >>= 7
        if value == 0:
            return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value if isinstance(value, bytes) else value.encode()
    return varint(field << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    if isinstance(value, str):
        return text(1, name) + text(29, value)
    return text(1, name) + number(9, value)


def node(identity, kind, after=(), time=10, name="node", **attributes):
    body = number(1, identity) + text(2, name) + number(3, kind) + number(7, time)
    body += b"".join(number(5, other) for other in after)
    body += b"".join(text(10, attribute(key, value)) for key, value in attributes.items())
    return varint(len(body)) + body


def trace(*nodes, version="1.0.0"):
    body = text(1, version)
    return varint(len(body)) + body + b"".join(nodes)


def all_reduce(identity, size=1000, **more):
    return node(identity, COLLECTIVE, comm_type=0, comm_size=size, **more)


def process_group(values):
    body = number(1, 1 << 40) + text(2, "process_group:init") + number(3, METADATA)
    body += text(8, text(1, values))
    return varint(len(body)) + body


DEEP = "[" * 10**6 + "]" * 10**6
PLAIN = trace(node(0, COMPUTE), all_reduce(1))


def experiment(workload, npus=2):
    return (f"platform: {{topology: {{levels: [{{kind: switch, size: {npus}, bandwidth: 25 GB/s, "
            f"latency: 1 us}}]}}}}\nworkload: {workload}\n")


def two_ranks(first, second=None, keys="", npus=2):
    """An experiment with the traces of ranks 0 and 1."""
    return {"t.0.et": first, "t.1.et": first if second is None else second,
            "job.yaml": experiment(f"{{trace: {{files: t.%d.et{keys}}}}}", npus)}


CHECK = ("trace", "check", "t.et")  # `info` tells of traces that cannot run, too


def one_trace(content, command=("trace", "info", "t.et")):
    return command, {"t.et": content}


RUN = ("run", "job.yaml")

# ---- files of ASTRA-sim --------------------------------------------------------------------------

NETWORK = ("topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n")
SYSTEM = ('{"scheduling-policy": "LIFO", "endpoint-delay": 10, "preferred-dataset-splits": 4,\n'
          ' "all-reduce-implementation": ["ring"], "collective-optimization": "baseline",\n'
          ' "local-mem-bw": 50}\n')
MEMORY = '{"memory-type": "NO_MEMORY_EXPANSION"}\n'


def astra(network=NETWORK, system=SYSTEM, memory=MEMORY, flags=(), ranks=4, first=PLAIN):
    files = {f"w.{rank}.et": first if rank == 0 else PLAIN for rank in range(ranks)}
    files |= {"network.yml": network, "system.json": system, "memory.json": memory}
    return ("astra", "--workload-configuration=w", "--network-configuration=network.yml",
            "--system-configuration=system.json", "--remote-memory-configuration=memory.json",
            *flags), files


# ---- launch lines and topologies -----------------------------------------------------------------

LAUNCH = ("torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 "
          "--num-attention-heads 16 --seq-length 2048 --micro-batch-size 4 --global-batch-size 64 "
          "--vocab-size 50257 ")


def megatron(script, *options):
    return ("import", "megatron", "run.sh", *options), {"run.sh": script}


def nccl(xml, *options):
    return ("import", "nccl-topo", "topo.xml", *options), {"topo.xml": xml}


GPU = ('<pci busid="0000:{0:02x}:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" '
       'link_width="16"><gpu dev="{0}" sm="80" rank="{0}">{1}</gpu></pci>')
SYSTEM_XML = '<system version="1"><cpu numaid="0">{}</cpu></system>'

def kineto(profile, *options):
    return ("import", "kineto", "k.json", *options), {"k.json": profile}


KERNEL = '{"traceEvents": [{"cat": "kernel", "name": "k", "ts": 7, "dur": 3.5}]}'

# ---- the table: name, (command, files) -----------------------------------------------------------

CASES = [
    # Traces, one file.
    ("a file of nothing", one_trace(b"")),
    ("a trace that ends within a node", one_trace(PLAIN[:-3])),
    ("a length of 2 GB in a file of 20 bytes",
     one_trace(trace() + varint(2_000_000_000) + b"abcdefg")),
    ("format 0.0.1", one_trace(node(1, COMPUTE))),
    ("a text", one_trace(b"DATA\n8\n")),
    ("gzip cut short", one_trace(gzip.compress(PLAIN)[:-9])),
    ("gzip with a wrong byte", one_trace(gzip.compress(PLAIN)[:12] + b"\xff\xff\xff" +
                                         gzip.compress(PLAIN)[15:])),
    ("gzip of nothing", one_trace(gzip.compress(b""))),
    ("a duplicate id", one_trace(trace(node(3, COMPUTE), node(3, COMPUTE)))),
    ("a cycle of data dependencies",
     one_trace(trace(node(3, COMPUTE, [4]), node(4, COMPUTE, [3])))),
    ("a node that waits for itself", one_trace(trace(node(3, COMPUTE, [3])))),
    ("a data dependency on nothing", one_trace(trace(node(3, COMPUTE, [9])))),
    ("a negative size", one_trace(trace(all_reduce(1, -8)))),
    ("a size beyond 64 bits", one_trace(trace(node(1, COLLECTIVE, comm_type=2,
                                                   comm_size=(1 << 63) - 1)))),
    ("a collective without its kind", one_trace(trace(node(1, COLLECTIVE, comm_size=8)), CHECK)),
    ("a collective of a kind that there is not",
     one_trace(trace(node(1, COLLECTIVE, comm_type=12, comm_size=8)), CHECK)),
    ("a time of a thousand years", one_trace(trace(node(1, COMPUTE, time=1 << 55)))),
    ("a size in words",
     one_trace(trace(node(1, COLLECTIVE, comm_type=0, comm_size="8 MB")), CHECK)),
    ("JSON that ends", one_trace('{"workload_graph": [{"Id": 0, ')),
    ("JSON without nodes", one_trace('{"nodes": []}')),
    ("JSON with an id below 0", one_trace('{"workload_graph": [{"Id": -1, "NodeType": 4}]}')),
    ("trace json of two files", (("trace", "json", "a", "b"), {"a": PLAIN, "b": PLAIN})),
    # Traces of several ranks.
    ("more NPUs than files", (RUN, two_ranks(PLAIN, npus=4))),
    ("more files than NPUs", (RUN, {**two_ranks(PLAIN), "t.2.et": PLAIN})),
    ("no file at all", (RUN, {"job.yaml": experiment("{trace: {files: t.%d.et}}")})),
    ("a group that is nowhere", (RUN, two_ranks(trace(all_reduce(1, pg_name="6"))))),
    ("a group without its member", (RUN, {**two_ranks(
        trace(all_reduce(1, pg_name="6")), keys=", groups: g.json"), "g.json": '{"6": [1]}'})),
    ("a group with a rank that is not there", (RUN, {**two_ranks(
        trace(all_reduce(1, pg_name="6")), keys=", groups: g.json"),
        "g.json": '{"6": [0, 1, 5]}'})),
    ("a group with a rank twice", (RUN, {**two_ranks(
        trace(all_reduce(1, pg_name="6")), keys=", groups: g.json"),
        "g.json": '{"6": [0, 1, 1]}'})),
    ("groups that are no JSON", (RUN, {**two_ranks(PLAIN, keys=", groups: g.json"),
                                       "g.json": '{"6": [0, 1'})),
    ("groups that are a list", (RUN, {**two_ranks(PLAIN, keys=", groups: g.json"),
                                      "g.json": '[[0, 1]]'})),
    ("a group of fractions", (RUN, {**two_ranks(PLAIN, keys=", groups: g.json"),
                                    "g.json": '{"6": [0.5, 1]}'})),
    ("a send to itself", (RUN, two_ranks(trace(node(1, SEND, comm_dst=0, comm_size=8)),
                                         trace()))),
    ("a send to nobody", (RUN, two_ranks(trace(node(1, SEND, comm_dst=7, comm_size=8)),
                                         trace()))),
    ("a send without a size", (RUN, two_ranks(trace(node(1, SEND, comm_dst=1)), trace()))),
    ("a tag beyond 32 bits", (RUN, two_ranks(
        trace(node(1, SEND, comm_dst=1, comm_size=8, comm_tag=1 << 40)), trace()))),
    ("a send of another size", (RUN, two_ranks(
        trace(node(1, SEND, comm_dst=1, comm_size=8)),
        trace(node(1, RECEIVE, comm_src=0, comm_size=9))))),
    ("a send that nobody receives", (RUN, two_ranks(
        trace(node(1, SEND, comm_dst=1, comm_size=8)), trace(node(1, COMPUTE))))),
    ("a receive that nobody sends", (RUN, two_ranks(
        trace(node(1, RECEIVE, comm_src=1, comm_size=8)), trace(node(1, COMPUTE))))),
    ("ranks that call different collectives", (RUN, two_ranks(
        trace(all_reduce(1, 8)), trace(all_reduce(1, 16))))),
    ("a rank that does not call", (RUN, two_ranks(
        trace(all_reduce(1, 8)), trace(node(1, COMPUTE))))),
    ("a replicate beside a file for each rank", (RUN, two_ranks(PLAIN, keys=", replicate: 2"))),
    ("a send that is replicated", (RUN, {
        "t.et": trace(node(1, SEND, comm_dst=1, comm_size=8)),
        "job.yaml": experiment("{trace: {files: t.et, replicate: 2}}")})),
    ("lanes of a word that there is not", (RUN, two_ranks(PLAIN, keys=", lanes: three"))),
    ("streams against dependencies", (RUN, two_ranks(
        trace(node(4, COMPUTE, [5], stream=7), node(5, COMPUTE, stream=7))))),
    ("control dependencies that are nowhere", (RUN, two_ranks(
        trace(varint(6) + number(1, 1) + number(3, 4) + number(4, 9)),
        keys=", dependencies: all"))),
    ("a trace scaled beyond the clock", (RUN, two_ranks(
        trace(node(1, COMPUTE, time=1 << 35)), keys=", compute_scale: 1000000000"))),
    ("twenty nodes that fill the clock", (RUN, two_ranks(
        trace(*(node(i, COMPUTE, time=10**12) for i in range(20)))))),
    ("a collective of 2^62 bytes", (RUN, two_ranks(trace(all_reduce(1, 1 << 62))))),
    ("a send of 2^62 bytes", (RUN, two_ranks(
        trace(node(1, SEND, comm_dst=1, comm_size=1 << 62)),
        trace(node(1, RECEIVE, comm_src=0, comm_size=1 << 62))))),
    ("operations of 2^63", (RUN, two_ranks(
        trace(node(1, COMPUTE, time=0, num_ops=(1<<63)-1, tensor_size=(1<<63)-1))))),
    ("groups within groups", (RUN, {**two_ranks(PLAIN, keys=", groups: g.json"),
                                    "g.json": '{"6": [' + DEEP + "]}"})),
    ("lists within JSON", one_trace('{"workload_graph": ' + "[" * 10**6)),
    ("lists within lists", one_trace('{"workload_graph": [{"Id": 1, "data_deps": ' + DEEP + "}]}")),
    ("lists within a process group", (RUN, two_ranks(trace(
        process_group(DEEP), all_reduce(1, pg_name="6"))))),
    ("lists within a system", astra(system="[" * 10**6)),
    ("lists within a key of a system", astra(system='{"endpoint-delay": ' + DEEP + "}")),
    ("lists within a network", astra(network="topology: " + "[" * 10**6)),
    ("lists within a launch line", megatron("[" * 10**6)),
    ("brackets within a sum", megatron(LAUNCH.replace("24", "$((" + "(" * 10**5))),
    ("elements within elements", nccl('<system version="1">' + "<cpu>" * 10**5)),
    # Set-ups of ASTRA-sim.
    ("a flag of no program", astra(flags=["--system-config=x"])),
    ("a set-up without a network", (("astra", "--workload-configuration=w",
                                     "--system-configuration=s"), {})),
    ("more ranks than the network", astra(ranks=2)),
    ("a topology of another name", astra(NETWORK.replace("Ring", "Torus"))),
    ("lists of different lengths", astra(NETWORK.replace("[ 50.0 ]", "[ 50.0, 25.0 ]"))),
    ("a bandwidth to be decided", astra(NETWORK.replace("50.0", "tbd"))),
    ("a bandwidth of 0", astra(NETWORK.replace("50.0", "0"))),
    ("one NPU", astra(NETWORK.replace("[ 4 ]", "[ 1 ]"), ranks=1)),
    ("a network without latencies", astra(NETWORK.replace("latency", "latencies"))),
    ("a network that is no YAML", astra("topology: [ Ring\n")),
    ("a system that is no JSON", astra(system=SYSTEM.replace("10,", "10"))),
    ("a system that is a list", astra(system="[]")),
    ("an algorithm that there is not", astra(system=SYSTEM.replace('"ring"', '"rink"'))),
    ("fewer algorithms than dimensions", astra(
        NETWORK.replace("Ring", "Ring, Ring").replace("[ 4", "[ 2, 2").replace(
            "50.0", "50.0, 50.0").replace("500.0", "500.0, 500.0"))),
    ("a scheduling that there is not", astra(system=SYSTEM.replace("LIFO", "LILO"))),
    ("a delay in words", astra(system=SYSTEM.replace("10,", '"10 ns",'))),
    ("splits of 0", astra(system=SYSTEM.replace("splits\": 4", "splits\": 0"))),
    ("a memory that there is not", astra(memory='{"memory-type": "CXL"}')),
    ("groups that hold nobody", astra(flags=["--comm-group-configuration=groups.json"])),
    # Text workloads beyond tests/formats/astra/malformed.
    ("a text for more GPUs than there are", (RUN, {
        "w.txt": "HYBRID_TRANSFORMER model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 1 "
                 "all_gpus: 16 checkpoints: 0 checkpoint_initiates: 0\n1\n"
                 "l -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n",
        "job.yaml": experiment("{text: w.txt}")})),
    ("a text that is not there", (RUN, {"job.yaml": experiment("{text: w.txt}")})),
    # Launch lines.
    ("a script without a launch", megatron("echo hello\n")),
    ("a launch line without layers", megatron(LAUNCH.replace("--num-layers 24", ""))),
    ("layers in words", megatron(LAUNCH.replace("24", "many"))),
    ("a variable that nobody sets", megatron(LAUNCH.replace("24", "$LAYERS"))),
    ("a quote that does not end", megatron(LAUNCH + "--save 'out\n")),
    ("heads that do not divide", megatron(LAUNCH.replace("heads 16", "heads 15"))),
    ("a batch that does not divide", megatron(LAUNCH.replace("size 64", "size 65"))),
    ("more tensor parallel ranks than ranks",
     megatron(LAUNCH + "--tensor-model-parallel-size 16\n")),
    ("a division by 0", megatron("L=$((4 / 0))\n" + LAUNCH.replace("24", "$L"))),
    ("a variable without a value", megatron(LAUNCH, "--variable", "X")),
    ("an empty script", megatron("")),
    # Topologies.
    ("a topology of version 2", nccl('<system version="2"></system>')),
    ("a topology of hwloc", nccl('<topology version="2.0"></topology>')),
    ("NCCL's graphs", nccl('<graphs version="1"></graphs>')),
    ("XML that ends", nccl('<system version="1"><cpu')),
    ("a node without GPUs", nccl(SYSTEM_XML.format(""))),
    ("GPUs without their name", nccl(SYSTEM_XML.format(
        GPU.format(1, "").replace(' sm="80"', "") + GPU.format(2, "").replace(' sm="80"', "")))),
    ("a rate in no unit", nccl(SYSTEM_XML.format(GPU.format(1, "")), "--nic", "fast")),
    ("NVLinks below 0", nccl(SYSTEM_XML.format(
        GPU.format(1, '<nvlink target="0000:02:00.0" count="-4" tclass="0x030200"/>') +
        GPU.format(2, "")))),
    ("nodes below 1", nccl(SYSTEM_XML.format(GPU.format(1, "")), "--nodes", "0")),
    ("an empty topology", nccl("")),
    # Traces of PyTorch's profiler.
    ("a profile of nothing", kineto("")),
    ("a profile that ends", kineto('{"traceEvents": [{"cat": "kernel", ')),
    ("a profile without events", kineto('{"deviceProperties": []}')),
    ("a profile of the host only", kineto('{"traceEvents": [{"cat": "cpu_op", "name": "a"}]}')),
    ("a kernel that takes less than no time", kineto(KERNEL.replace("3.5", "-3.5"))),
    ("a kernel that never begins", kineto(KERNEL.replace('"ts": 7', '"ts": 1e300'))),
    ("a profile without shapes", kineto(KERNEL, "--as", "products")),
    ("a profile without collectives", kineto(KERNEL, "--as", "coll")),
    ("a profile in no form", kineto(KERNEL, "--as", "xml")),
    ("a packed profile cut short", kineto(gzip.compress(KERNEL.encode() * 99)[:-20])),
    ("a profile of brackets", kineto('{"traceEvents": ' + DEEP + "}")),
    # Measured times.
    ("measured times of nothing", (("coll", "--platform", "dgx-h100", "--measured", "m.txt"),
                                   {"m.txt": ""})),
    ("measured times without sizes", (("coll", "--platform", "dgx-h100", "--measured", "m.txt"),
                                      {"m.txt": "hello world\n1 2 3\n"})),
]


def run(binary, command, files):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, content in files.items():
            content = content if isinstance(content, bytes) else content.encode()
            (folder / file).write_bytes(content)
        return subprocess.run([binary, *command], cwd=folder, check=False, timeout=10,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def main(binary_folder, mode=""):
    binary = pathlib.Path(binary_folder).resolve() / "orrery"
    golden = pathlib.Path(__file__).with_suffix("").with_name("malformed.expected")
    said = []
    for name, (command, files) in CASES:
        ended = run(binary, command, files)
        said.append(f"== {name}: {ended.returncode}\n{ended.stderr.decode()}")
    if mode == "--write":
        golden.write_text("".join(said))
        return 0
    expected = ["== " + one for one in golden.read_text().split("== ")[1:]]
    failed = len(set(said) ^ set(expected))
    for one in said:
        if one not in expected:
            print(f"not expected: {one}")
    for one in expected:
        if one not in said:
            print(f"expected: {one}")
    codes = {int(one.split("\n")[0].rsplit(" ", 1)[1]) for one in said}
    if not codes <= {1, 2}:
        failed += 1
        print(f"exit codes {codes}")
    print(f"{len(said) - min(failed, len(said))} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
