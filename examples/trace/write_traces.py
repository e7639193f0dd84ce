#!/usr/bin/env python3
"""Writes step.0.json ... step.3.json: a training step of four data-parallel ranks as Chakra traces.

Times are made up. Each layer has a kernel forward and one backward; the gradients of each layer are
all-reduced on a stream of their own. The host begins each kernel, 3 us after the last.
"""
import json
import pathlib

LAYERS, GRADIENTS = 3, 8_000_000
HOST, KERNELS, COMMUNICATION = 1, 7, 20  # a thread, two streams


def step(first_id):
    nodes = []

    def add(name, kind, after, **attributes):
        nodes.append({"Id": first_id + len(nodes), "Name": name, "NodeType": kind,
                      "data_deps": after, **attributes})
        return nodes[-1]["Id"]

    def kernel(name, time, after):
        begun = add(f"launch {name}", 4, [], runtime=3, is_cpu_op=True, tid=HOST)
        return add(name, 4, after + [begun], runtime=time, is_cpu_op=False, stream=KERNELS)

    last = []
    for layer in range(LAYERS):
        last = [kernel(f"forward {layer}", 200, last)]
    reduced = []
    for layer in reversed(range(LAYERS)):
        last = [kernel(f"backward {layer}", 400, last)]
        reduced.append(add(f"all-reduce {layer}", 7, last, is_cpu_op=False, stream=COMMUNICATION,
                           comm_type=0, comm_size=GRADIENTS, runtime=350))
    kernel("optimizer", 100, reduced)
    return {"workload_graph": nodes}


if __name__ == "__main__":
    folder = pathlib.Path(__file__).resolve().parent
    nodes = 0
    for rank in range(4):
        trace = step(nodes)
        nodes += len(trace["workload_graph"])
        (folder / f"step.{rank}.json").write_text(json.dumps(trace, indent=0) + "\n",
                                                  encoding="utf-8")
