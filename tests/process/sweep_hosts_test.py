#!/usr/bin/env python3
"""A sweep over hosts by ssh, for real: sweep_hosts_test.py BUILD. Slow; skipped without GNU parallel
and sshd.

The two hosts are this machine: two sshd of their own on ports of their own, with keys of their own,
as root. The system's service is neither needed nor touched.
"""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ORRERY = None
POINTS = 400
CAN_RUN = os.geteuid() == 0 and all(map(shutil.which, ("parallel", "sshd", "ssh", "ssh-keygen")))
LATENCIES = ", ".join(f"{100 + i} ns" for i in range(POINTS))
SWEEP = f"""\
name: latencies
experiments: first-run/first.yaml
vary: [{{"platform.topology.levels[0].latency": [{LATENCIES}]}}]
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def children_of(process):
    """And theirs, the last first."""
    found = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True)
    for child in map(int, found.stdout.split()):
        yield from children_of(child)
        yield child


class Host:
    """This machine by another name and port."""

    def __init__(self, folder, name, alone=None):
        """`alone`: a folder that it has for itself."""
        self.name, self.port, self.key = name, free_port(), folder / "key"
        if not self.key.exists():
            for key in (self.key, folder / "host-key"):
                subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        settings = {"Port": self.port, "ListenAddress": "127.0.0.1", "HostKey": folder / "host-key",
                    "AuthorizedKeysFile": f"{self.key}.pub", "StrictModes": "no", "UsePAM": "no",
                    "PidFile": "none", "PermitRootLogin": "yes", "MaxStartups": "100"}
        options = [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]
        pathlib.Path("/run/sshd").mkdir(exist_ok=True)
        command = [shutil.which("sshd"), "-D", "-e", "-f", "/dev/null", *map(str, options)]
        if alone:
            command = ["unshare", "--mount", "sh", "-c", f'mount -t tmpfs none "{alone}" && exec "$@"',
                       "sh", *command]
        self.server = subprocess.Popen(command, stderr=subprocess.DEVNULL)

    def line(self):
        """Of a file of hosts: one job at a time, and how to get there."""
        return (f"1/ssh -p {self.port} -i {self.key} -o StrictHostKeyChecking=no -o "
                f"UserKnownHostsFile=/dev/null -o LogLevel=ERROR {self.name}\n")

    def die(self):
        """The host is gone, with all that it runs."""
        for process in [*children_of(self.server.pid), self.server.pid]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.server.wait()


@unittest.skipUnless(CAN_RUN, "needs root and apt-get install parallel openssh-server")
class Hosts(unittest.TestCase):
    def test_all_points_are_there_though_a_host_died(self):
        """When a quarter of the points is there, one of two hosts dies. The other one does the
        rest, the shard that was lost among it."""
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            study, out = folder / "study.yaml", folder / "out"
            shutil.copytree(ROOT / "examples/first-run", folder / "first-run")
            study.write_text(SWEEP)
            program = folder / "orrery"  # a build may replace the other one meanwhile
            shutil.copy(ORRERY, program)
            hosts = [Host(folder, "127.0.0.1"), Host(folder, "localhost")]
            file = folder / "hosts"
            file.write_text("".join(host.line() for host in hosts))
            results = lambda: len(list(out.glob("points/*/result.json")))
            sweep = subprocess.Popen([program, "sweep", "run", study, "-o", out, "--hosts", file],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                end = time.monotonic() + 120
                while results() < POINTS / 4 and sweep.poll() is None and time.monotonic() < end:
                    time.sleep(0.05)
                before = results()
                hosts[0].die()
                out_text, error = sweep.communicate(timeout=300)
            finally:
                sweep.kill()
                for host in hosts:
                    host.die()
            self.assertEqual(sweep.returncode, 0, error)
            self.assertLess(before, POINTS)
            self.assertEqual(results(), POINTS)
            self.assertIn(f"{POINTS} of {POINTS} points done", out_text)


    @unittest.skipUnless(shutil.which("rsync"), "needs apt-get install rsync")
    def test_results_are_fetched_from_hosts_that_share_no_folder(self):
        """What two hosts keep, folders or lines, is here afterwards, and nothing else is."""
        for keep in ("all", "none"):
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                study, out, program = folder / "study.yaml", folder / "out", folder / "orrery"
                shutil.copytree(ROOT / "examples/first-run", folder / "first-run")
                study.write_text(SWEEP)
                shutil.copy(ORRERY, program)
                out.mkdir()
                hosts = [Host(folder, name, alone=out) for name in ("127.0.0.1", "localhost")]
                file = folder / "hosts"
                file.write_text("".join(host.line() for host in hosts))
                time.sleep(1)  # until sshd listens
                command = [program, "sweep", "run", study, "-o", out, "--hosts", file, "--fetch",
                           "--keep", keep]
                try:
                    without = subprocess.run([one for one in command if one != "--fetch"],
                                             capture_output=True, text=True, timeout=300)
                    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
                finally:
                    for host in hosts:
                        host.die()
                self.assertIn(f"0 of {POINTS} points done", without.stdout)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"{POINTS} of {POINTS} points done", done.stdout)
                self.assertEqual(len(list(out.glob("points/*/result.json"))),
                                 POINTS if keep == "all" else 0)


if __name__ == "__main__":
    ORRERY = (pathlib.Path(sys.argv[1]) / "orrery").resolve()
    unittest.main(argv=sys.argv[:1])
