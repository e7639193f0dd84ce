#!/usr/bin/env python3
"""What `why` tells a user to change gains something in `--what-if`, over the examples.

    why_gains_test.py BINARY_FOLDER fast|slow [FILE ...]

Of each part with a tenth of the time or more: of the changes that its knob names, the best one gains
a hundredth of the part. Of the first part: half of what any hardware that is twice as fast gains.
Parts whose knob no change of --what-if stands for are left out. Beside the examples, why_gains/ has
files whose communication goes on beside computing.
"""
import concurrent.futures
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEAST_SHARE, LEAST_GAIN = 0.1, 0.01
TWICE = ("bandwidth x 2", "compute rate x 2")

# More than two seconds with --what-if.
SLOW = ("flat-vs-hier/", "gray-failure/", "llama-70b/overlap", "llama-70b/pipeline", "llm-parallelism/",
        "mlt/", "moe-imbalance/capacity", "moe-imbalance/by-node", "polaris-tg40/", "search/gpt3",
        "transports/", "two-lines/", "your-cluster/", "zero-bandwidth/")
NEVER = ("hoti20/", "spray/")  # minutes
# Faster computing makes the sends of two jobs meet, which they do not before.
# What a gap of go-back-N sends again grows with the bandwidth.
BUT = {("contention/interleaved.yaml", "compute"), ("gray-failure/go-back-n.yaml", "DP")}

# Of several parts of a kind, which take more in all than the first: the head names the kind.
IN_ALL = {"stale-servers/asynchronous.yaml"}

OF_BOUND = {"compute rate": "compute rate x 2", "memory bandwidth": "memory bandwidth x 2",
            "kernel launches": "kernel launches cost nothing", "pipeline schedule": "micro-batches x 2",
            "limits": "no limits on chunks in flight", "collectives beside it": "collectives take no"}


def changes_named(part):
    """How the changes begin that stand for what the part's knob names first."""
    knob, level, bound = part["knob"] or "", part["level"], part["bound_by"]
    if knob.startswith("another network.transport.congestion_control"):
        return ["senders at line rate"]
    if knob.startswith("network.routing.policy: spray"):
        return ["messages on all shortest paths"]
    if knob.startswith("training.overlap_tensor"):
        return ["TP exchanges beside products"]
    if knob.startswith("training.overlap_parameters"):
        return ["parameters gathered beside"]
    if knob.startswith("training.schedule"):
        return [knob.split(", or ")[0]]
    for words in ("more bandwidth on ", "less taper at "):
        if words in knob:
            name = knob.split(words)[1].split(" (now ")[0].split(", or ")[0]
            return [f"{level if ' -> ' in name else name}: bandwidth"]
    if " -> " in knob or bound == "contention":
        return ["no contention", f"{level}: bandwidth", *(["spine: bandwidth"] if " -> " in knob else [])]
    if bound == "latency":
        return [f"{level}: no latency"]
    return [OF_BOUND[bound]] if bound in OF_BOUND else []


def complaints(program, file):
    ran = subprocess.run([program, "run", "--what-if", "--format", "json", file], check=False,
                         capture_output=True, text=True)
    if ran.returncode != 0:
        return None
    result = json.loads(ran.stdout)
    wrong, name = [], f"{file.parent.name}/{file.name}"
    twice = max((row["gain_ps"] for row in result["what_if"] if row["change"].endswith(TWICE)), default=0)
    for part in result["why"]:
        named = changes_named(part)
        gains = [row["gain_ps"] for row in result["what_if"]
                 if any(row["change"].startswith(begin) for begin in named)]
        if not part["knob"] or part["share"] < LEAST_SHARE or not gains or (name, part["part"]) in BUT:
            continue
        if part is result["why"][0] and max(gains) < twice / 2 and name not in IN_ALL:
            wrong.append(f"{name}: {part['part']} on {part['level']} is named first: `{part['knob']}` "
                         f"gains {max(gains) / twice:.0%} of what faster hardware gains")
        if max(gains) < LEAST_GAIN * part["time_ps"]:
            wrong.append(f"{name}: {part['part']} on {part['level']}, {part['share']:.1%}: "
                         f"`{part['knob']}` gains {max(gains) / part['time_ps']:.2%} of it")
    return wrong


def main(binary_folder, tier, *files):
    program = pathlib.Path(binary_folder) / "orrery"
    files = [pathlib.Path(file).resolve() for file in files] or [
        file for file in sorted([*ROOT.glob("examples/*/*.yaml"), *ROOT.glob("tests/why_gains/*.yaml")])
        if not any(name in str(file) for name in NEVER)
        and any(name in str(file) for name in SLOW) == (tier == "slow")]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda file: complaints(program, file), files))
    wrong = [line for some in found for line in some or []]
    print("\n".join(wrong))
    checked = sum(some is not None for some in found)
    print(f"{checked} experiments, {len(wrong)} findings")
    return 1 if wrong or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
