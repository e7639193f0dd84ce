#!/usr/bin/env python3
"""Do the published schemas say what the program reads? As an editor uses them: every example is
valid, and what is malformed in structure is not.

    published_schema_test.py BUILD

With python3-jsonschema and python3-yaml, where they are installed (scripts/setup --dev).
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

try:
    import jsonschema
    import yaml
except ImportError:
    jsonschema = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
MALFORMED = ROOT / "tests/frontends/yaml/malformed"
PARTS = ("platform", "system", "network", "workload")

# What a schema can see: keys, kinds of values, names of a few, numbers without a unit. It does not
# see keys that are given twice, other files, sums, and what fits together.
STRUCTURE = re.compile(
    r'unknown key "|the keys? [\w, "]+ (is|are) missing|this is a (map|list|single value), not a|'
    r'" has no unit|is unknown here: (did|use)|begins with a zero|is not a truth value|'
    r'exclude each other|there is no value|the list is empty|is negative: |'
    r'is out of range: it must be (at least|greater than|from)')
# Messages of these are of other files than the one that is looked at, or of what a device needs.
OF_OTHER_FILES = {"101_config_wrong", "67_file_with_errors", "45_no_peak", "95_training_interleaved"}


def loader():
    """As Orrery reads YAML: the rules of version 1.2 for what is a number, no merge keys."""
    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        yaml_implicit_resolvers = {}
    for tag, pattern, first in (("bool", "true|false", "tf"), ("int", "[-+]?[0-9]+", "-+0123456789"),
                                ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?",
                                 "-+.0123456789"), ("null", "~|null|", ["~", "n", ""])):
        Loader.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(f"^(?:{pattern})$"),
                                     list(first))
    return Loader


class PublishedSchemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if jsonschema is None:
            raise unittest.SkipTest("python3-jsonschema and python3-yaml are not installed")
        cls.loader = loader()
        cls.validators = {}
        for kind in ("experiment", "sweep", *PARTS):
            schema = json.loads(subprocess.run([BUILD / "orrery", "schema", "--of", kind], check=True,
                                               stdout=subprocess.PIPE).stdout)
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["$id"] == f"urn:orrery:schema:{kind}"
            cls.validators[kind] = jsonschema.Draft202012Validator(schema)

    def read(self, file):
        return yaml.load(file.read_text(encoding="utf-8"), self.loader)

    def errors(self, kind, value):
        return [f"{error.json_path}: {error.message[:200]}"
                for error in self.validators[kind].iter_errors(value)]

    def test_every_example_is_valid(self):
        files = sorted((ROOT / "examples").rglob("*.yaml"))
        self.assertGreater(len(files), 100)
        for file in files:
            value = self.read(file)
            with self.subTest(file=str(file.relative_to(ROOT))):
                if "experiments" in value:
                    self.assertEqual(self.errors("sweep", value), [])
                elif "workload" in value or "traffic" in value:
                    self.assertEqual(self.errors("experiment", value), [])
                else:  # a part, which other files name
                    self.assertTrue(any(not self.errors(kind, value) for kind in PARTS))

    def test_every_platform_is_valid(self):
        for file in sorted((ROOT / "platforms").glob("*.yaml")):
            with self.subTest(file=file.name):
                self.assertEqual(self.errors("platform", self.read(file)), [])

    def test_what_is_malformed_in_structure_is_not_valid(self):
        seen = 0
        for file in sorted(MALFORMED.glob("*.yaml")):
            if file.stem in OF_OTHER_FILES:
                continue
            if not STRUCTURE.search(file.with_suffix(".expected").read_text(encoding="utf-8")):
                continue
            with self.subTest(file=file.name):
                seen += 1
                value = self.read(file)
                kind = "sweep" if isinstance(value, dict) and "experiments" in value else "experiment"
                self.assertNotEqual(self.errors(kind, value), [])
        self.assertGreater(seen, 30)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(testRunner=unittest.TextTestRunner(stream=sys.stdout))
