#!/usr/bin/env python3
"""Pages in a browser, without network: browser_test.py BUILD. Skipped where chromium is missing.

A copy of the page has the policy under which Jenkins serves artifacts, without scripts and styles.
Charts must show there too: each figure's colours are found in the screenshot.
"""
import html
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SVG, HTML = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xhtml}"
ORRERY = None
BROWSER = shutil.which("chromium-headless-shell") or shutil.which("chromium")
POLICY = ('<meta http-equiv="Content-Security-Policy" '
          'content="default-src \'none\'; img-src \'self\'; style-src \'self\'"/>')


def browse(folder, page, *arguments):
    return subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", *arguments,
         page.as_uri()], capture_output=True, text=True, timeout=120, check=True)


def pixels_of(png):
    """Colours of an 8-bit image of RGB or RGBA, as a set of (red, green, blue)."""
    data, at, parts = png.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
            assert depth == 8 and colour in (2, 6)
        if kind == b"IDAT":
            parts += data[at + 8:at + 8 + length]
        at += length + 12
    size = 4 if colour == 6 else 3
    raw, before, colours = zlib.decompress(parts), bytearray(width * size), set()
    for row in range(height):
        begin = row * (width * size + 1)
        line = unfiltered(raw[begin], bytearray(raw[begin + 1:begin + 1 + width * size]), before,
                          size)
        colours |= set(zip(line[0::size], line[1::size], line[2::size]))
        before = line
    return colours


def unfiltered(kind, line, above, size):
    """A row of a PNG, as RFC 2083 section 6 says."""
    for i, value in enumerate(line):
        left = line[i - size] if i >= size else 0
        up, corner = above[i], above[i - size] if i >= size else 0
        if kind == 1:
            value += left
        elif kind == 2:
            value += up
        elif kind == 3:
            value += (left + up) // 2
        elif kind == 4:
            guess = left + up - corner
            value += min((left, up, corner), key=lambda one: abs(guess - one))
        line[i] = value & 255
    return line


@unittest.skipUnless(BROWSER, "no chromium here: apt-get install chromium")
class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        done = subprocess.run([ORRERY, "run", "flat-vs-hier/hier.yaml", "-o", cls.folder / "out",
                               "--report", "--quiet"], capture_output=True, text=True,
                              cwd=ROOT / "examples")
        assert done.returncode == 0, done.stderr
        cls.page = cls.folder / "out/report.html"

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def strict(self):
        copy = self.folder / "strict.html"
        copy.write_text(self.page.read_text().replace("<head>", "<head>" + POLICY, 1))
        return copy

    def test_answers_are_shown_and_nothing_is_said(self):
        done = browse(self.folder, self.page, "--dump-dom")
        self.assertNotIn("CONSOLE", done.stderr)
        answers = [one for one in ElementTree.fromstring(self.page.read_text()).iter(HTML + "p")
                   if one.get("class") == "answer"]
        self.assertGreater(len(answers), 3)
        for answer in answers:
            self.assertIn("".join(answer.itertext()), html.unescape(done.stdout))

    def test_charts_show_under_a_strict_policy(self):
        picture = self.folder / "strict.png"
        browse(self.folder, self.strict(), f"--screenshot={picture}", "--window-size=1000,6000",
               "--hide-scrollbars")
        shown = pixels_of(picture)
        plain = {mark.get("fill")
                 for mark in ElementTree.fromstring(self.page.read_text()).iter(SVG + "rect")
                 if (mark.get("fill") or "").startswith("#") and mark.get("data-value")
                 and float(mark.get("width")) > 3 and float(mark.get("height")) > 3}
        self.assertGreater(len(plain), 1)
        for colour in plain:
            parts = tuple(int(colour[i:i + 2], 16) for i in (1, 3, 5))
            self.assertIn(parts, shown, colour)


if __name__ == "__main__":
    ORRERY = (pathlib.Path(sys.argv[1]) / "orrery").resolve()
    unittest.main(argv=sys.argv[:1])
