#!/usr/bin/env python3
"""The folder of a sweep, shared by several processes: sweep_store_test.py BUILD."""
import contextlib
import csv
import json
import os
import pathlib
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

ORRERY = None

# A ring of four, 1 chunk of 4 MB: 6 steps, each 1 MB at 1 GB/s, 2 x 1 us, and twice the delay.
JOB = """platform:
  topology:
    levels:
      - {name: fabric, kind: switch, size: 4, bandwidth: 1 GB/s, latency: 1 us}
system: {chunks: 1, all_reduce: {algorithms: ring}}
workload: {program: [{operations: [{all_reduce: 4 MB}]}]}
"""
SWEEP = """name: delays
experiments: job.yaml
vary: [{system.injection_latency: [0 us, 1 us, 2 us, 3 us, 4 us, 5 us, 6 us]}]
repeat: {seeds: 3}
where: injection_latency != 3 us or seed == 1
"""


def orrery(folder, *arguments, **options):
    return subprocess.run([ORRERY, *map(str, arguments)], cwd=folder, capture_output=True,
                          text=True, **options)


class Store(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        (self.folder / "job.yaml").write_text(JOB)
        (self.folder / "sweep.yaml").write_text(SWEEP)

    def tearDown(self):
        self.scratch.cleanup()

    def orrery(self, *arguments, code=0, **options):
        done = orrery(self.folder, *arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def collected(self, out):
        self.orrery("sweep", "collect", out)
        return [(self.folder / out / name).read_bytes() for name in ("runs.csv", "kinds.csv")]

    def test_seven_shards_collect_the_bytes_of_one_run(self):
        self.orrery("sweep", "run", "sweep.yaml", "-o", "one", "--quiet")
        for shard in range(7):
            self.orrery("sweep", "exec", "sweep.yaml", "-o", "seven", "--shard", f"{shard}/7")
        tables = self.collected("one")
        self.assertEqual(tables, self.collected("seven"))
        rows = tables[0].decode().splitlines()
        self.assertEqual(len(rows), 1 + 7 * 3 - 2)
        # 6 x (1000 us + 2 us + 2 x 5 us)
        self.assertEqual(sum(",6072000000," in row for row in rows), 3)
        self.assertIn(",all_reduce,6072000000,", tables[1].decode())

    def test_shards_on_hosts(self):
        """A stand-in for GNU parallel, which runs all here: 16 shards of each of two hosts, at most
        one for each point. The real one is in sweep_hosts_test.py."""
        self.orrery("sweep", "run", "sweep.yaml", "-o", "one", "--quiet")
        (self.folder / "hosts").write_text("# two\nnode1\n\n4/user@node2\n")
        stand_in = self.folder / "bin/parallel"
        stand_in.parent.mkdir()
        stand_in.write_text("""#!/bin/sh
while [ "$1" != ::: ]; do command=$1; shift; done
shift
for shard in "$@"; do eval "$(echo "$command" | sed "s/{}/$shard/")"; done
""")
        stand_in.chmod(0o755)
        path = {**os.environ, "PATH": f"{stand_in.parent}:{os.environ['PATH']}"}
        done = self.orrery("sweep", "run", "sweep.yaml", "-o", "two", "--hosts", "hosts", env=path)
        self.assertIn("19 of 19 points done", done.stdout)
        self.assertEqual(self.collected("one"), self.collected("two"))

        wrong = ("sweep", "run", "sweep.yaml", "-o", "three", "--hosts")
        done = self.orrery(*wrong, "hosts", code=3, env={**os.environ, "PATH": "/nowhere"})
        self.assertIn("parallel is not there: apt-get install parallel", done.stderr)
        (self.folder / "none").write_text("# node1\n")
        self.assertIn("none names no host", self.orrery(*wrong, "none", code=3).stderr)
        self.assertIn("no-file cannot be read", self.orrery(*wrong, "no-file", code=3).stderr)
        self.orrery(*wrong, "hosts", "--jobs", "2", code=2)

    def shards(self, out, count, *options, code=0):
        return [self.orrery("sweep", "exec", "sweep.yaml", "-o", out, "--shard", f"{i}/{count}",
                            *options, code=code) for i in range(count)]

    def test_a_line_for_each_point_collects_the_same_bytes(self):
        """--keep none and best:N, each point in a process or all in one."""
        self.orrery("sweep", "run", "sweep.yaml", "-o", "one", "--quiet")
        tables = self.collected("one")
        for out, count, folders, options in (
                ("none", 3, 0, ["--keep", "none"]),
                ("batch", 3, 0, ["--keep", "none", "--batch"]),
                ("best", 2, 4, ["--keep", "best:2"]),
                ("best-batch", 1, 4, ["--keep", "best:4", "--batch"]),
                ("all-batch", 2, 19, ["--batch"])):
            for _ in range(2):  # the second time nothing is left to do
                self.shards(out, count, *options)
            self.assertEqual(tables, self.collected(out), out)
            kept = sorted((self.folder / out).glob("points/*/result.json"))
            self.assertEqual(len(kept), folders, out)
            lines = [line for file in (self.folder / out).glob("shard-*.jsonl")
                     for line in file.read_text().splitlines()]
            self.assertEqual(len(lines), 0 if out == "all-batch" else 19, out)
        # A delay of 0 is fastest, then one of 1 us.
        delays = sorted(file.parent.name.split(",")[1] for file in
                        (self.folder / "best-batch").glob("points/*/result.json"))
        self.assertEqual(delays, 3 * ["injection_latency=0us"] + ["injection_latency=1us"])

    def test_lines_cut_short_and_of_other_inputs(self):
        self.shards("out", 1, "--keep", "none", "--batch")
        file = self.folder / "out/shard-0-of-1.jsonl"
        whole = self.collected("out")
        lines = file.read_text().splitlines(keepends=True)
        changed = json.loads(lines[3]) | {"inputs": "of another file"}
        file.write_text("".join(lines[:3]) + json.dumps(changed) + "\n" + "{}\nnoise\n" +
                        "".join(lines[4:-1]) + lines[-1][:40])
        self.assertIn("17 of 19 points done", self.orrery("sweep", "status", "out").stdout)
        self.shards("out", 1, "--keep", "none")
        self.assertEqual(whole, self.collected("out"))
        self.assertEqual(len(file.read_text().splitlines()), 3 + 1 + 2 + 14 + 1 + 2)
        # A number that the lines do not have: these points run again.
        with open(self.folder / "sweep.yaml", "a") as sweep:
            sweep.write("metrics: why.all_reduce.latency_ps\n")
        self.shards("out", 1, "--keep", "none", "--batch")
        self.assertIn("why.all_reduce.latency_ps", self.collected("out")[0].decode())
        self.assertNotIn(",,inputs", self.collected("out")[0].decode())

    def test_batches_killed_ten_times(self):
        self.orrery("sweep", "run", "sweep.yaml", "-o", "one", "--quiet")
        for moment in range(10):
            shard = subprocess.Popen([ORRERY, "sweep", "exec", "sweep.yaml", "-o", "out", "--shard", "0/1",
                                      "--quiet", "--batch", "--keep", "none"], cwd=self.folder)
            time.sleep(0.004 * moment)
            shard.send_signal(signal.SIGKILL)
            shard.wait(timeout=60)
        self.shards("out", 1, "--batch", "--keep", "none")
        self.assertEqual(self.collected("one"), self.collected("out"))

    def long_job(self):
        (self.folder / "job.yaml").write_text(JOB.replace("{program", "{iterations: 2000000, program"))
        (self.folder / "sweep.yaml").write_text("experiments: job.yaml\n")

    def test_limits_of_a_point(self):
        """Time ends a point twice; what needs more memory is refused."""
        self.long_job()
        begin = time.monotonic()
        for keep in ("all", "none"):
            self.shards("out", 1, "--time-limit", "1s", "--keep", keep, code=1)
            self.assertIn("stopped after --time-limit 1s", self.orrery("sweep", "status", "out").stdout)
        self.assertGreater(time.monotonic() - begin, 4)
        (self.folder / "job.yaml").write_text(  # ranks that start apart: each takes memory
            "platform: {topology: {levels: [{kind: switch, size: 200000, bandwidth: 1 GB/s, "
            "latency: 1 us}]}}\n"
            "workload: {skew: 1 us, program: [{operations: [{compute: 4 ms}]}]}\n")
        self.shards("small", 1, "--memory-limit", "64MB", code=1)
        self.assertIn("out of memory, of which this process may use 64 MB",
                      self.orrery("sweep", "status", "small").stdout)
        self.shards("small", 1)

    def test_a_sweep_takes_no_more_of_the_disk_than_it_may(self):
        """A point takes nine files of a block or two: 60 kB are less than three points."""
        done = self.orrery("sweep", "run", "sweep.yaml", "-o", "out", "--max-disk", "60kB", "--jobs", "1",
                           code=3)
        self.assertRegex(done.stderr, r"out has .*B, and --max-disk allows 60kB: 1\d of 19 points are left")
        self.assertIn("--keep none", done.stderr)
        self.orrery("sweep", "run", "sweep.yaml", "-o", "out", "--keep", "none")
        self.assertIn("19 of 19 points done", self.orrery("sweep", "status", "out").stdout)

    def test_a_shard_that_runs_twice_at_once(self):
        """As after a node failed and its task, which lives, was queued again."""
        command = [ORRERY, "sweep", "exec", "sweep.yaml", "-o", "out", "--shard", "0/1", "--jobs", "2",
                   "--force", "--quiet"]
        for _ in range(5):
            both = [subprocess.Popen(command, cwd=self.folder) for _ in range(3)]
            self.assertEqual([one.wait(timeout=60) for one in both], [0, 0, 0])
        self.assertIn("19 of 19 points done, 0 failed, 0 interrupted, 0 not begun",
                      self.orrery("sweep", "status", "out").stdout)
        self.assertEqual(list((self.folder / "out").rglob("*.unfinished")), [])

    def test_two_runs_share_the_points(self):
        """The same command twice at once: one begins with the first point, the other with the last
        one. Both end when all are done, and the bytes are those of one run."""
        self.orrery("sweep", "run", "sweep.yaml", "-o", "one", "--quiet")
        command = [ORRERY, "sweep", "run", "sweep.yaml", "-o", "out", "--jobs", "1", "--quiet"]
        first = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL)
        while not (self.folder / "out/sweep.json").exists():
            time.sleep(0.001)
        second = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL)
        self.assertEqual([one.wait(timeout=60) for one in (first, second)], [0, 0])
        self.assertEqual(self.collected("one"), self.collected("out"))
        self.assertEqual(len(list((self.folder / "out/points").iterdir())), 19)
        self.assertEqual(list((self.folder / "out").rglob("*.unfinished")), [])

    def test_shards_killed_ten_times(self):
        self.orrery("sweep", "run", "sweep.yaml", "-o", "one", "--quiet")
        for moment in range(10):
            shards = [subprocess.Popen([ORRERY, "sweep", "exec", "sweep.yaml", "-o", "out", "--shard",
                                        f"{shard}/2", "--quiet", "--force"], cwd=self.folder)
                      for shard in range(2)]
            time.sleep(0.01 * moment)
            for shard in shards:
                shard.send_signal(signal.SIGKILL)
                shard.wait(timeout=60)
        for shard in range(2):
            self.orrery("sweep", "exec", "sweep.yaml", "-o", "out", "--shard", f"{shard}/2")
        self.assertEqual(self.collected("one"), self.collected("out"))
        self.assertEqual(len(list((self.folder / "out/points").iterdir())), 19)

    def test_the_script_of_slurm(self):
        done = self.orrery("sweep", "slurm", "sweep.yaml", "-o", "out", "--shards", "4", "--time",
                           "90min", "--set", "workload.iterations=2", "--keep", "none", "--batch",
                           "--max-disk", "1GB")
        self.assertEqual(done.stdout, "sbatch out/sweep.sbatch\n")
        script = (self.folder / "out/sweep.sbatch").read_text()
        for line in ("--array=0-3", "--time=90", "--requeue", "--cpus-per-task=1"):
            self.assertIn(f"#SBATCH {line}\n", script)
        self.assertIn("0 of 19 points done", self.orrery("sweep", "status", "out").stdout)
        for task in range(4):
            subprocess.run(["bash", "out/sweep.sbatch"], cwd=self.folder, check=True,
                           stdout=subprocess.DEVNULL,
                           env=os.environ | {"SLURM_ARRAY_TASK_ID": str(task)})
        self.assertIn("19 of 19 points done", self.orrery("sweep", "status", "out").stdout)
        # Two iterations: 2 x 6 x (1000 + 2) us at no delay.
        self.assertIn(",12024000000,", self.collected("out")[0].decode())
        more = self.orrery("sweep", "slurm", "sweep.yaml", "-o", "out", "--shards", "90", "--time", "2h")
        self.assertIn("19 shards, since there are no more points", more.stderr)

    def test_a_full_disk(self):
        """A file system of 2 MB in a name space of its own: exit code 3, and the sweep goes on when
        there is room."""
        values = [f"{i} ns" for i in range(200)]
        (self.folder / "sweep.yaml").write_text(
            f"experiments: job.yaml\nvary: [{{system.injection_latency: {values}}}]\n")
        script = f"""mkdir small && mount -t tmpfs -o size=2m tmpfs small || exit 77
            '{ORRERY}' sweep run sweep.yaml -o small/out --quiet; echo $?
            mount -o remount,size=40m small
            '{ORRERY}' sweep run sweep.yaml -o small/out --quiet | tail -1 > /dev/null
            '{ORRERY}' sweep status small/out
            find small -name '*.unfinished' -o -name failed.json"""
        done = subprocess.run(["unshare", "--map-root-user", "--mount", "sh", "-c", script],
                              cwd=self.folder, capture_output=True, text=True)
        if done.returncode == 77 or done.returncode == 1 and "unshare" in done.stderr:
            self.skipTest("no name spaces here")
        self.assertIn("No space left on device", done.stderr)
        self.assertEqual(done.stdout, "3\nsweep: 200 of 200 points done, 0 failed, 0 interrupted, "
                                      "0 not begun\n")

    def test_what_fails_is_recorded_and_tried_again(self):
        """One rank never calls the barrier: stuck."""
        stuck = JOB.split("workload")[0]
        stuck += "workload: {program: [{ranks: 0-2, operations: [{barrier: true}]}]}\n"
        (self.folder / "stuck.yaml").write_text(stuck)
        (self.folder / "two.yaml").write_text("experiments: [job.yaml, stuck.yaml]\n")
        self.orrery("sweep", "run", "two.yaml", "-o", "out", code=1)
        status = self.orrery("sweep", "status", "out").stdout
        self.assertIn("1 of 2 points done, 1 failed", status)
        self.assertRegex(status, r"failed: stuck,\w+: exit code 1, peak memory .*B: .*stuck")
        failure = json.loads(next((self.folder / "out").glob("points/stuck,*/failed.json")).read_text())
        self.assertEqual((failure["exit_code"], failure["signal"]), (1, None))
        self.assertGreater(failure["peak_memory_bytes"], 1 << 20)
        self.assertIn(",failed,", self.collected("out")[0].decode())

    def test_a_signal_is_tried_again_once(self):
        """A limit on CPU time ends every attempt with SIGXCPU, 24."""
        (self.folder / "long.yaml").write_text(JOB.replace("{program", "{iterations: 2000000, program"))
        (self.folder / "one.yaml").write_text("experiments: long.yaml\n")

        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
        self.orrery("sweep", "run", "one.yaml", "-o", "out", "--quiet", code=1, preexec_fn=limit)
        self.assertRegex(self.orrery("sweep", "status", "out").stdout, r"signal (24|9), peak memory")

    def test_status_while_it_runs(self):
        (self.folder / "job.yaml").write_text(JOB.replace("{program", "{iterations: 2000000, program"))
        sweep = subprocess.Popen([ORRERY, "sweep", "run", "sweep.yaml", "-o", "out", "--jobs", "2",
                                  "--quiet"], cwd=self.folder, stderr=subprocess.DEVNULL)
        while len(list(self.folder.glob("out/points/*/log.txt"))) < 2:
            time.sleep(0.01)
        running = self.orrery("sweep", "status", "out").stdout
        sweep.kill()
        sweep.wait(timeout=60)
        self.assertIn("0 of 19 points done, 0 failed, 2 running, 17 not begun", running)
        time.sleep(0.2)
        self.assertIn("2 interrupted", self.orrery("sweep", "status", "out").stdout)

    def test_status_of_points_without_folders(self):
        """At the pace so far: the folder alone says it, whoever runs the points."""
        (self.folder / "job.yaml").write_text(JOB.replace("{program", "{iterations: 20000, program"))
        sweep = subprocess.Popen([ORRERY, "sweep", "exec", "sweep.yaml", "-o", "out", "--shard", "0/1",
                                  "--batch", "--keep", "none", "--quiet"], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lines = self.folder / "out/shard-0-of-1.jsonl"
        while sweep.poll() is None and not (lines.exists() and lines.read_text().count("\n") >= 2):
            time.sleep(0.01)
        running = self.orrery("sweep", "status", "out").stdout
        sweep.kill()
        sweep.wait(timeout=60)
        self.assertRegex(running, r"^delays: \d+ of 19 points done, 0 failed, \d+ running or not begun\n"
                                  r"about .* left: \d+ points in the last ")

    def test_metrics_are_columns_and_charts(self):
        """6 x (1000 + 2 + 2 d) us are exposed, of which 6 x 1000 us are bandwidth."""
        (self.folder / "sweep.yaml").write_text(
            SWEEP + "metrics: [exposed_by.all_reduce, why.all_reduce.bandwidth_ps, npus, packets.drops]\n")
        shown = self.orrery("sweep", "run", "sweep.yaml", "-o", "out").stdout
        self.assertLessEqual(max(map(len, shown.splitlines())), 100)
        self.orrery("sweep", "collect", "out")
        with open(self.folder / "out/runs.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["why.all_reduce.bandwidth_ps"] for row in rows}, {"6000000000"})
        with contextlib.closing(sqlite3.connect(self.folder / "out/sweep.sqlite")) as database:
            self.assertEqual(
                database.execute("SELECT seed, max(finish_ps), typeof(finish_ps), drops FROM runs "
                                 "GROUP BY seed ORDER BY seed").fetchall(),
                [(seed, 6 * (1002 + 12) * 10**6, "integer", None) for seed in (1, 2, 3)])
            names = [column[1] for column in database.execute("PRAGMA table_info(runs)")]
            self.assertEqual(names, list(rows[0]))
            self.assertEqual(database.execute("SELECT count(*), max(kind) FROM kinds").fetchall(),
                             [(19, "all_reduce")])
        self.assertEqual({row["exposed_by.all_reduce"] for row in rows},
                         {str(6 * (1002 + 2 * delay) * 10**6) for delay in range(7)})
        self.assertEqual({(row["npus"], row["packets.drops"]) for row in rows}, {("4", "")})
        self.orrery("report", "out", "--metric", "why.all_reduce.latency_ps")  # not in `metrics`
        page = (self.folder / "out/report.html").read_text()
        self.assertIn("why.all_reduce.latency", page)
        self.assertIn("no point of delays has the metric",
                      self.orrery("report", "out", "--metric", "packets.drops", code=3).stderr)

    def test_plan(self):
        plan = self.orrery("sweep", "plan", "sweep.yaml").stdout
        self.assertIn("delays: 19 points, which `where` leaves of 21\n", plan)
        self.assertIn("  system.injection_latency: 7 values\n  seed: 3 values\n", plan)
        self.assertEqual(plan.count("  orrery run job.yaml"), 3)
        self.assertRegex(plan, r"probes: .* \(3 of 19 points\)\nestimate: .* on disk")
        self.assertFalse((self.folder / "DIR").exists())

    def test_plan_of_a_million_points(self):
        values = list(range(1, 101))
        (self.folder / "large.yaml").write_text(
            f"experiments: job.yaml\nvary: [{{seed: {values}}}, {{system.chunks: {values}}}, "
            f"{{workload.iterations: {values}}}]\nwhere: chunks * iterations <= 5000\n")
        begin = time.monotonic()
        plan = self.orrery("sweep", "plan", "large.yaml", "--no-probe").stdout
        self.assertLess(time.monotonic() - begin, 10)  # 2 s on an idle machine
        products = sum(a * b <= 5000 for a in values for b in values)
        self.assertIn(f"large: {100 * products} points, which `where` leaves of 1000000", plan)

    def test_what_is_refused(self):
        for arguments, code, message in (
                (("sweep", "exec", "sweep.yaml", "-o", "out", "--shard", "7/7"), 2, "write I/N"),
                (("sweep", "exec", "sweep.yaml", "-o", "out", "--shard", "x"), 2, "write I/N"),
                (("sweep", "slurm", "sweep.yaml", "-o", "out", "--shards", "2", "--time", "soon"), 2,
                 "write 2h"),
                (("sweep", "run", "sweep.yaml", "-o", "out", "--keep", "some", "--time-limit", "3",
                  "--max-disk", "lots"), 2, "write all, none or best:10"),
                (("sweep", "exec", "sweep.yaml", "-o", "out", "--shard", "0/1", "--batch",
                  "--memory-limit", "4GB"), 2, "limits of a point need a process for each"),
                (("sweep", "status", "."), 3, "holds no sweep.json"),
                (("sweep", "collect", "nowhere"), 3, "holds no sweep.json")):
            self.assertIn(message, self.orrery(*arguments, code=code).stderr)


if __name__ == "__main__":
    ORRERY = str(pathlib.Path(sys.argv[1]).resolve() / "orrery")
    unittest.main(argv=sys.argv[:1])
