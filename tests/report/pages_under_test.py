"""The pages that tests read, of a pipeline of 16 stages and of two systems side by side."""
import json
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SVG, HTML = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xhtml}"
PROGRAM = []  # the path of orrery, once a test knows it

# A pipeline of 16 stages over 128 GPUs.
PIPELINE = [ROOT / "examples/llm-parallelism/inside.yaml", "--set",
            "platform.topology.levels[1].size=16", "--set", "workload.training.pipeline=16",
            "--activity", "--matrix", "--report"]


def orrery(*arguments):
    done = subprocess.run([*PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT)
    return done


def simulated(folder, *arguments):
    done = orrery("run", *arguments, "-o", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "result.json").read_text())


def as_everywhere(result):
    """The result without what differs from build to build, and without keys that a new feature
    adds."""
    kept = result["provenance"]["configuration"]
    result["provenance"]["configuration"] = {
        key: value for key, value in kept.items() if key.startswith("platform.")}
    result["provenance"]["origins"] = {"platform.npu.preset": "job.yaml:2"}
    result["provenance"] |= {"version": "0", "commit": "0", "inputs": "0",
                             "command": "orrery run pipeline.yaml"}
    return result


def page_of(folder, *results):
    """The page of results, given as JSON."""
    files = []
    for i, result in enumerate(results):
        files.append(folder / f"result{i}.json")
        files[-1].write_text(json.dumps(result))
    page = folder / "page.html"
    done = orrery("report", *files, "-o", page)
    assert done.returncode == 0, done.stderr
    return page.read_text()


def tree_of(page):
    return ElementTree.fromstring(page)


class PipelinePage(unittest.TestCase):
    """A test that reads the page of the pipeline."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.result = as_everywhere(simulated(cls.folder / "pipeline", *PIPELINE))
        cls.page = page_of(cls.folder, cls.result)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()
