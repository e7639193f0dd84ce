"""Experiments as the program takes them: paths as they are, dicts as files in memory."""
import contextlib
import json
import os

from .program import text_of


def is_path(experiment):
    return isinstance(experiment, (str, os.PathLike))


def named(experiment, name="experiment"):
    return experiment if "name" in experiment else {"name": name, **experiment}


def setting_text(value):
    """As --set takes it: YAML in one line."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def settings(values):
    """`--set` options of a dict from keys to values."""
    options = []
    for key, value in (values or {}).items():
        options += ["--set", f"{key}={setting_text(value)}"]
    return options


class Inputs(contextlib.ExitStack):
    """Files for the program to read. Dicts are written into memory, without a file on any disk; what
    they name by `file:` is relative to the working directory."""

    def __init__(self):
        super().__init__()
        self.files = []  # descriptors that the program inherits
        self.given = []  # names that stand for dicts

    def add(self, experiment, name="experiment"):
        """What to call the experiment on the command line."""
        if is_path(experiment):
            return text_of(experiment)
        return self.add_text(json.dumps(named(experiment, name), indent=1, ensure_ascii=False))

    def add_text(self, text):
        descriptor = os.memfd_create("orrery")
        self.callback(os.close, descriptor)
        with open(descriptor, "w", encoding="utf-8", closefd=False) as file:
            file.write(text)
        self.files.append(descriptor)
        self.given.append(f"/dev/fd/{descriptor}")
        return self.given[-1]
