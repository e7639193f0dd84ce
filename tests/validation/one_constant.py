"""What one number predicts: iteration time = operations / (GPUs x peak x share).

The floor that a simulator has to beat. The share is fitted as the efficiencies are, by least squares
of the logarithms, on calibration rows. Two conventions count the operations. What predicts best is
taken, which favours the constant.
"""
import dataclasses
import math

CONVENTIONS = {"model": False, "hardware": True}


def attention_operations(row):
    """Of scores and of their product with the values, of one token in one layer, forwards; the
    causal half is not left out, as the publications count."""
    model = row.experiment["workload"]["transformer"]
    return 4 * model["sequence"] * model["hidden"]


def layer_operations(row):
    """Of one token in one layer, forwards: two for each weight that it meets."""
    model = row.experiment["workload"]["transformer"]
    hidden = model["hidden"]
    key_value = hidden * model.get("key_value_heads", model["heads"]) // model["heads"]
    feed_forward = (3 if model["gated"] else 2) * hidden * model.get("feed_forward", 4 * hidden)
    chosen = model.get("experts", {}).get("top_k", 1)
    weights = 2 * hidden * hidden + 2 * hidden * key_value + chosen * feed_forward
    return 2 * weights + attention_operations(row)


def operations(row, with_recomputation):
    model, training = (row.experiment["workload"][key] for key in ("transformer", "training"))
    layers = model["layers"]
    token = 3 * (layers * layer_operations(row) + 2 * model["hidden"] * model["vocabulary"])
    if with_recomputation and training["recompute"] == "full":
        token += training.get("recompute_layers", layers) * layer_operations(row)
    if with_recomputation and training["recompute"] == "selective":
        token += layers * attention_operations(row)
    return token * model["sequence"] * training["global_batch"]


def seconds_at_peak(row, with_recomputation):
    number, unit = row.experiment["platform"]["npu"]["peak"].split()
    assert unit == "TFLOP/s"
    return operations(row, with_recomputation) / (row.gpus * float(number) * 1e12)


def fitted_share(rows, with_recomputation):
    logarithms = [math.log(seconds_at_peak(row, with_recomputation) / row.seconds) for row in rows]
    return math.exp(sum(logarithms) / len(logarithms))


@dataclasses.dataclass
class Constant:
    convention: str  # of CONVENTIONS
    share: float  # of the peak
    fitted: int  # rows
    seconds: list  # of each row of the set


def best_constant(rows, calibrations):
    """Of a set. `calibrations`: lists of rows to fit on, one after the other. Judged on the rows of
    the set that no calibration has seen, or on all if none is left."""
    seen = {id(row) for calibration in calibrations for row in calibration}
    judged = [i for i, row in enumerate(rows) if id(row) not in seen] or range(len(rows))

    def error(constant):
        return sum(abs(constant.seconds[i] / rows[i].seconds - 1) for i in judged)

    found = []
    for calibration in calibrations:
        for name, recomputed in CONVENTIONS.items():
            share = fitted_share(calibration, recomputed)
            found.append(Constant(name, share, len(calibration), [
                seconds_at_peak(row, recomputed) / share for row in rows]))
    return min(found, key=error)
