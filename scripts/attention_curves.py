#!/usr/bin/env python3
"""Fits how the rate of an attention kernel depends on the length of the sequence, to measured
kernels (tests/validation/data/attention.csv): `attention` and `attention_half_length` of
docs/models/compute.md. Prints all curves with their errors.

    ./scripts/attention_curves.py

A query meets L keys, with a causal mask half of the sequence. The rate is e L / (L + n). Backwards
with a causal mask was not published for H100: there causality is taken to cost what it costs
forwards, n by the same number of keys and e by the same factor. A training step has 2 operations
forwards for 5 backwards, so its time is 2/7 of one and 5/7 of the other.
"""
import csv
import math
import pathlib

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests/validation/data/attention.csv"
PEAKS = {"H100": 989, "GB200": 2500}  # TFLOP/s in 16 bits
FORWARD, BACKWARD = 2 / 7, 5 / 7


def measured():
    """{(device, kernel, pass, mask): [(keys of a query, TFLOP/s)]}"""
    points = {}
    with DATA.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            keys = int(row["sequence"]) / (2 if row["mask"] == "causal" else 1)
            kind = (row["device"], row["kernel"], row["pass"], row["mask"])
            points.setdefault(kind, []).append((keys, float(row["TFLOP_s"])))
    return points


def fitted(points):
    """(e in TFLOP/s, n in keys, mean error): least squares of logarithms, n of whole keys."""
    def at(n):
        logs = [math.log(rate * (keys + n) / keys) for keys, rate in points]
        mean = sum(logs) / len(logs)
        return sum((x - mean) ** 2 for x in logs), mean, logs
    n = min(range(2000), key=lambda n: at(n)[0])
    _, mean, logs = at(n)
    return math.exp(mean), n, sum(abs(math.expm1(mean - x)) for x in logs) / len(logs)


def curve(device, kernel):
    """(share of the peak, half length) of forward and backward passes with a causal mask."""
    of = {kind[2:]: fitted(points)[:2] for kind, points in measured().items()
          if kind[:2] == (device, kernel)}
    forward = of["forward", "causal"]
    backward = of.get(("backward", "causal"))
    if backward is None:
        e, n = of["backward", "none"]
        whole = of["forward", "none"]
        backward = e * forward[0] / whole[0], n + forward[1] - whole[1]
    e = 1 / (FORWARD / forward[0] + BACKWARD / backward[0])
    n = e * (FORWARD * forward[1] / forward[0] + BACKWARD * backward[1] / backward[0])
    return e / PEAKS[device], round(n)


def main():
    for kind, points in measured().items():
        e, n, error = fitted(points)
        print(f"{' '.join(kind)}: {e:.0f} TFLOP/s, {n} keys, mean error {error:.1%}")
    for device, kernel in dict.fromkeys(kind[:2] for kind in measured()):
        share, n = curve(device, kernel)
        print(f"{device} {kernel}, a training step: attention {share:.1%}, half length {n}")


if __name__ == "__main__":
    main()
