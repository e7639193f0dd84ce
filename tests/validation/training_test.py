#!/usr/bin/env python3
"""Simulates published measurements of training and holds the result against what it was when
docs/validation.md was written.

    training_test.py BINARY_FOLDER fast|slow [--write] [--sets SET,...] [--at-most COST]
                     [--jobs N]

A case is a row (training_rows.py): its simulated time is that of training_results.csv to 0.5 %. So
a change of the model that moves a prediction shows here, for better or worse. `fast` takes rows that
take a moment, `slow` the others. Two more cases: the tables in docs/validation.md and the rows of
simulation/validation_rows.def and system/measured_eras.def are those of training_results.csv.
--write simulates the chosen rows of both tiers and writes these files; with `--sets none` it writes
the tables of the times that are known.
"""
import argparse
import csv
import pathlib
import sys
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"))
import calibrate_efficiency  # noqa: E402  pylint: disable=wrong-import-position
import one_constant  # noqa: E402  pylint: disable=wrong-import-position
import training_rows  # noqa: E402  pylint: disable=wrong-import-position

RESULTS = pathlib.Path(__file__).resolve().parent / "training_results.csv"
DOCUMENT = training_rows.ROOT / "docs/validation.md"
BEGIN, END = "<!-- training: begin -->\n", "<!-- training: end -->\n"
PREDICTED = training_rows.ROOT / "simulation/validation_rows.def"  # simulation/expected_error.h
MEASURED_ERAS = training_rows.ROOT / "system/measured_eras.def"  # system/measured_devices.cc
FAST_COST = 1500  # ranks x micro-batches x layers of a rank


def all_rows():
    return training_rows.published() + training_rows.vtrain("single") + training_rows.vtrain("multi")


def key_of(row):
    return f"{row.set}/{row.name}/{row.seconds:.6g}"


def known_results():
    if not RESULTS.exists():
        return {}
    with RESULTS.open(encoding="utf-8") as file:
        return {line["row"]: line["simulated"] for line in csv.DictReader(file)}


def write_results(results):
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", "measured", "simulated"])
        for row in all_rows():
            if key_of(row) in results:
                writer.writerow([key_of(row), f"{row.seconds:.6g}", results[key_of(row)]])


def ranks_of(values):
    """Equal values share the mean of their ranks."""
    order = sorted(values)
    return [order.index(value) + (order.count(value) - 1) / 2 for value in values]


def spearman(one, other):
    """Nothing where one of the two does not order anything."""
    ranks = ranks_of(one), ranks_of(other)
    middle = (len(one) - 1) / 2
    product, first, second = (sum((a - middle) * (b - middle) for a, b in zip(x, y))
                              for x, y in (ranks, ranks[:1] * 2, ranks[1:] * 2))
    return product / (first * second) ** 0.5 if first and second else None


def errors_of(rows, results):
    """Of the rows that were simulated: (row, simulated seconds, error)."""
    found = []
    for row in rows:
        if key_of(row) in results:
            simulated = float(results[key_of(row)])
            found.append((row, simulated, simulated / row.seconds - 1))
    return found


def mean(values):
    return f"{sum(values) / len(values):.1%}" if values else "-"


def calibrated_rows():
    return {key_of(row) for era in calibrate_efficiency.ERAS
            if calibrate_efficiency.path_of(era).exists()
            for row in calibrate_efficiency.calibration_rows(era)}


def errors_of_eras(results):
    """Of each, the absolute errors of rows that were not fitted to."""
    calibrated = calibrated_rows()
    for era in sorted(calibrate_efficiency.ERAS):
        rows = [row for row in all_rows() if row.era == era and key_of(row) not in calibrated]
        yield era, [abs(error) for _, _, error in errors_of(rows, results)]


def eras(results):
    lines = ["| era | mean absolute error | runs |", "|---|---:|---:|"]
    lines += [f"| {era} | {sum(found) / max(1, len(found)):.1%} | {len(found)} |"
              for era, found in errors_of_eras(results)]
    return "\n".join(lines) + "\n"


def measured_eras(results):
    """The text of MEASURED_ERAS."""
    lines = ["// The efficiencies that were measured, and how far they are off (docs/validation.md).",
             "// Written by tests/validation/training_test.py fast --write --sets none; do not edit.",
             "//   MEASURED_ERA(name, mean absolute error, runs that were not fitted to)"]
    lines += [f'MEASURED_ERA("{era}", {sum(found) / max(1, len(found)):.3f}, {len(found)})'
              for era, found in errors_of_eras(results)]
    return "\n".join(lines) + "\n"


def rows_of_sets():
    sets = {}
    for row in all_rows():
        sets.setdefault((row.set, row.era), []).append(row)
    return sets


def summary(results):
    calibrated = calibrated_rows()
    lines = ["| set | efficiency | rows | calibrated on | mean error there | others simulated | mean "
             "absolute error | mean error | worst |", "|---|---|---:|---:|---:|---:|---:|---:|---:|"]
    for (name, era), rows in rows_of_sets().items():
        found = errors_of(rows, results)
        used = [abs(e) for row, _, e in found if key_of(row) in calibrated]
        others = [e for row, _, e in found if key_of(row) not in calibrated]
        worst = f"{max(others, key=abs):+.0%}" if others else "-"
        lines.append(f"| {name} | {era} | {len(rows)} | {len(used)} | {mean(used)} | {len(others)} | "
                     f"{mean([abs(e) for e in others])} | {mean(others)} | {worst} |")
    return "\n".join(lines) + "\n"


def order_of(pairs):
    """How well the second numbers order the first, if there are enough."""
    order = spearman(*zip(*pairs)) if len(pairs) > 3 else None
    return "-" if order is None else f"{order:.2f}"


class Comparison:
    """Of one set: the simulator beside one constant."""

    def __init__(self, rows, results):
        calibrated = calibrated_rows()
        self.simulated = errors_of(rows, results)
        rows = [row for row, _, _ in self.simulated]
        own = [row for row in rows if key_of(row) in calibrated]
        of_era = [row for row in all_rows()
                  if row.era == rows[0].era and key_of(row) in calibrated]
        self.constant = one_constant.best_constant(rows, [own, of_era] if own else [of_era])
        self.is_calibrated = [key_of(row) in calibrated for row in rows]
        self.measured = [row.seconds for row in rows]

    def columns(self, seconds):
        """Mean absolute error of calibrated and other rows, rank correlation."""
        pairs = list(zip(self.measured, seconds))
        errors = [abs(time / measured - 1) for measured, time in pairs]
        means = [mean([error for error, used in zip(errors, self.is_calibrated) if used == which])
                 for which in (True, False)]
        return [*means, order_of(pairs)]

    def uncalibrated(self, seconds):
        return [abs(time / measured - 1) for time, measured, used
                in zip(seconds, self.measured, self.is_calibrated) if not used]


def beside_one_constant(results):
    lines = ["| set | efficiency | rows, calibrated | simulator: calibrated | others | order | "
             "one number | fitted on | calibrated | others | order | ahead |",
             "|---|---|---:|---:|---:|---:|---|---:|---:|---:|---:|---|"]
    everything, without_vtrain = ([], []), ([], [])
    large, behind = 0, []
    for (name, era), rows in rows_of_sets().items():
        if not errors_of(rows, results):
            continue
        comparison = Comparison(rows, results)
        constant = comparison.constant
        times = [simulated for _, simulated, _ in comparison.simulated], constant.seconds
        errors = [comparison.uncalibrated(seconds) for seconds in times]
        for totals in [everything] if name.startswith("vtrain") else [everything, without_vtrain]:
            for total, of_set in zip(totals, errors):
                total += of_set
        simulator_is_ahead = sum(errors[0]) < sum(errors[1])
        if len(times[0]) >= 4:
            large += 1
            behind += [] if simulator_is_ahead else [
                f"- {name}: {mean(errors[0])}, one number {mean(errors[1])}"]
        lines.append(
            f"| {name} | {era} | {len(times[0])}, {sum(comparison.is_calibrated)} | "
            f"{' | '.join(comparison.columns(times[0]))} | {constant.convention} "
            f"{constant.share:.1%} | {constant.fitted} | "
            f"{' | '.join(comparison.columns(times[1]))} | "
            f"{'simulator' if simulator_is_ahead else 'one number'} |")
    sums = [f"{what} ({len(one)}): simulator {mean(one)}, one number {mean(other)}, "
            f"{sum(other) / sum(one):.1f} times as much."
            for what, (one, other) in (("All rows that were not calibrated", everything),
                                       ("Those without vTrain's", without_vtrain))]
    return "\n".join([*lines, "", *sums, f"Of the {large} sets of four rows or more the simulator is "
                      f"ahead in {large - len(behind)}. One number is ahead in:", "", *behind, ""])


def ranking(results):
    lines = ["| vTrain, several nodes | rows | mean absolute error | Spearman |", "|---|---:|---:|---:|"]
    models = {}
    for entry in errors_of(training_rows.vtrain("multi"), results):
        models.setdefault(entry[0].facts["model"], []).append(entry)
    for model, entries in models.items():
        lines.append(f"| {model} | {len(entries)} | {mean([abs(e) for _, _, e in entries])} | "
                     f"{order_of([(row.seconds, simulated) for row, simulated, _ in entries])} |")
    everything = [abs(e) for entries in models.values() for _, _, e in entries]
    lines.append(f"| all | {len(everything)} | {mean(everything)} | |")
    return "\n".join(lines) + "\n"


def scaling(results):
    """Runs that differ only in their replicas, each with the same work for a rank: how much longer
    the largest takes than the smallest, as measured and as simulated."""
    groups = {}
    for row, simulated, _ in errors_of(training_rows.published() + training_rows.vtrain("multi"),
                                       results):
        training = row.experiment["workload"]["training"]
        of_rank = {key: value for key, value in training.items()
                   if key not in ("data", "global_batch", "deferral_limit")}
        work = training["global_batch"] / training["data"]
        key = row.set, row.era, row.facts["model"], str(sorted(of_rank.items())), work
        groups.setdefault(key, []).append((row.gpus, row.seconds, simulated))
    lines = ["| set | model | GPUs | measured | simulated | remains |", "|---|---|---:|---:|---:|---:|"]
    remains = []
    for (name, era, model, _, _), runs in groups.items():
        runs.sort()
        if runs[-1][0] < 2 * runs[0][0]:
            continue
        measured, simulated = (runs[-1][i] / runs[0][i] - 1 for i in (1, 2))
        remains.append(measured - simulated)
        precision = ", fp8" if era.endswith("fp8") else ""
        lines.append(f"| {name} | {model}{precision} | {runs[0][0]} to {runs[-1][0]} | "
                     f"{measured:+.1%} | {simulated:+.1%} | {measured - simulated:+.1%} |")
    return "\n".join(lines) + f"\n\nMean of what remains: {mean(remains)}.\n"


def table(results):
    lines = ["| set | model, t x p x d, b, B | measured s | simulated s | error | assumed |",
             "|---|---|---:|---:|---:|---|"]
    for row, simulated, error in errors_of(
            training_rows.published() + training_rows.vtrain("multi"), results):
        lines.append(f"| {row.set} | {row.name} | {row.seconds:.3f} | {simulated:.3f} | {error:+.1%} "
                     f"| {row.facts.get('assumed', '')} |")
    text = "\n".join(lines) + "\n"
    missing = [row for row in all_rows() if not errors_of([row], results)]
    if missing:
        sets = ", ".join(sorted({row.set for row in missing}))
        rows_missing = "1 row" if len(missing) == 1 else f"{len(missing)} rows"
        text += "\n" + textwrap.fill(f"Not simulated, {rows_missing}: {sets}.", 100) + "\n"
    return text


def document_text(results):
    parts = summary, beside_one_constant, eras, ranking, scaling, table
    return "\n".join(part(results) for part in parts)


def predicted_rows(results):
    """The text of PREDICTED: rows that were not calibrated, from which errors are expected."""
    calibrated = calibrated_rows()
    lines = ["// Published iterations that no parameter was fitted to, and how far the simulator is off",
             "// (docs/validation.md).",
             "// Written by tests/validation/training_test.py fast --write --sets none; do not edit.",
             "//   VALIDATION_ROW(set, era, experts, ranks, sequence, hidden, error)"]
    for row, _, error in errors_of(all_rows(), results):
        if key_of(row) in calibrated:
            continue
        model = row.experiment["workload"]["transformer"]
        experts = "true" if "experts" in model else "false"
        lines.append(f'VALIDATION_ROW("{training_rows.TITLES[row.set]}", "{row.era}", {experts}, '
                     f"{row.gpus}, {model['sequence']}, {model['hidden']}, {error:.4f})")
    return "\n".join(lines) + "\n"


def chosen_rows(options):
    rows = all_rows()
    if options.sets:
        rows = [row for row in rows if row.set in options.sets.split(",")]
    rows = [row for row in rows if row.messages <= options.at_most]
    if options.write:
        return sorted(rows, key=lambda row: row.messages)
    # Of the single-node rows every tenth is enough to see a change.
    rows = [row for i, row in enumerate(rows) if row.set != "vtrain-single" or i % 10 == 0]
    return [row for row in rows if (row.messages <= FAST_COST) == (options.tier == "fast")]


def rewrite(options, results):
    for row in chosen_rows(options):
        time = training_rows.simulate(options.orrery, row)
        if isinstance(time, str):
            print(f"{row.set} {row.name}: {time}")
            results.pop(key_of(row), None)
        else:
            results[key_of(row)] = f"{time:.6g}"
        write_results(results)  # each at once: an interrupted run keeps what it has
    before, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PREDICTED.write_text(predicted_rows(results), encoding="utf-8")
    MEASURED_ERAS.write_text(measured_eras(results), encoding="utf-8")
    DOCUMENT.write_text(before + BEGIN + document_text(results) + END + after, encoding="utf-8")


def counts_as_published():
    """Narayanan et al. (SC'21), section 5.1: with full recomputation an iteration has
    96 B s l h^2 (1 + s / 6h + V / 16lh) operations; without it the layers have three passes of
    four, and the logits all of theirs."""
    row = next(row for row in training_rows.published() if row.set == "sc21")
    model, training = (row.experiment["workload"][key] for key in ("transformer", "training"))
    hidden, layers, sequence = (model[key] for key in ("hidden", "layers", "sequence"))
    tokens = training["global_batch"] * sequence
    of_layers = 96 * tokens * layers * hidden**2 * (1 + sequence / (6 * hidden))
    of_logits = 6 * tokens * hidden * model["vocabulary"]
    return all(abs(one_constant.operations(row, recomputed) / expected - 1) < 1e-12
               for recomputed, expected in ((True, of_layers + of_logits),
                                            (False, 0.75 * of_layers + of_logits)))


def checks(options, results):
    rows = [row for row in chosen_rows(options) if errors_of([row], results)]
    times = training_rows.simulate_all(options.orrery, rows, None, options.jobs)
    outcome = {}
    for row, time in zip(rows, times):
        good = not isinstance(time, str) and abs(time / float(results[key_of(row)]) - 1) < 5e-3
        outcome[f"{row.set} {row.name}"] = good
        if not good:
            print(f"  {row.set} {row.name}: {time}, expected {results[key_of(row)]}")
    if options.tier == "fast":
        outcome["one_constant.py counts as SC'21 does"] = counts_as_published()
        written = PREDICTED.read_text(encoding="utf-8") == predicted_rows(results)
        outcome["validation_rows.def (--write writes it)"] = written
        written = MEASURED_ERAS.read_text(encoding="utf-8") == measured_eras(results)
        outcome["measured_eras.def (--write writes it)"] = written
        now = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
        outcome["docs/validation.md (--write writes it)"] = now == document_text(results)
    return outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder")
    parser.add_argument("tier", choices=["fast", "slow"])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--sets", default="")
    parser.add_argument("--at-most", type=int, default=1 << 60)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.orrery = str(pathlib.Path(options.folder) / "orrery")
    results = known_results()
    if options.write:
        rewrite(options, results)
        return 0
    outcome = checks(options, results)
    for name, good in outcome.items():
        print(f"{name}: {'ok' if good else 'WRONG'}")
    wrong = list(outcome.values()).count(False)
    print(f"{len(outcome) - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
