"""The program: where it is, and how it runs and ends."""
import os
import shutil
import signal
import subprocess

from .errors import ProgramNotFound

PATIENCE_S = 10  # what an interrupted program may take to write what it has


def find_program():
    """The path of the program: the environment variable ORRERY, else `orrery` on PATH."""
    named = os.environ.get("ORRERY")
    found = shutil.which(named or "orrery")
    if found:
        return found
    if named:
        raise ProgramNotFound(f"ORRERY={named} is no program")
    raise ProgramNotFound("there is no program orrery on PATH: install the package orrery, or set "
                          "the environment variable ORRERY to its path")


def version():
    """The version of the program, as it prints it."""
    return finished(["version"])[1].strip()


def start(arguments, files=(), **streams):
    """A process. It gets no Ctrl-C of the terminal: interrupt() ends it."""
    return subprocess.Popen([find_program(), *map(str, arguments)], pass_fds=files,
                            start_new_session=True, encoding="utf-8", errors="replace", **streams)


def interrupt(process, wait):
    """As Ctrl-C does; kills what does not end soon. `wait`: of the process, with a timeout."""
    process.send_signal(signal.SIGINT)
    try:
        wait(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        wait()


def finished(arguments, files=()):
    """(exit code, standard output, standard error). KeyboardInterrupt ends the program first."""
    process = start(arguments, files, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE)
    try:
        out, error = process.communicate()
    except BaseException:
        interrupt(process, process.communicate)
        raise
    return process.returncode, out, error


def text_of(path):
    """As an argument of the program: a name that begins with - is no option."""
    text = os.fspath(path)
    return f"./{text}" if text.startswith("-") else text
