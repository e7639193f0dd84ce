"""What the program prints, as Python has it: objects with attributes, tables with rows.

The fields are those of docs/reference/results.md: times are integer picoseconds (`_ps`), sizes
bytes. Fields that an option adds (`what_if`, `matrix`, `activity`, ...) are there with the option.
"""
import collections.abc
import html
import json
import pathlib
import tempfile

from .errors import error_of, failure_in
from .program import finished


def _value(raw):
    if isinstance(raw, dict):
        return Record(raw)
    if isinstance(raw, list) and raw and all(isinstance(item, dict) for item in raw):
        return Table(raw)
    return raw


class Record(collections.abc.Mapping):
    """An object: record.finish_ps and record["finish_ps"] are the same."""

    def __init__(self, raw):
        self._raw = raw

    def __getitem__(self, name):
        return _value(self._raw[name])

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._raw:
            raise AttributeError(f"there is no {name!r} here; there are {', '.join(self._raw)}")
        return _value(self._raw[name])

    def __iter__(self):
        return iter(self._raw)

    def __len__(self):
        return len(self._raw)

    def __dir__(self):
        return [*super().__dir__(), *self._raw]

    def __repr__(self):
        shown = ", ".join(f"{name}={value!r}" for name, value in self._raw.items()
                          if not isinstance(value, (dict, list)))
        return f"{type(self).__name__}({shown})"

    def to_dict(self):
        """The plain dict that it was read from."""
        return self._raw


class Table(collections.abc.Sequence):
    """Rows, each a Record. Empty tables have no columns."""

    def __init__(self, rows):
        self._rows = rows

    @property
    def columns(self):
        """Their names, in the order of docs/reference/results.md."""
        names = {}
        for row in self._rows:
            names.update(dict.fromkeys(row))
        return list(names)

    def column(self, name):
        """The values of one column, None where a row has none."""
        if name not in self.columns:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self.columns)}")
        return [_value(row.get(name)) for row in self._rows]

    def __getitem__(self, index):
        if isinstance(index, slice):
            return Table(self._rows[index])
        return Record(self._rows[index])

    def __len__(self):
        return len(self._rows)

    def __repr__(self):
        return f"Table({len(self)} rows: {', '.join(self.columns)})"

    def to_list(self):
        """The plain list of dicts that it was read from."""
        return self._rows

    def to_pandas(self):
        """A pandas.DataFrame, whose columns keep their names. Needs pandas."""
        import pandas
        return pandas.DataFrame(self._rows, columns=self.columns)


class Result(Record):
    """What a command gives. Tables are attributes: result.layers, result.links, ..."""

    def __getattr__(self, name):
        value = super().__getattr__(name)
        return Table([]) if value == [] and name in TABLES else value

    def __getitem__(self, name):
        value = super().__getitem__(name)
        return Table([]) if value == [] and name in TABLES else value

    @classmethod
    def from_text(cls, text):
        """Of JSON that the program printed."""
        return cls(json.loads(text))

    def report(self):
        """The page of charts that `orrery report` writes, as text: of what run() and compare() give.

        Lanes of a pipeline and the drawing of the network need run(..., report=True)."""
        with tempfile.TemporaryDirectory(prefix="orrery-") as folder:
            file, page = pathlib.Path(folder) / "result.json", pathlib.Path(folder) / "report.html"
            file.write_text(json.dumps(self._raw), encoding="utf-8")
            exit_code, _, error = finished(["report", file, "-o", page, "--error-format", "json"])
            if exit_code != 0:
                raise error_of(exit_code, failure_in(error), None)
            return page.read_text(encoding="utf-8")

    def _repr_html_(self):
        """What a notebook shows: the report in a frame of its own; the plain text of other tables."""
        if self._raw.get("schema") not in ("orrery.run/1", "orrery.compare/1"):
            return None
        return (f'<iframe title="report of Orrery" width="100%" height="600" '
                f'srcdoc="{html.escape(self.report())}"></iframe>')


# An empty list of these is a table without rows, not a list of texts.
TABLES = frozenset("why layers selected levels links bottlenecks ranks jobs memory activity "
                   "link_activity matrix what_if difference systems rows summaries".split())


class Comparison(Result):
    """Of `compare`: `systems` are the results; comparison["hier"] is the one with that name."""

    def __getitem__(self, name):
        for system in self._raw["systems"]:
            if system["name"] == name:
                return Result(system)
        return super().__getitem__(name)

    @property
    def systems(self):
        """The results, in the order of the experiments."""
        return Systems(self._raw["systems"])


class Systems(Table):
    """The results of a comparison."""

    def __getitem__(self, index):
        if isinstance(index, slice):
            return Systems(self._rows[index])
        return Result(self._rows[index])

    def to_pandas(self):
        """A row for each system, with its numbers and texts."""
        import pandas
        plain = [{name: value for name, value in system.items()
                  if not isinstance(value, (dict, list))} for system in self._rows]
        return pandas.DataFrame(plain)
