"""Orrery from Python: what does a training iteration cost on hardware you do not have?

    import orrery
    result = orrery.run("exp.yaml", {"system.chunks": 16})
    result.finish_ps, result.layers.to_pandas()

The functions start the program `orrery` and read what it prints; docs/how-to/python.md has examples.
"""
from .commands import batch, coll, compare, run, sweep
from .errors import (ConfigError, FilesError, InternalError, OrreryError, Problem, ProgramNotFound,
                     SimulationError)
from .program import find_program, version
from .results import Record, Result, Table

__all__ = ["batch", "coll", "compare", "run", "sweep",
           "ConfigError", "FilesError", "InternalError", "OrreryError", "Problem",
           "ProgramNotFound", "SimulationError",
           "find_program", "version", "Record", "Result", "Table"]
