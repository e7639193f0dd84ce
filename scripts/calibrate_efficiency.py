#!/usr/bin/env python3
"""Fits what a GPU generation reaches with the software of its time, by simulation, and writes
platforms/efficiency/ERA.yaml.

    ./scripts/calibrate_efficiency.py [ERA ...] [--orrery BINARY] [--check]

For each era the rows named in ERAS, and no others, are simulated; least squares (Gauss-Newton, on
logarithms of simulated / measured time) choose the `free` parameters, at most four, each with a
physical meaning. What those rows cannot tell apart is `fixed`: attention by what the authors of
flash attention report, the rest by another era. docs/validation.md has the error of every row.
--check simulates the calibration rows with the file that is there and fails if a fit would now be
better by more than a hundredth.
"""
import argparse
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/validation"))
import training_rows  # noqa: E402  pylint: disable=wrong-import-position
import attention_curves  # noqa: E402  pylint: disable=wrong-import-position

# Of the peak in 16 bits, and the half length (attention_curves.py). NeMo of 2025 has cuDNN's kernel
# of that year, of which no curve was found: it has that of the fastest one of 2024.
FLASH_2, CUDNN_2024, FLASH_3, CUDNN_GB200 = (attention_curves.curve(*kernel) for kernel in (
    ("H100", "FlashAttention-2"), ("H100", "cuDNN"), ("H100", "FlashAttention-3"),
    ("GB200", "cuDNN")))
# T. Dao, FlashAttention-2 (2023): 230 TFLOP/s of 312 on A100 forwards and 200 backwards. How that
# depends on the length is taken from H100.
A100_FLASH = (0.66, FLASH_2[1])

# What hides behind what, and what is done again, by the date of the software
# (docs/models/transformer.md): a key of the efficiency and why.
OLDER_MEGATRON = {
    "overlap_gradient_sums":
        (False, "Sums of input gradients were waited for: Megatron-LM hides them since 2022."),
    "optimizer_traffic":
        ("52 B", "Gradients were copied, unscaled and normed before Adam's kernel, and parameters "
                 "copied behind it.")}
STOPS_EARLY = {
    "recompute_stops_early":
        (True, "PyTorch's checkpoints end early since 2.1 (use_reentrant=False).")}
COMPILED = {
    "overlap_gradient_sums":
        (False, "What torch.compile traces waits for a collective where it is called.")}

# Among GPUs of one kind in one cluster, by P. Sinha et al., "Not all GPUs are created equal", SC'22:
# 8 % on average over five clusters, between the whiskers of a box plot, which are 5.4 standard
# deviations of a normal distribution apart. Their GPUs are V100, Quadro RTX 5000 and MI60; the
# same is assumed of later ones.
SPREAD = 0.015


def attention(curve, per_peak=1):
    """Where the peak is FP8's, twice that of 16 bits, the share is half."""
    return dict(attention=curve[0] / per_peak, attention_half_length=curve[1])


SHARES = ("matrix", "attention", "memory", "spread")

# The rate at which products' results leave the multiprocessors: of H100 fitted to measured products
# (docs/models/compute.md, "Products by their depth"), 29 B a clock and multiprocessor. The same is
# assumed of A100 (108 of 1.41 GHz) and V100 (80 of 1.53). Blackwell accumulates in a memory of its
# own, from which results go while the next tile is computed.
RESULTS = {"h100": 6.8e12, "a100": 4.5e12, "v100": 3.6e12}

ERAS = {
    "a100-2021": dict(
        what="A100, Megatron-LM of 2020 to 2022: fp16, eager, attention not fused",
        software=OLDER_MEGATRON,
        free=dict(matrix=0.76, memory=0.68, launch=5e-6, issue=7e-5), fixed={},
        rows=["sc21/GPT-1.7B 1x1x32 b16 B512", "sc21/GPT-7.5B 4x1x32 b16 B512",
              "sc21/GPT-3.6B 2x1x32 b16 B512", "korthikanti/GPT-22B 8x1x1 b4 B4"],
        every=("vtrain-single", 30)),
    "v100-2020": dict(
        what="V100, Megatron-LM of 2020: fp16, eager, attention not fused",
        software=OLDER_MEGATRON,
        free=dict(matrix=0.6), fixed=dict(memory="a100-2021", launch="a100-2021",
                                          issue="a100-2021"),
        rows=["megatron-2020-v100/GPT2-2B 2x1x1 b8 B8"]),
    "a100-2023": dict(
        what="A100, Megatron-LM and FSDP of 2023: bf16, flash attention",
        free=dict(matrix=0.7), fixed=dict(**attention(A100_FLASH), memory="a100-2021",
                                          launch="a100-2021"),
        rows=["llm-foundry-a100/MPT-7B 1x1x8 b6 B96", "llm-foundry-a100/MPT-13B 1x1x8 b2 B48"]),
    "h100-2023": dict(
        what="H100, FSDP of 2023: bf16, flash attention 2",
        software=STOPS_EARLY,
        free=dict(matrix=0.6), fixed=dict(**attention(FLASH_2), memory="a100-2021",
                                          launch="a100-2021"),
        rows=["llm-foundry-h100/MPT-7B 1x1x8 b6 B48"]),
    "h100-2023-fp8": dict(
        what="H100, MLPerf Training 3.0 with NeMo: fp8 matrices (of 1979 TFLOP/s)",
        free=dict(matrix=0.5), fixed=dict(**attention(FLASH_2, 2), memory="a100-2021",
                                          launch="a100-2021"),
        rows=["mlperf-3.0/GPT3-175B 4x8x16 b1 B2048"]),
    "h100-2023-late-fp8": dict(
        what="H100, MLPerf Training 3.1 with NeMo, half a year later: fp8 matrices (of 1979 TFLOP/s)",
        free=dict(matrix=0.5), fixed=dict(**attention(FLASH_2, 2), memory="a100-2021",
                                          launch="a100-2021"),
        rows=["mlperf-3.1/GPT3-175B 4x8x16 b1 B2048"]),
    "h100-2024": dict(
        what="H100, Megatron Core 0.8: bf16, flash attention",
        free=dict(matrix=0.7), fixed=dict(**attention(CUDNN_2024), memory="a100-2021",
                                          launch="a100-2021"),
        rows=["megatron-core-0.8/GPT-1.7B 1x1x48 b4 B192",
              "megatron-core-0.8/GPT-7.1B 2x1x48 b4 B192"]),
    "h100-2025": dict(
        what="H100, NeMo 25.04: bf16, flash attention",
        free=dict(matrix=0.7), fixed=dict(**attention(FLASH_3), memory="a100-2021",
                                          launch="a100-2021"),
        rows=["nemo-25.04/Nemotron4-15B 2x1x16 b2 B128", "nemo-25.04/Nemotron4-340B 8x8x4 b1 B64"]),
    "h100-2025-fp8": dict(
        what="H100, NeMo 25.04: fp8 matrices (of 1979 TFLOP/s)",
        free=dict(matrix=0.6), fixed=dict(**attention(FLASH_3, 2), memory="a100-2021",
                                          launch="a100-2021"),
        rows=["nemo-25.04/Nemotron4-15B 2x1x8 b2 B64", "nemo-25.04/Nemotron4-340B 8x8x4 b1 B64"]),
    # Half of the second row's time is attention, so the two tell it from products.
    "h100-2024-fsdp-fp8": dict(
        what="H100 with HBM2e at 500 W, torchtitan of 2024 and 2025: fp8 matrices (of 1979 TFLOP/s)",
        software={**STOPS_EARLY, **COMPILED},
        free=dict(matrix=0.4, attention=FLASH_2[0] / 2),
        fixed=dict(attention_half_length=FLASH_2[1], memory="a100-2021", launch="a100-2021"),
        rows=["torchtitan/Llama3.1-8B 1x1x8 b2 B16", "torchtitan/Llama3.1-8B 1x1x8 b1 B8"]),
    "h100-2024-fsdp": dict(
        what="H100 with HBM2e at 500 W, torchtitan of 2024 and 2025 (FSDP2): bf16, flash attention 2",
        software={**STOPS_EARLY, **COMPILED},
        free=dict(matrix=0.5), fixed=dict(attention="h100-2024-fsdp-fp8",
                                          attention_half_length=FLASH_2[1], memory="a100-2021",
                                          launch="a100-2021"),
        rows=["torchtitan/Llama3.1-8B 1x1x8 b2 B16"]),
    "gb200-2025": dict(
        what="GB200, NeMo 25.05: bf16, flash attention",
        free=dict(matrix=0.7), fixed=dict(**attention(CUDNN_GB200), memory="a100-2021",
                                          launch="a100-2021"),
        rows=["nemo-25.05-gb200/Llama3.1-405B 4x8x4 c2 b1 B128"]),
    "gb200-2025-fp8": dict(
        what="GB200, NeMo 25.05: fp8 matrices (of 5000 TFLOP/s)",
        free=dict(matrix=0.6), fixed=dict(**attention(CUDNN_GB200, 2), memory="a100-2021",
                                          launch="a100-2021"),
        rows=["nemo-25.05-gb200/Llama3.1-405B 4x8x4 c2 b1 B128"]),
}


def calibration_rows(era):
    everything = training_rows.published() + training_rows.vtrain("single")
    rows = [row for row in everything
            if row.era == era and f"{row.set}/{row.name}" in ERAS[era]["rows"]]
    missing = set(ERAS[era]["rows"]) - {f"{row.set}/{row.name}" for row in rows}
    if missing:
        sys.exit(f"{era}: no row {missing}")
    if "every" in ERAS[era]:
        chosen, step = ERAS[era]["every"]
        rows += [row for row in everything if row.set == chosen][::step]
    return rows


def path_of(era):
    return ROOT / "platforms/efficiency" / f"{era}.yaml"


def text_of(values):
    """As YAML has them."""
    units = {"launch": (1e6, "us"), "issue": (1e6, "us"), "results": (1e-12, "TB/s")}
    scaled = {key: (value, *units.get(key, (100, "%"))) for key, value in values.items()
              if key != "attention_half_length"}
    texts = {key: f"{value * factor:.1f} {unit}" for key, (value, factor, unit) in scaled.items()}
    return {key: texts.get(key, str(values[key])) for key in values}


def values_in(era):
    values = {}
    for line in path_of(era).read_text(encoding="utf-8").splitlines():
        key, _, text = line.partition(": ")
        if key == "attention_half_length":
            values[key] = int(text)
        if key in ("matrix", "attention", "memory", "spread", "launch", "issue", "results"):
            number, unit = text.split()
            values[key] = float(number) * {"%": 1e-2, "us": 1e-6, "TB/s": 1e12}[unit]
    return values


def value_in(other, key, era):
    """Of another era; the attention of an 8-bit era has twice the share of a 16-bit peak."""
    value = values_in(other)[key]
    return value * 2 if key == "attention" and other == era + "-fp8" else value


def solve(matrix, right):
    """Gauss-Jordan, for a handful of unknowns."""
    size = len(right)
    rows = [[*matrix[i], right[i]] for i in range(size)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(size):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    return [rows[i][size] / rows[i][i] for i in range(size)]


class Fit:
    def __init__(self, era, orrery, jobs, rows=None):
        self.era, self.orrery, self.jobs = era, orrery, jobs
        self.rows = calibration_rows(era) if rows is None else rows
        self.fixed = {key: value_in(value, key, era) if isinstance(value, str) else value
                      for key, value in {**ERAS[era]["fixed"], "spread": SPREAD}.items()}
        generation = era.split("-")[0]
        if generation in RESULTS:
            self.fixed["results"] = RESULTS[generation]

    def residuals(self, values):
        clipped = {key: min(value, 1.0) if key in SHARES else value
                   for key, value in values.items()}
        efficiency = text_of({**self.fixed, **clipped})
        efficiency.update({key: value for key, (value, _) in software_of(self.era).items()})
        times = training_rows.simulate_all(self.orrery, self.rows, efficiency, self.jobs)
        failed = [time for time in times if isinstance(time, str)]
        if failed:
            sys.exit(f"{self.era}: {failed[0]}")
        return [math.log(time / row.seconds) for time, row in zip(times, self.rows)]

    def least_squares(self, rounds=6):
        values = dict(ERAS[self.era]["free"])
        now, damping = self.residuals(values), 1e-3
        for _ in range(rounds):
            slopes = []
            for key in values:  # a step that rounding in text_of() does not swallow
                shifted = self.residuals({**values, key: values[key] * 1.1})
                slopes.append([(a - b) / math.log(1.1) for a, b in zip(shifted, now)])
            normal = [[sum(a * b for a, b in zip(one, other)) for other in slopes]
                      for one in slopes]
            for i, row in enumerate(normal):
                row[i] *= 1 + damping
                row[i] += 1e-9
            step = solve(normal, [-sum(a * b for a, b in zip(slope, now)) for slope in slopes])
            trial = {key: value * math.exp(max(-0.7, min(0.7, change)))
                     for (key, value), change in zip(values.items(), step)}
            after = self.residuals(trial)
            better = sum(x * x for x in now) - sum(x * x for x in after)
            print(f"  {text_of(trial)}: {mean_error(after):.2%}", flush=True)
            if better <= 0:
                damping = max(damping * 10, 1e-2)
                if damping > 10:
                    break
                continue
            values, now = trial, after
            if better < 1e-5 * len(now):
                break
        return {key: min(value, 1.0) for key, value in values.items()}, now


def mean_error(residuals):
    return sum(abs(math.exp(x) - 1) for x in residuals) / len(residuals)


def text_of_setting(value):
    return str(value).lower() if isinstance(value, bool) else value


def software_of(era):
    return ERAS[era].get("software", {})


def write(era, values, residuals):
    free = ", ".join(ERAS[era]["free"])
    lines = [f'description: "{ERAS[era]["what"]}"',
             f"# Written by scripts/calibrate_efficiency.py {era}; do not edit. Fitted: {free}, on "
             f"{len(residuals)} rows",
             f"# of tests/validation/data that the script names, with a mean error of "
             f"{mean_error(residuals):.1%}. docs/validation.md has all rows."]
    lines += [f"{key}: {text}" for key, text in text_of(values).items()]
    for key, (value, why) in software_of(era).items():
        lines += [f"# {why}", f"{key}: {text_of_setting(value)}"]
    path_of(era).write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("eras", nargs="*", default=list(ERAS), metavar="ERA")
    parser.add_argument("--orrery", default=str(ROOT / "build/release/orrery"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--check", action="store_true", help="compare, do not write")
    options = parser.parse_args()
    for era in options.eras:
        fit = Fit(era, options.orrery, options.jobs)
        print(f"{era}: {len(fit.rows)} rows, fixed {text_of(fit.fixed)}", flush=True)
        if options.check:
            there = fit.residuals(values_in(era))
            _, best = fit.least_squares(2)
            if mean_error(there) > mean_error(best) + 0.01:
                sys.exit(f"{era}: a fit would be better: {mean_error(best):.1%} instead of "
                         f"{mean_error(there):.1%}")
            continue
        values, residuals = fit.least_squares()
        write(era, {**fit.fixed, **values}, residuals)
        for row, residual in zip(fit.rows, residuals):
            print(f"  {row.set:20} {row.name:32} {math.exp(residual) - 1:+.1%}")


if __name__ == "__main__":
    main()
