#!/usr/bin/env python3
"""A sweep as an array of Slurm, for real: sweep_slurm_test.py BUILD. Slow; skipped without Slurm.

A controller, a node and munge of their own run on this machine, as root, on ports and in a folder of
their own: slurm-wlm of Debian, whose system services are neither needed nor touched.
"""
import json
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
SHARDS, POINTS = 200, 2_000
NEEDED = ("slurmctld", "slurmd", "munged", "sbatch", "squeue")
CAN_RUN = os.geteuid() == 0 and all(map(shutil.which, NEEDED))

LATENCIES = ", ".join(f"{100 + i} ns" for i in range(POINTS))
SWEEP = f"""\
name: latencies
experiments: first-run/first.yaml
vary: [{{"platform.topology.levels[0].latency": [{LATENCIES}]}}]
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """One node of as many CPUs as this machine has."""

    def __init__(self, folder):
        self.folder = folder
        folder.chmod(0o755)
        for name in ("state", "spool", "munge"):
            (folder / name).mkdir(mode=0o755)
        key = folder / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        controller, node = free_ports(2)
        host = socket.gethostname().split(".")[0]
        configuration = folder / "slurm.conf"
        configuration.write_text(f"""\
ClusterName=orrery
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
SlurmUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
KillWait=2
SchedulerParameters=requeue_delay=1,bf_interval=5,sched_min_interval=100000
MaxArraySize=10001
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
""")
        self.environment = os.environ | {"SLURM_CONF": str(configuration)}
        self.daemons = {}
        self.start("munged", "--foreground", "--force", f"--key-file={key}",
                   f"--socket={folder}/munge/socket", f"--pid-file={folder}/munge/pid",
                   f"--log-file={folder}/munge/log", f"--seed-file={folder}/munge/seed")
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D")
        self.wait(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%t"), 60)

    def start(self, name, *arguments):
        with open(self.folder / f"{name}.out", "ab") as log:
            self.daemons[name] = subprocess.Popen([shutil.which(name), *arguments], stdout=log,
                                                  stderr=log, env=self.environment)

    def ask(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment,
                              timeout=60)
        return done.stdout + done.stderr

    def wait(self, is_done, seconds, progress=lambda: None):
        """So long at most without progress: a busy machine takes its time."""
        end, before = time.monotonic() + seconds, None
        while not is_done():
            if (now := progress()) != before:
                end, before = time.monotonic() + seconds, now
            if time.monotonic() > end:
                logs = [(self.folder / name).read_text()[-2000:]
                        for name in ("slurmctld.log", "slurmd.log") if (self.folder / name).exists()]
                raise AssertionError("\n".join(logs))
            time.sleep(0.5)

    def lose_node(self):
        """The node's daemon, those of its steps and what they run die at once. Slurm learns of it
        when the daemon is there again."""
        node = self.daemons["slurmd"]
        node.kill()
        self.kill_tasks()
        node.wait()
        self.start("slurmd", "-D")

    def kill_tasks(self):
        """Steps, and the programs that they run: of this cluster, whose folder they know."""
        steps = [int(step) for step in self.ask("pgrep", "-f", "slurmstepd").split()
                 if self.is_of(int(step))]
        running = self.ask("pgrep", "-f", f"{self.folder.parent}/.*--shard").split()
        for process in (*steps, *map(int, running)):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def is_of(self, process):
        try:
            environment = pathlib.Path(f"/proc/{process}/environ").read_bytes()
        except OSError:
            return False
        return str(self.folder).encode() in environment

    def close(self):
        for name in reversed(self.daemons):
            self.daemons[name].kill()
            self.daemons[name].wait()
        self.kill_tasks()


@unittest.skipUnless(CAN_RUN, "needs root and apt-get install slurm-wlm")
class Slurm(unittest.TestCase):
    def test_all_points_are_there_though_a_node_was_lost(self):
        """200 tasks of 10 points. When a quarter is there, the node dies and comes back: Slurm puts
        its tasks in the queue again, and 2,000 results are whole, each of one point."""
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            study, out = folder / "study.yaml", folder / "out"
            shutil.copytree(ROOT / "examples/first-run", folder / "first-run")
            study.write_text(SWEEP)
            program = folder / "orrery"  # a build may replace the other one meanwhile
            shutil.copy(ORRERY, program)
            done = subprocess.run([program, "sweep", "slurm", study, "-o", out, "--shards",
                                   str(SHARDS), "--time", "10min"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            (folder / "cluster").mkdir()
            cluster = Cluster(folder / "cluster")
            try:
                lines = [line for line in (done.stdout + done.stderr).splitlines()
                         if "sbatch " in line]
                submit = lines[-1][lines[-1].index("sbatch "):].split()
                self.assertIn("Submitted batch job", cluster.ask(*submit))
                results = lambda: len(list(out.glob("points/**/result.json")))
                cluster.wait(lambda: results() >= POINTS / 4, 300, results)
                cluster.lose_node()
                cluster.wait(lambda: not cluster.ask("squeue", "-h").strip(), 300, results)
            finally:
                cluster.close()
            self.assertEqual(results(), POINTS)
            status = subprocess.run([ORRERY, "sweep", "status", out],
                                    capture_output=True, text=True)
            self.assertIn("2000", status.stdout.replace(",", ""))
            collected = subprocess.run([ORRERY, "sweep", "collect", out],
                                       capture_output=True, text=True)
            self.assertEqual(collected.returncode, 0, collected.stderr)
            rows = (out / "runs.csv").read_text().splitlines()
            self.assertEqual(len(rows), POINTS + 1)
            self.assertTrue(all(",ok," in row for row in rows[1:]))
            tasks = [(out / f"slurm-{shard}.txt").read_text() for shard in range(SHARDS)]
            self.assertTrue(all("10 of 10 points" in text for text in tasks))


if __name__ == "__main__":
    ORRERY = (pathlib.Path(sys.argv[1]) / "orrery").resolve()
    unittest.main(argv=sys.argv[:1])
