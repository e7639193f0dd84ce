"""The commands of the program as functions. An experiment is a path or a dict with the keys of the
YAML; `set` changes keys of it, like --set: {"system.chunks": 16}."""
import csv
import io
import json
import pathlib
import subprocess
import tempfile
import threading

from .errors import SimulationError, error_of, failure_in
from .experiments import Inputs, is_path, named, settings
from .program import finished, interrupt, start, text_of
from .results import Comparison, Result, Table


def _options(values):
    """{"all_links": True, "seed": 3, "trace": None} -> --all-links --seed 3"""
    options = []
    for name, value in values.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            options.append(option)
        elif value is not None and value is not False:
            options += [option, value]
    return options


def _raise(exit_code, error, result, given=()):
    if exit_code == 130:
        raise KeyboardInterrupt
    raise error_of(exit_code, failure_in(error), result, given)


def _printed(arguments, inputs, read):
    """What `read` makes of the standard output of a command that prints one object."""
    exit_code, out, error = finished([*arguments, "--quiet", "--error-format", "json"],
                                     inputs.files)
    result = read(out) if out else None
    if exit_code != 0:
        _raise(exit_code, error, result, inputs.given)
    return result


def run(experiment, set=None, *, seed=None, output=None, force=False, fold=True, what_if=False,
        all_links=False, matrix=False, activity=False, ties=None, trace=None, report=False):
    """Simulates one experiment. The Result has the fields of `orrery run --format json`.

    `output`: a folder for JSON and CSV. `trace`: a file for a timeline. `report`: records what only
    the page of charts shows (Result.report()). The other options are those
    of `orrery run --help`. Raises ConfigError, SimulationError, FilesError.
    """
    options = _options({"seed": seed, "output": output, "force": force, "no_fold": not fold,
                        "what_if": what_if, "all_links": all_links, "matrix": matrix,
                        "activity": activity, "ties": ties, "trace": trace, "report": report})
    with Inputs() as inputs:
        if report and output is None:
            options += ["--output", inputs.enter_context(tempfile.TemporaryDirectory())]
        return _printed(["run", inputs.add(experiment), "--format", "json", *settings(set),
                         *options], inputs, Result.from_text)


def compare(experiments, set=None, *, seed=None, output=None, force=False, fold=True,
            what_if=False, all_links=False, predict=False):
    """Simulates several experiments. comparison["name"] and comparison.systems are their Results.

    `experiments`: paths and dicts, or a dict from names to experiments that are dicts.
    """
    if isinstance(experiments, dict):
        experiments = [{**experiment, "name": name} for name, experiment in experiments.items()]
    options = _options({"seed": seed, "output": output, "force": force, "no_fold": not fold,
                        "what_if": what_if, "all_links": all_links, "predict": predict})
    with Inputs() as inputs:
        files = [inputs.add(experiment) for experiment in experiments]
        return _printed(["compare", *files, "--format", "json", *settings(set), *options], inputs,
                        Comparison.from_text)


def coll(platform, op="all_reduce", sizes=None, *, set=None, algorithm=None, chunks=None, skew=None,
         ranks=None, measured=None, seed=None, fold=True):
    """The table of nccl-tests: `rows` of the Result, by size.

    `platform`: a bundled one, a path, or a dict with `platform`. `sizes`: as `orrery coll --size`, or
    a list of them. `algorithm`: a name or a list of them.
    """
    listed = {"size": sizes, "algorithm": algorithm}
    for name, value in listed.items():
        if value is not None and not isinstance(value, str):
            listed[name] = ",".join(map(str, value))
    options = _options({**listed, "op": op, "chunks": chunks, "skew": skew, "ranks": ranks,
                        "measured": measured, "seed": seed, "no_fold": not fold})
    with Inputs() as inputs:
        given = platform if is_path(platform) else inputs.add(platform)
        return _printed(["coll", "--platform", given, "--format", "json", *settings(set), *options],
                        inputs, Result.from_text)


def _number(text):
    if text == "":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _sweep_table(text):
    return Table([{name: _number(value) for name, value in row.items()}
                  for row in csv.DictReader(io.StringIO(text))])


def _write_experiments(sweep_, folder):
    """A sweep whose experiments are files: dicts become files in `folder`, where the sweep finds
    them again when it goes on."""
    experiments = sweep_.get("experiments", [])
    if is_path(experiments) or isinstance(experiments, dict):
        experiments = [experiments]
    files = []
    for number, experiment in enumerate(experiments, 1):
        if is_path(experiment):
            files.append(str(pathlib.Path(experiment).absolute()))
            continue
        experiment = named(experiment, f"experiment-{number}")
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{experiment['name']}.yaml"
        file.write_text(json.dumps(experiment, indent=1, ensure_ascii=False) + "\n",
                        encoding="utf-8")
        files.append(str(file.absolute()))
    return {**sweep_, "experiments": files}


def sweep(sweep, set=None, *, output=None, jobs=None, force=False):
    """Simulates every point of a grid. A Table with a row for each point: the columns of sweep.csv.

    `sweep`: a path, or a dict {"experiments": [paths or dicts], "vary": [{key: values}]}. Dicts among
    the experiments become files in `output`, and what they name by `file:` is relative to it. With
    `output` the same call goes on where it stopped; without it results are kept nowhere. A point that
    fails has `status` failed and says why in `failure`.
    """
    with Inputs() as inputs:
        if output is None:
            output = inputs.enter_context(tempfile.TemporaryDirectory(prefix="orrery-"))
        if is_path(sweep):
            given = text_of(sweep)
        else:
            sweep = _write_experiments(sweep, pathlib.Path(output))
            given = inputs.add_text(json.dumps(named(sweep, "sweep"), ensure_ascii=False))
        options = _options({"output": output, "jobs": jobs, "force": force})
        arguments = ["sweep", given, "--format", "csv", *settings(set), *options]
        try:
            return _printed(arguments, inputs, _sweep_table)
        except SimulationError as error:
            if error.result is None:
                raise
            return error.result


def _line(item):
    """Of a path, a dict, or (path or dict, settings)."""
    experiment, settings_ = item if isinstance(item, tuple) else (item, None)
    experiment = str(experiment) if is_path(experiment) else named(experiment)
    if settings_:
        experiment = {"experiment": experiment, "set": settings_}
    return json.dumps(experiment, ensure_ascii=False) + "\n"


def _answer(line):
    answer = json.loads(line)
    if "error" not in answer:
        return Result(answer)
    failure = answer["error"]
    result = Result(answer["result"]) if "result" in answer else None
    return error_of(failure["exit_code"], failure, result)


def _feed(process, experiments, broken):
    try:
        for item in experiments:
            process.stdin.write(_line(item))
            process.stdin.flush()
    except BrokenPipeError:  # it has ended, and says why
        pass
    except Exception as error:
        broken.append(error)  # of the iterable, or of what is no JSON: for the caller
    finally:
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass


def batch(experiments, set=None, *, jobs=None, seed=None, fold=True):
    """Simulates many experiments in one process; yields a Result for each, in their order.

    An item is a path, a dict, or a pair of one of them and settings. The Result of one that fails is
    its exception, which is not raised: ConfigError, SimulationError, ... Results come as they are
    ready. `jobs`: so many at a time; without it one for each core.
    """
    options = _options({"jobs": jobs, "seed": seed, "no_fold": not fold})
    arguments = ["batch", "--quiet", "--error-format", "json", *settings(set), *options]
    broken = []
    with tempfile.TemporaryFile("w+", encoding="utf-8") as messages:
        process = start(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=messages)
        feeder = threading.Thread(target=_feed, args=(process, experiments, broken), daemon=True)
        feeder.start()
        try:
            for line in process.stdout:
                yield _answer(line)
            exit_code = process.wait()
        except BaseException:
            process.stdout.close()
            interrupt(process, process.wait)
            raise
        feeder.join()
        if broken:
            raise broken[0]
        if exit_code not in (0, SimulationError.exit_code):
            messages.seek(0)
            _raise(exit_code, messages.read(), None)
