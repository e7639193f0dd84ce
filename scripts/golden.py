"""Golden transcripts: examples/<name>/expected.txt is what a reader would see in a terminal.

    $ orrery run hier.yaml
    ...its standard output, to the byte...
    [exit code 2]                only if it is not 0

Several commands may follow each other. They run in the example's folder, through bash. Lines that
begin with "host:" (run time and memory of this machine) are neither compared nor kept. A first line
"# slow" puts the example into the slow test tier. tests/examples_test.py compares,
scripts/update_goldens.py rewrites.
"""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
SLOW = "# slow"


def examples(root=ROOT):
    """Every example folder, sorted; one without expected.txt is an error the callers report."""
    return sorted(folder for folder in (root / "examples").iterdir() if folder.is_dir())


def is_slow(transcript):
    return transcript.splitlines()[:1] == [SLOW]


def commands(transcript):
    return [line[2:] for line in transcript.splitlines() if line.startswith("$ ")]


def replay(transcript, folder, binary_folder):
    """Runs the transcript's commands again; returns the transcript as it is now."""
    environment = dict(os.environ, NO_COLOR="1")
    environment["PATH"] = f"{pathlib.Path(binary_folder).resolve()}:{environment['PATH']}"
    lines = [SLOW] if is_slow(transcript) else []
    for command in commands(transcript):
        ran = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
        lines.append(f"$ {command}")
        lines += [line for line in ran.stdout.splitlines() if not line.startswith("host:")]
        if ran.returncode != 0:
            lines.append(f"[exit code {ran.returncode}]")
    return "\n".join(lines) + "\n"
