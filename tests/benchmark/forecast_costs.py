#!/usr/bin/env python3
"""What a simulated message costs on this machine, for the forecast of `orrery explain`
(seconds_per_message in simulation/simulate.cc): CPU time of the whole process over messages, of jobs
of which every rank is simulated.

    forecast_costs.py BINARY_FOLDER
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

SWITCH = "platform: {file: dgx-h100-superpod, ranks: 128}"
TAPERED = """
platform:
  npu: {preset: h100}
  topology:
    leaf_spine: {leaves: 4, plugs: 32, spines: 4, bandwidth: 400 Gb/s, uplink_bandwidth: 1600 Gb/s,
                 latency: 0.5 us, nodes: 16, node: {npus: 8, bandwidth: 450 GB/s, latency: 0.5 us,
                 nics: 8, bus_bandwidth: 64 GB/s, bus_latency: 0.4 us}}
"""
TRAINING = "workload: {transformer: {preset: %s}, training: {%s}}"
JOBS = {
    "FSDP": TRAINING % ("llama3-8b", "sharding: zero3, global_batch: 128"),
    "tensor, pipeline": TRAINING % (
        "llama3-8b", "tensor: 8, pipeline: 4, sequence_parallel: true, global_batch: 64"),
    "experts": TRAINING % ("mixtral-8x7b, layers: 8", "expert: 8, global_batch: 128"),
    "DLRM": "workload: {model: {preset: dlrm-dcnv2}}",
}


def main():
    binary = pathlib.Path(sys.argv[1]).resolve() / "orrery"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "experiment.yaml"
        for platform, backends in ((SWITCH, ("analytical", "fluid")), (TAPERED, ("fluid",))):
            for backend in backends:
                costs = []
                for name, job in JOBS.items():
                    file.write_text(f"{platform}\nnetwork: {{backend: {backend}}}\n{job}\n")
                    run = subprocess.run(
                        [binary, "run", file, "--no-fold", "--format", "json", "--quiet"],
                        check=True, capture_output=True, text=True)
                    result = json.loads(run.stdout)
                    costs.append(result["host"]["cpu_s"] / result["messages"] * 1e6)
                    kind = "graph" if platform is TAPERED else "levels"
                    print(f"{backend:10} {kind:6} {name:18} {result['messages']:9} messages "
                          f"{costs[-1]:6.2f} us each", flush=True)
                print(f"{backend:10} median {statistics.median(costs):.2f} us")


if __name__ == "__main__":
    main()
