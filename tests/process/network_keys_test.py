#!/usr/bin/env python3
"""Every key below `network:` changes a result. network_keys_test.py BUILD.

For each key of the schema CASES has a job, settings, and two values of the key. The two runs must
differ in what they simulated. A key without a case is a failure, so a new one gets one here.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

# Four hosts on each of two leaves. Ranks 1 to 7 send three messages each to rank 0, and 4 to 7 one
# each to 1 to 3 besides: packets wait at the leaf of rank 0 and on the links from the spines.
PLATFORM = """platform:
  topology:
    leaf_spine: {leaves: 2, plugs: 4, spines: 2, bandwidth: 100 Gb/s, latency: 1 us}
"""


def program(parts):
    lines = ["workload:\n  program:\n"]
    for rank, operations in parts.items():
        lines.append(f"    - {{ranks: {rank}, operations: [{', '.join(operations)}]}}\n")
    return "".join(lines)


def fan_in(size, messages=3):
    senders = range(1, 8)
    parts = {0: [f"{{receive: {size}, from: {rank}, tag: {k}, async: true, name: r{rank}x{k}}}"
                 for k in range(messages) for rank in senders]}
    for rank in senders:
        parts[rank] = [f"{{send: {size}, to: 0, tag: {k}}}" for k in range(messages)]
    for rank in (4, 5, 6):
        parts[rank].append(f"{{send: {size}, to: {rank - 3}, tag: 9}}")
        parts[rank - 3].insert(0, f"{{receive: {size}, from: {rank}, tag: 9, async: true, name: x}}")
    return program(parts)


# Gradients of eight layers, to two servers.
LAYERS = """  npu: {preset: v100}
workload:
  layers: {inputs: 1024, widths: [1024, 1024, 1024, 1024, 1024, 1024, 1024, 1024]}
  data_parallel: {batch: 8, bucket: 4 MB, servers: "0-1"}
"""
JOBS = {"fan-in": fan_in("500 kB"), "small": fan_in("2 kB"), "long": fan_in("4 MB"),
        "two receivers": program(
            {rank: [f"{{receive: 500 kB, from: {other}, async: true, name: r{other}}}"
                    for other in range(2, 8)] for rank in (0, 1)} |
            {rank: ["{send: 500 kB, to: 0, async: true, name: a}", "{send: 500 kB, to: 1}"]
             for rank in range(2, 8)}),
        "urgent": program({"0-7": ["{all_to_all: 1 MB, async: true, name: a}",
                                   "{all_to_all: 1 MB, priority: highest}"]}),
        "push": program({0: ["{serve: 2 MB, servers: 0, workers: 1-7}"],
                         "1-7": ["{push: 2 MB, servers: 0}", "{pull: 2 MB, servers: 0}"]}),
        "layers": LAYERS,
        "lone": program({0: ["{receive: 3 MB, from: 4}"], 4: ["{send: 3 MB, to: 0}"]})}

SMALL = ["network.switch.buffer=500 kB"]
LOSSY = ["network.switch.pfc.enabled=false", "network.switch.buffer=300 kB"]
TIMELY, SWIFT, HPCC, DCTCP, DCQCN, NONE = (
    [f"network.transport.congestion_control={name}"]
    for name in ("timely", "swift", "hpcc", "dctcp", "dcqcn", "none"))
TCP = ["network.transport.kind=tcp"]
RED = TCP + ["network.transport.ecn=true", "network.switch.queue=red",
             "network.switch.red_minimum=20 kB"]
FLUID = ["network.backend=fluid"]
UET = ["network.transport.kind=uet"]
NDP = ["network.transport.kind=ndp"]
PIAS = ["network.transport.kind=pias"]
PFABRIC = ["network.transport.kind=pfabric"]
MLT = ["network.transport.kind=mlt"]
LOSING = MLT + ["network.transport.loss_bound=30 %", "network.switch.loss=1 %"]
FULL = MLT + ["network.switch.buffer=500 kB"]
CLASSES = "network.switch.classes"


def one_class(**changes):
    keys = {"priority": 3, "lossless": "true", "alpha": 0.125, "weight": 1}
    keys.update(changes)
    keys = {key: value for key, value in keys.items() if value is not None}
    return ("[{" + ", ".join(f"{key}: {value}" for key, value in keys.items()) +
            "}, {priority: 7, carries: control}]")


def lossy_class(**changes):
    return one_class(lossless="false", alpha=None, **changes)


def ramp(**changes):
    keys = {"minimum": "50 kB", "maximum": "200 kB", "probability": "20 %", "weight": "50 %"}
    keys.update(changes)
    return one_class(ecn="{" + ", ".join(f"{key}: {value}" for key, value in keys.items()) + "}")


def ramps_of_three(of_port):
    """Messages go from class to class as they send, so a port holds more than its fullest class."""
    return ("[" + "".join(f"{{priority: {priority}, lossless: true, ecn: {{minimum: 97500 B, "
                          f"maximum: 98 kB, probability: 100 %, of_port: {of_port}}}}}, "
                          for priority in (3, 4, 5)) + "{priority: 6, carries: control}]")


def two_classes(weight):
    """Acknowledgements share the ports with data."""
    return (f"[{{priority: 3, lossless: true, weight: {weight}}}, "
            f"{{priority: 4, carries: control, weight: 1}}]")


# key: (job, settings, a value, another one). A value of None leaves the key out. Of a key of a list's
# elements the values are those of the list.
CASES = {
    "backend": ("fan-in", [], "packet", "fluid"),
    "transport.preset": ("fan-in", [], None, "hpcc-artifact"),
    "transport.kind": ("fan-in", [], "roce", "ideal"),
    "transport.ideal": ("fan-in", ["network.transport.kind=ideal"], "analytical", "fluid"),
    "transport.congestion_control": ("fan-in", [], "dcqcn", "hpcc"),
    "transport.mtu": ("lone", TCP, "9 kB", "1500 B"),
    "transport.link_overhead": ("lone", TCP, "38 B", "58 B"),
    "transport.window": ("lone", TCP, "1 MB", "20 kB"),
    "transport.receive_window": ("lone", TCP, None, "20 kB"),
    "transport.initial_window": ("lone", TCP, 10, 2),
    "transport.delayed_ack_count": ("lone", TCP, 2, 8),
    "transport.delayed_ack_timeout": ("lone", TCP + ["network.transport.window=9 kB"],
                                      "10 us", "100 us"),
    "transport.payload": ("lone", [], "4096 B", "1024 B"),
    "transport.recovery": ("fan-in", LOSSY, "go_back_n", "selective_repeat"),
    "transport.qps_per_pair": ("fan-in", [], 1, 3),
    "transport.ack_every": ("fan-in", HPCC, 1, 10),
    "transport.rto": ("fan-in", LOSSY + NONE, "1 ms", "10 ms"),
    "transport.nack_interval": ("fan-in", LOSSY, "50 us", "500 us"),
    "transport.priority": ("fan-in", [f"{CLASSES}=[{{priority: 1}}, "
                                      "{priority: 3, lossless: true}, {priority: 7, carries: control}]",
                                      *SMALL], 3, 1),
    "transport.dcqcn.g": ("fan-in", DCQCN, "0.39 %", "25 %"),
    "transport.dcqcn.additive_increase": ("long", DCQCN, "5 MB/s", "50 MB/s"),
    "transport.dcqcn.hyper_increase": ("long", DCQCN + ["network.transport.dcqcn.byte_counter="
                                                        "100 kB"], "25 MB/s", "250 MB/s"),
    "transport.dcqcn.minimum_rate": ("fan-in", DCQCN, "5 MB/s", "5 GB/s"),
    "transport.dcqcn.timer": ("fan-in", DCQCN, "55 us", "550 us"),
    "transport.dcqcn.alpha_timer": ("fan-in", DCQCN, "55 us", "550 us"),
    "transport.dcqcn.byte_counter": ("fan-in", DCQCN, "10 MB", "100 kB"),
    "transport.dcqcn.fast_recovery": ("long", DCQCN, 5, 1),
    "transport.dcqcn.clamp_target": ("fan-in", DCQCN, "true", "false"),
    "transport.dcqcn.decrease_interval": ("fan-in", DCQCN, "0 s", "500 us"),
    "transport.dcqcn.cut_on_loss": ("fan-in", DCQCN + LOSSY, "false", "true"),
    "transport.dcqcn.cnp_interval": ("fan-in", DCQCN, "50 us", "5 us"),
    "transport.hpcc.utilisation": ("fan-in", HPCC, "95 %", "50 %"),
    "transport.hpcc.additive_stages": ("fan-in", HPCC, 5, 0),
    "transport.hpcc.additive_increase": ("fan-in", HPCC, "80 B", "800 B"),
    "transport.timely.ewma": ("long", TIMELY, "87.5 %", "8 %"),
    "transport.timely.decrease": ("long", TIMELY, "80 %", "8 %"),
    "transport.timely.low": ("fan-in", TIMELY, "50 us", "5 us"),
    "transport.timely.high": ("long", TIMELY + ["network.transport.timely.low=5 us"],
                              "500 us", "10 us"),
    "transport.timely.minimum_round_trip": ("long", TIMELY, "20 us", "200 us"),
    "transport.timely.additive_increase": ("long", TIMELY, "1.25 MB/s", "125 MB/s"),
    "transport.timely.segment": ("fan-in", TIMELY, "64 kB", "16 kB"),
    "transport.timely.hyper_after": ("long", TIMELY, 5, 1),
    "transport.timely.minimum_rate": ("long", TIMELY, "1.25 MB/s", "5 GB/s"),
    "transport.swift.base_target": ("fan-in", SWIFT, "25 us", "100 us"),
    "transport.swift.per_hop": ("fan-in", SWIFT, "1 us", "10 us"),
    "transport.swift.additive_increase": ("fan-in", SWIFT, 1, 10),
    "transport.swift.decrease": ("fan-in", SWIFT, "80 %", "8 %"),
    "transport.swift.most_decrease": ("fan-in", SWIFT, "50 %", "5 %"),
    "transport.swift.flow_scaling": ("fan-in", SWIFT, "100 us", "0 s"),
    "transport.dctcp.g": ("fan-in", DCTCP, "6.25 %", "60 %"),
    "transport.dctcp.additive_increase": ("fan-in", DCTCP, 1, 10),
    "transport.reorder_tolerance": (
        "fan-in", NONE + ["network.routing.policy=spray",
                          "network.transport.recovery=selective_repeat"], "automatic", 0),
    "transport.control": ("fan-in", UET, "nscc", "rccc"),
    "transport.entropy_values": ("fan-in", UET, 64, 1),
    "transport.trimming": ("fan-in", UET, "true", "false"),
    "transport.loss_bound": ("push", LOSING, "0 %", "30 %"),
    "transport.rounds[].missing": ("push", LOSING, "[{missing: 0 %, rounds: 1}, {missing: 30 %, "
                                   "rounds: 2}]", "[{missing: 0 %, rounds: 1}, {missing: 40 %, "
                                   "rounds: 2}]"),
    "transport.rounds[].rounds": ("push", LOSING, "[{missing: 0 %, rounds: 1.1}]",
                                  "[{missing: 0 %, rounds: 1.2}]"),
    "transport.probe_after": ("fan-in", FULL, "100 us", "1 ms"),
    "transport.classes": ("layers", MLT, 8, 2),
    "transport.droppable.front_layers": ("layers", LOSING, "50 %", "0 %"),
    "transport.droppable.small": ("push", LOSING, "90 %", "0 %"),
    "transport.rate.low": ("long", MLT, "20 us", "1 us"),
    "transport.rate.high": ("long", MLT, "50 us", "25 us"),
    "transport.rate.step": ("layers", MLT, "1 Gb/s", "10 Gb/s"),
    "transport.rate.factor": ("long", MLT, "80 %", "20 %"),
    "transport.rate.minimum": ("long", MLT, "100 Mb/s", "50 Gb/s"),
    "transport.rate.report_every": ("long", MLT, 16, 1),
    "transport.thresholds": ("fan-in", PIAS, "[100 kB, 300 kB]", "[200 kB]"),
    "transport.nscc.target": ("long", UET, "automatic", "1 us"),
    "transport.nscc.gamma": ("long", UET, "80 %", "8 %"),
    "transport.nscc.most_decrease": ("long", UET, "50 %", "5 %"),
    "transport.nscc.fast_increase": ("long", UET, "25 %", "2 %"),
    "transport.nscc.delay_weight": ("long", UET, "1.25 %", "50 %"),
    "transport.nscc.adjust_after": ("long", UET, 8, 80),
    "transport.nscc.quick_adapt_gate": ("long", UET, 3, 0),
    "transport.minimum_rto": ("fan-in", TCP + ["network.switch.buffer=100 kB"], "1 ms", "10 ms"),
    "transport.clock_granularity": ("fan-in", TCP + ["network.switch.buffer=100 kB",
                                                     "network.transport.minimum_rto=10 us"],
                                    "10 us", "1 ms"),
    "transport.connect_timeout": ("small", TCP + ["network.transport.connect=first_message",
                                                  "network.switch.loss=30 %"], "10 ms", "30 ms"),
    "transport.retries": ("lone", TCP + ["network.switch.loss=60 %"], 10, 1),
    "transport.duplicate_acks": ("fan-in", TCP + ["network.switch.buffer=200 kB"], 3, 30),
    "transport.limited_transmit": ("fan-in", TCP + ["network.switch.buffer=200 kB",
                                                    "network.transport.sack=false"],
                                   "true", "false"),
    "transport.sack": ("fan-in", TCP + ["network.switch.buffer=200 kB"], "true", "false"),
    "transport.timestamps": ("lone", TCP, "false", "true"),
    "transport.ecn": ("fan-in", TCP + ["network.switch.queue=red"], "false", "true"),
    "transport.connect": ("lone", TCP, "before_use", "first_message"),
    "transport.connections_per_pair": ("fan-in", TCP, 1, 3),
    "routing.policy": ("fan-in", [], "ecmp", "d_mod_k"),
    "routing.paths": ("fan-in", ["network.routing.policy=qp_spread"], 4, 1),
    "routing.seed": ("fan-in", ["network.routing.policy=ecmp"], 1, 2),
    "routing.spray": ("fan-in", ["network.routing.policy=spray"], "round_robin", "random"),
    "routing.flowlet_gap": ("fan-in", ["network.routing.policy=letflow"], "100 us", "100 ns"),
    "routing.reroute_delay": ("fan-in", ["network.faults=[{at: 20 us, link: leaf1 - spine0, "
                                         "state: down}]"], "0 s", "300 us"),
    "faults[].at": ("fan-in", [], "[{at: 20 us, link: leaf1 - spine0, state: down}]",
                    "[{at: 200 us, link: leaf1 - spine0, state: down}]"),
    "faults[].link": ("fan-in", [], "[{at: 0 s, link: leaf1 - spine0, state: down}]",
                      "[{at: 0 s, link: 0, state: down}]"),
    "faults[].node": ("fan-in", [], "[{at: 0 s, node: spine0, state: down}]",
                      "[{at: 0 s, node: leaf1, state: down}]"),
    "faults[].state": ("fan-in", [], "[{at: 0 s, node: spine0, state: down}]",
                       "[{at: 0 s, node: spine0, state: up}]"),
    "faults[].bandwidth": ("fan-in", [],
                           "[{at: 0 s, link: spine0 - leaf0, state: degraded, bandwidth: 10 Gb/s}]",
                           "[{at: 0 s, link: spine0 - leaf0, state: degraded, bandwidth: 1 Gb/s}]"),
    "slow[].npu": ("fan-in", [], "[{npu: 0, rate: 20 Gb/s}]", "[{npu: 1, rate: 20 Gb/s}]"),
    "slow[].rate": ("fan-in", [], "[{npu: 0, rate: 20 Gb/s}]", "[{npu: 0, rate: 10 Gb/s}]"),
    "slow[].buffer": ("fan-in", LOSSY, "[{npu: 0, rate: 20 Gb/s, buffer: 200 kB}]",
                      "[{npu: 0, rate: 20 Gb/s, buffer: 2 MB}]"),
    "fluid.message_overhead": ("fan-in", FLUID, "0 s", "1 us"),
    "fluid.flow_limit": ("fan-in", FLUID, None, "1 GB/s"),
    "fluid.window": ("fan-in", FLUID, None, "4 kB"),
    "fluid.highest": ("urgent", FLUID, "fair", "strict"),
    "fluid.highest_weight": ("urgent", FLUID + ["network.fluid.highest=weighted"], 4, 40),
    "fluid.efficiency[].size": ("fan-in", FLUID, "[{size: 1 kB, share: 10 %}, {size: 1 MB, share: "
                                "90 %}]", "[{size: 1 kB, share: 10 %}, {size: 8 MB, share: 90 %}]"),
    "fluid.efficiency[].share": ("fan-in", FLUID, "[{size: 1 MB, share: 90 %}]",
                                 "[{size: 1 MB, share: 50 %}]"),
    "fluid.completion_tolerance": ("fan-in", FLUID + ["network.routing.policy=ecmp"], "0 %",
                                   "0.1 %"),
    "queue.segment": ("fan-in", ["network.backend=queue"], None, "10 kB"),
    "credit.segment": ("fan-in", ["network.backend=credit"], "4 KiB", "16 KiB"),
    "credit.buffer": ("lone", ["network.backend=credit"], "64 KiB", "4 KiB"),
    "switch.buffer": ("fan-in", NONE, "32 MB", "500 kB"),
    "switch.sharing": ("two receivers", TCP + ["network.switch.buffer=300 kB"], "shared", "per_port"),
    "switch.dynamic_threshold": ("fan-in", TCP + ["network.switch.buffer=600 kB"], None, 0.25),
    "switch.queue": ("fan-in", TCP, "drop_tail", "red"),
    "switch.red_minimum": ("fan-in", RED, "50 kB", "5 kB"),
    "switch.red_maximum": ("fan-in", RED, "150 kB", "600 kB"),
    "switch.red_probability": ("fan-in", RED, "100 %", "10 %"),
    "switch.red_weight": ("fan-in", RED, "100 %", "1 %"),
    "switch.loss": ("fan-in", [], "0 %", "1 %"),
    "switch.lossy_links[].link": ("fan-in", [], "[{link: spine0 -> leaf0, loss: 1 %}]",
                                  "[{link: spine1 -> leaf0, loss: 1 %}]"),
    "switch.lossy_links[].loss": ("fan-in", [], "[{link: spine0 -> leaf0, loss: 1 %}]",
                                  "[{link: spine0 -> leaf0, loss: 10 %}]"),
    "switch.classes[].priority": ("fan-in", [], one_class(),
                                  "[{priority: 1, carries: control}, {priority: 3, lossless: true}]"),
    "switch.classes[].lossless": ("fan-in", NONE + SMALL, one_class(),
                                  one_class(lossless="false", alpha=None)),
    "switch.classes[].alpha": ("fan-in", NONE + ["network.switch.buffer=1 MB"], one_class(),
                               one_class(alpha=1)),
    "switch.classes[].headroom": ("fan-in", NONE + ["network.switch.buffer=2 MB"], one_class(),
                                  one_class(headroom="200 kB")),
    "switch.classes[].buffer": ("fan-in", NONE, lossy_class(buffer="50 kB"),
                                lossy_class(buffer="500 kB")),
    "switch.classes[].overflow": ("fan-in", UET, lossy_class(buffer="50 kB", overflow="drop"),
                                  lossy_class(buffer="50 kB", overflow="trim")),
    "switch.classes[].least_first": ("fan-in", PFABRIC, lossy_class(buffer="50 kB"),
                                     lossy_class(buffer="50 kB", least_first="true")),
    "switch.headers_in_turn": ("fan-in", NDP, 10, 1),
    "switch.classes[].weight": ("fan-in", ["network.switch.scheduler=dwrr"],
                                two_classes(1), two_classes(20)),
    "switch.classes[].carries": ("fan-in", [], one_class(),
                                 "[{priority: 3, lossless: true}, {priority: 7}]"),
    "switch.classes[].ecn.minimum": ("fan-in", [], ramp(), ramp(minimum="5 kB")),
    "switch.classes[].ecn.maximum": ("fan-in", [], ramp(), ramp(maximum="2 MB")),
    "switch.classes[].ecn.probability": ("fan-in", [], ramp(), ramp(probability="100 %")),
    "switch.classes[].ecn.weight": ("fan-in", [], ramp(), ramp(weight="1 %")),
    "switch.classes[].ecn.on_leaving": ("fan-in", [], ramp(), ramp(on_leaving="false")),
    "switch.classes[].ecn.of_port": (
        "fan-in", PIAS + ["network.transport.thresholds=[100 kB, 300 kB]"],
        ramps_of_three("false"), ramps_of_three("true")),
    "switch.scheduler": ("fan-in", [f"{CLASSES}={two_classes(20)}"], "strict", "dwrr"),
    "switch.port_reserve": ("fan-in", NONE + ["network.switch.buffer=1 MB"], "4 kB", "40 kB"),
    "switch.pfc.enabled": ("fan-in", NONE + SMALL, "true", "false"),
    "switch.pfc.response": ("fan-in", NONE + ["network.switch.buffer=1 MB"], "automatic", "100 ns"),
    "switch.pfc.resume_offset": ("fan-in", NONE + ["network.switch.buffer=1 MB"], "3 kB", "30 kB"),
}

# What tells more and changes nothing, or stands for other keys.
TELLS = {"transport.watch[].from", "transport.watch[].to", "transport.capture[].link",
         "transport.capture[].between", "transport.capture_limit", "switch.watch", "file"}
# Tested where the case is made: tests/network/roce/deadlock_test.cc, routing/, placed/placed_test.cc.
ELSEWHERE = {"transport.ndp.return_to_sender", "switch.pfc.watchdog", "switch.pfc.on_watchdog", "routing.routes",
             "transport.persist_timeout"}


def keys_of(schema, path=""):
    """The keys that hold a value; of a list of maps those of its elements, behind []."""
    below = schema.get("items", {}) if "items" in schema else schema
    if "properties" not in below:
        yield path
        return
    path += "[]" if "items" in schema else ""
    for key, value in below["properties"].items():
        yield from keys_of(value, f"{path}.{key}" if path else key)


def setting_of(key, value):
    where = "network." + key.split("[]")[0]
    return [] if value is None else [f"{where}={value}"]


def simulated(binary, folder, job, settings):
    """What a run tells of its simulation, without what it says of its settings."""
    command = [binary, "run", folder / f"{job}.yaml", "--format", "json", "--quiet"]
    for setting in settings:
        command += ["--set", setting]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if ran.returncode not in (0, 1):
        raise AssertionError(f"{settings}: exit code {ran.returncode}\n{ran.stderr}")
    result = json.loads(ran.stdout)
    packets = result.get("packets") or {}
    return {"fingerprint": result["fingerprint"], "end": result["partial_reason"],
            "retransmissions": packets.get("retransmissions"),
            "rounds": (packets.get("undelivered") or {}).get("rounds")}


def main():
    binary = pathlib.Path(sys.argv[1], "orrery").resolve()
    schema = json.loads(subprocess.run([binary, "schema", "experiment"], capture_output=True,
                                       check=True).stdout)
    known = set(keys_of(schema["properties"]["network"]))
    failed = 0
    for what, keys in (("has no case here", known - set(CASES) - TELLS - ELSEWHERE),
                       ("is no key", (set(CASES) | TELLS | ELSEWHERE) - known)):
        for key in sorted(keys):
            print(f"{key}: {what}")
            failed += 1
    with tempfile.TemporaryDirectory() as kept:
        folder = pathlib.Path(kept)
        for job, text in JOBS.items():
            (folder / f"{job}.yaml").write_text(PLATFORM + text)
        for key, (job, settings, value, other) in CASES.items():
            packets = [] if key == "backend" or settings[:1] and settings[0].startswith(
                "network.backend=") else ["network.backend=packet"]
            try:
                first, second = (
                    simulated(binary, folder, job, packets + settings + setting_of(key, now))
                    for now in (value, other))
                if first == second:
                    raise AssertionError(f"{value} and {other} give the same: {first}")
            except AssertionError as wrong:
                print(f"{key}: {wrong}")
                failed += 1
    print(f"{len(CASES) + 2 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
