"""What can go wrong: an exception for each exit code of the program."""
import collections
import json

# A mistake in a configuration. `file` is "" for an option and "<dict>" for a dict of the caller;
# `line` and `column` count from 1, 0 is unknown; `path` is the key.
Problem = collections.namedtuple("Problem", "file line column path what remedy")

IN_DICT = "<dict>"


class OrreryError(Exception):
    """Of all of them. `exit_code` is that of the program."""
    exit_code = 1


class ProgramNotFound(OrreryError):
    """There is no program `orrery` where it is looked for."""
    exit_code = 127


class ConfigError(OrreryError):
    """The configuration is wrong. `problems` lists every mistake that was found; file, line, column,
    path, what and remedy are those of the first one. The list is empty, and these are None, where an
    option of the command itself is wrong."""
    exit_code = 2

    def __init__(self, message, problems=()):
        super().__init__(message)
        self.problems = list(problems)
        first = self.problems[0] if self.problems else Problem(*[None] * 6)
        self.file, self.line, self.column, self.path, self.what, self.remedy = first


class SimulationError(OrreryError):
    """The simulated job failed: it is stuck, or contradicts itself. `result` is what was reached,
    None if that is nothing."""
    exit_code = 1

    def __init__(self, message, result=None):
        super().__init__(message)
        self.result = result


class FilesError(OrreryError):
    """A file cannot be read or written."""
    exit_code = 3


class InternalError(OrreryError):
    """A bug in Orrery, or the program was killed."""
    exit_code = 70


def problem_of(fields, given):
    """`given`: files that stand for dicts of the caller."""
    known = {name: fields[name] for name in Problem._fields}
    if known["file"] in given:
        known["file"] = IN_DICT
    return Problem(**known)


def error_of(exit_code, failure, result=None, given=()):
    """The exception of what the program says of its failure: an object of `--error-format json`."""
    message = failure["message"].removeprefix("error: ")
    for name in given:
        message = message.replace(name, IN_DICT)
    if exit_code == ConfigError.exit_code:
        return ConfigError(message, [problem_of(fields, given) for fields in failure["problems"]])
    if exit_code == SimulationError.exit_code:
        return SimulationError(message, result)
    if exit_code == FilesError.exit_code:
        return FilesError(message)
    error = InternalError(message or f"the program ended with exit code {exit_code}")
    error.exit_code = exit_code
    return error


def failure_in(text):
    """What the program says of its failure on standard error. Usage errors are plain text."""
    for line in reversed(text.splitlines()):
        try:
            failure = json.loads(line)
        except ValueError:
            continue
        if isinstance(failure, dict) and "problems" in failure:
            return failure
    return {"message": text.strip(), "problems": []}
