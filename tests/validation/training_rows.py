"""Published measurements of training, each as an experiment that `orrery run` can simulate.

A row of data/training.csv or data/vtrain_*.csv becomes a Row: what was measured, and the experiment
as a dictionary. What a publication does not state is assumed here, in one place for a whole set, and
named in the column `assumed` of the data, for a set or for a model size of it.
"""
import concurrent.futures
import csv
import dataclasses
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "tests/validation/data"

# Peak and memory bandwidth by the data sheets; 8-bit floating point has twice the peak of 16-bit.
DEVICES = {
    "V100": ("125 TFLOP/s", "900 GB/s"),
    "A100-40GB": ("312 TFLOP/s", "1555 GB/s"),
    "A100": ("312 TFLOP/s", "2039 GB/s"),
    "H100": ("989 TFLOP/s", "3350 GB/s"),
    "H100 fp8": ("1979 TFLOP/s", "3350 GB/s"),
    # Grand Teton's, at 500 W; memory as torchtitan states it, the peak at 700 W.
    "H100-96GB": ("989 TFLOP/s", "2400 GB/s"),
    "H100-96GB fp8": ("1979 TFLOP/s", "2400 GB/s"),
    "GB200": ("2500 TFLOP/s", "8 TB/s"),
    "GB200 fp8": ("5000 TFLOP/s", "8 TB/s"),
}

# GPUs in a node, NVLink each way (data sheets), and what a NIC for each GPU carries: NCCL reaches 24
# GB/s of 200 Gb/s (95.1 GB/s of 4 NICs, nccl-tests issue 252) and 49 of 400 Gb/s (391 of 8, two nodes
# of H100).
NODES = {
    "V100": (16, "150 GB/s", "100 Gb/s"),
    "A100": (8, "300 GB/s", "190 Gb/s"),
    "H100": (8, "450 GB/s", "391 Gb/s"),
    "GB200": (64, "900 GB/s", "391 Gb/s"),
}

# By set: the efficiency that the software of its time reaches, how Megatron-LM, NeMo and FSDP
# exchange gradients (bytes of a gradient, whether beside the backward pass), whether stages exchange
# parts of the activations without sequence parallelism (Megatron-LM's default of those years; SC'21,
# section 4.1), of how many micro-batches NeMo's recipes put the head's weight gradients off, whether
# the loss is fused (NeMo's default), how context parallelism works if not as a ring, and the share of
# a NIC that a GPU has where it is not one (vTrain's nodes have 800 Gb/s for 8 GPUs: inter_node_bandwidth
# in the configurations of its validation). `hides_sums`: input gradients are summed beside weight
# gradients, though the era's preset says no: the Megatron-LM of Korthikanti et al. does (commit
# 02bb1f5, where sequence parallelism came in), and vTrain does not say which one it is. `separate`:
# each matrix is a product of its own (torchtitan's model.py). `prefetch`:
# DeepSpeed's gathers of 2021 were preceded by torch.cuda.synchronize(), so none went ahead of its
# use (its pull request 1188).
NEMO = {"Llama3.1-405B": 50, "Llama3.1-70B": 22, "Nemotron4-340B": 22}
SETS = {
    "megatron-2020-v100": dict(era="v100-2020", gradients="fp16", overlap=False),
    "megatron-2020-a100": dict(era="a100-2021", gradients="fp16", overlap=False),
    "sc21": dict(era="a100-2021", gradients="fp16", overlap=False, scatter=True),
    "sc21-zero3": dict(era="a100-2021", gradients="fp16", overlap=True, prefetch=0),
    "korthikanti": dict(era="a100-2021", gradients="fp16", overlap=False, scatter=True,
                        hides_sums=True),
    "mt-nlg": dict(era="a100-2021", gradients="fp16", overlap=False, scatter=True),
    "vtrain-single": dict(era="a100-2021", gradients="fp16", overlap=False, scatter=True,
                          hides_sums=True, optimizer="30 B"),
    "vtrain-multi": dict(era="a100-2021", gradients="fp16", overlap=False, scatter=True,
                         hides_sums=True, optimizer="30 B", nic="95 Gb/s"),
    "megascale": dict(era="a100-2023", gradients="fp32", overlap=False),
    "llm-foundry-a100": dict(era="a100-2023", gradients="fp32", overlap=True),
    "llm-foundry-h100": dict(era="h100-2023", gradients="fp32", overlap=True),
    "mlperf-3.0": dict(era="h100-2023", gradients="bf16", overlap=True),
    "mlperf-3.1": dict(era="h100-2023-late", gradients="bf16", overlap=True),
    "megatron-core-0.8": dict(era="h100-2024", gradients="fp32", overlap=True),
    "nemo-25.04": dict(era="h100-2025", gradients="bf16", overlap=True, deferral=NEMO,
                       fused_loss=True),
    "torchtitan": dict(era="h100-2024-fsdp", gradients="fp32", overlap=True, context="pytorch",
                       separate=True),
    "llama3-paper": dict(era="h100-2024", gradients="fp32", overlap=True, context="all_gather"),
    "nemo-25.05-gb200": dict(era="gb200-2025", gradients="bf16", overlap=True, deferral=NEMO,
                             fused_loss=True),
}

# What a report calls a set.
TITLES = {
    "megatron-2020-v100": "Megatron-LM 2020", "megatron-2020-a100": "Megatron-LM 2020",
    "sc21": "Megatron-LM 2021", "sc21-zero3": "ZeRO-3 2021", "korthikanti": "Megatron-LM 2022",
    "mt-nlg": "MT-NLG", "vtrain-single": "vTrain, one node", "vtrain-multi": "vTrain, several nodes",
    "megascale": "MegaScale's baseline", "llm-foundry-a100": "llm-foundry",
    "llm-foundry-h100": "llm-foundry", "mlperf-3.0": "MLPerf 3.0", "mlperf-3.1": "MLPerf 3.1",
    "megatron-core-0.8": "Megatron Core 0.8", "nemo-25.04": "NeMo 25.04",
    "nemo-25.05-gb200": "NeMo 25.05", "torchtitan": "torchtitan", "llama3-paper": "Llama 3",
}

EXPERTS = {"Grok1-314B": {"count": 8, "top_k": 2}}


@dataclasses.dataclass
class Row:
    set: str
    name: str
    era: str
    seconds: float  # measured
    experiment: dict
    facts: dict  # the line of the data file

    @property
    def messages(self):
        """A measure of what the simulation costs: ranks x micro-batches x layers of a rank."""
        training, model = (self.experiment["workload"][key] for key in ("training", "transformer"))
        replica = training["tensor"] * training["pipeline"]
        per_rank = training["global_batch"] // training["data"] // training["micro_batch"]
        return training["data"] * replica * per_rank * model["layers"] // training["pipeline"]

    @property
    def gpus(self):
        training = self.experiment["workload"]["training"]
        return (training["data"] * training["tensor"] * training["pipeline"] *
                training.get("context", 1))


def platform(device, gpus, era, nic=None):
    peak, memory = DEVICES[device]
    generation = device.split("-")[0].split(" ")[0]
    size, nvlink, nic_of_generation = NODES[generation]
    levels = [{"name": "nvlink", "kind": "switch", "size": min(size, gpus), "bandwidth": nvlink,
               "latency": "0.2 us"}]
    if gpus > size:
        levels.append({"name": "fabric", "kind": "switch", "size": gpus // size,
                       "bandwidth": nic or nic_of_generation, "latency": "1 us"})
    return {"npu": {"peak": peak, "memory_bandwidth": memory, "efficiency": {"preset": era}},
            "topology": {"levels": levels}}


def experiment(row, era):
    number = lambda key, default=0: int(row[key] or default)
    facts = SETS[row["set"]]
    gpus, fp8 = max(2, number("gpus")), row["precision"] == "fp8"
    device = row["gpu"] + (" fp8" if fp8 else "")
    model = {"layers": number("layers"), "hidden": number("hidden"), "heads": number("heads"),
             "sequence": number("seq"), "vocabulary": number("vocab"),
             "attention": row["attention"], "tied_embeddings": bool(number("tied")),
             "gated": bool(number("gated")), "gradient_type": facts["gradients"]}
    if fp8:
        model["eight_bit_products"] = True
    if row["kv_heads"]:
        model["key_value_heads"] = number("kv_heads")
    if row["ffn"]:
        model["feed_forward"] = number("ffn")
    if row["model"] in EXPERTS:
        model["experts"] = EXPERTS[row["model"]]
    training = {"tensor": number("tensor"), "pipeline": number("pipeline"), "data": number("data"),
                "sequence_parallel": bool(number("sequence_parallel")),
                "global_batch": number("global_batch"), "micro_batch": number("micro_batch"),
                "recompute": row["recompute"], "sharding": row["sharding"],
                "overlap_gradients": facts["overlap"]}
    if number("chunks", 1) > 1:
        training.update(schedule="interleaved", chunks=number("chunks"))
    if row["sharding"] == "zero1" and facts["overlap"]:
        training["overlap_parameters"] = True
    if number("context", 1) > 1:
        training.update(context=number("context"), context_method=facts.get("context", "ring"))
    training.update(options(row, facts))
    if number("gpus") == 1:  # a platform has two: each has the row's batch, and one says nothing
        training.update(data=2, global_batch=2 * number("global_batch"))
    # No source states its collectives: they are chosen, and the model of the network too.
    return {"platform": platform(device, gpus, era, facts.get("nic")),
            "workload": {"transformer": model, "training": training}}


def options(row, facts):
    """What is only said where it is not the default."""
    number = lambda key, default=0: int(row.get(key) or default)
    parallel = number("tensor") > 1, number("pipeline") > 1
    found = {}
    if number("recompute_layers"):  # stands for a choice of products, the last one not among them
        found.update(recompute_layers=number("recompute_layers"), recompute_stops_early=False)
    if number("overlap_tensor"):
        found["overlap_tensor"] = True
    if facts.get("hides_sums") and parallel[0]:
        found["overlap_gradient_sums"] = True
    if "optimizer" in facts:
        found["optimizer_traffic"] = facts["optimizer"]
    if "prefetch" in facts:
        found["prefetch"] = facts["prefetch"]
    if facts.get("separate"):
        found["separate_products"] = True
    if facts.get("fused_loss"):
        found["fused_cross_entropy"] = True
    if facts.get("scatter") and all(parallel) and not number("sequence_parallel"):
        found["scatter_gather"] = True
    limit = facts.get("deferral", {}).get(row["model"])
    if limit and parallel[1]:
        found.update(defer_head_gradients=True, deferral_limit=limit)
    # Llama-3 405B: 126 layers, embedding and loss are 128.
    slots = number("pipeline") * number("chunks", 1)
    if number("layers") % slots != 0 and (number("layers") + 2) % slots == 0:
        found["embedding_and_loss_take_a_layer"] = True
    if number("experts", 1) > 1:
        found.update(expert=number("experts"), expert_tensor=number("expert_tensor", 1))
    return found


def name_of(row):
    shape = "x".join(row[key] for key in ("tensor", "pipeline", "data"))
    extra = f" c{row['context']}" if row["context"] not in ("", "1") else ""
    return f"{row['model']} {shape}{extra} b{row['micro_batch']} B{row['global_batch']}"


def published():
    """data/training.csv."""
    rows = []
    with (DATA / "training.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            era = SETS[row["set"]]["era"] + ("-fp8" if row["precision"] == "fp8" else "")
            rows.append(Row(row["set"], name_of(row), era, float(row["seconds"]),
                            experiment(row, era), row))
    return rows


def vtrain(which):
    """data/vtrain_{single,multi}_node.csv: GPT on A100 with full recomputation, as Megatron-LM
    trains it; the vocabulary is GPT-2's, padded."""
    rows = []
    with (DATA / f"vtrain_{which}_node.csv").open(encoding="utf-8") as file:
        for line in csv.DictReader(file):
            size = line.get("Parameters (billion)")
            row = {"set": f"vtrain-{which}", "gpu": "A100", "gpus": line["# GPUs"],
                   "model": f"GPT-{size}B" if size else f"L{line['# layers']} h{line['hidden size']}",
                   "layers": line["# layers"], "hidden": line["hidden size"],
                   "heads": line["attention heads"], "seq": line["sequence length"],
                   "vocab": "51200", "tensor": line["tensor parallelism"],
                   "pipeline": line["pipeline parallelism"], "data": line["data parallelism"],
                   "micro_batch": line["micro batch"], "global_batch": line["global batch"],
                   "recompute": "full", "sharding": "none", "attention": "unfused",
                   "precision": "fp16", "kv_heads": "", "ffn": "", "gated": "0", "tied": "1",
                   "context": "1", "chunks": "1", "sequence_parallel": "0"}
            rows.append(Row(row["set"], name_of(row), "a100-2021",
                            float(line["iteration time (ms)"]) * 1e-3, experiment(row, "a100-2021"),
                            row))
    return rows


def simulate(orrery, row, efficiency=None):
    """Simulated seconds of an iteration; the keys of `efficiency` count instead of the preset's,
    which says what the device's library is. A string says why it cannot be simulated."""
    spec = row.experiment
    if efficiency is not None:
        npu = spec["platform"]["npu"]
        npu = {**npu, "efficiency": {**npu["efficiency"], **efficiency}}
        spec = {**spec, "platform": {**spec["platform"], "npu": npu}}
    result = subprocess.run([orrery, "run", "/dev/stdin", "--format", "json", "--quiet"],
                            input=json.dumps(spec), capture_output=True, text=True, check=False)
    if result.returncode != 0:
        return result.stderr.strip().splitlines()[0]
    return json.loads(result.stdout)["iteration_ps"] * 1e-12


def simulate_all(orrery, rows, efficiency=None, jobs=2):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda row: simulate(orrery, row, efficiency), rows))
