#!/usr/bin/env python3
"""What the host took for an operation in vTrain's runs on one node, where the host sets the pace.

    host_bound.py BINARY_FOLDER

Simulates the rows once with a device that waits for nothing and once with a host that takes 10 ms
for each operation, which counts the operations one after another. Where the first is less than 0.7
of what the host of a100-2021 takes, measured time / operations is what the host took. Rows of one
width, tensor parallelism and micro-batch are printed together: if one host time were right for all,
all lines would have the same. The last line has the least mean error that one time can have.
"""
import collections
import statistics
import sys

import training_rows

NOMINAL, SLOW = 71.4e-6, 10e-3  # of a100-2021; of a host that sets every pace


def main(binary_folder):
    rows = training_rows.vtrain("single")
    device, host = (training_rows.simulate_all(f"{binary_folder}/orrery", rows, {"issue": issue})
                    for issue in ("0 us", f"{SLOW * 1e6:.0f} us"))
    groups = collections.defaultdict(list)
    for row, busy, slow in zip(rows, device, host):
        operations = slow / SLOW
        if busy < 0.7 * operations * NOMINAL:
            key = tuple(int(row.facts[name]) for name in ("hidden", "tensor", "micro_batch"))
            groups[key].append(row.seconds / operations * 1e6)
    print("hidden tensor micro_batch rows  us an operation")
    for (hidden, tensor, micro_batch), times in sorted(groups.items()):
        print(f"{hidden:6} {tensor:6} {micro_batch:11} {len(times):4}  "
              f"{statistics.median(times):.1f} ({min(times):.1f} to {max(times):.1f})")
    every = [time for times in groups.values() for time in times]
    error = min(statistics.fmean(abs(one / time - 1) for time in every) for one in every)
    print(f"{len(every)} rows: {min(every):.1f} to {max(every):.1f} us, best one time {error:.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
