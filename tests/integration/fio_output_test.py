"""Our answer in fio's words beside fio's own, for the same jobs on the same file: every key that fio prints is there,
with the same type, and the numbers agree with each other by fio's rules."""

import json
import re
import shutil
import subprocess

from harness import BUILD, LabTest

RENDER = str(BUILD / "bin" / "fio_render")
# Their keys are data: the buckets that something fell into, and what the user asked for.
OPEN_OBJECTS = {"bins", "job options", "global options"}
# A snapshot is consistent per field only, and on a busy machine its reader may lose the CPU between two fields. This
# much of a window may go by then; what must be exact is tested on results made by hand.
IN_PASSING = 0.01
TYPES = {int: "integer", float: "real", str: "text", dict: "object", list: "array", bool: "bool"}


def differences(theirs, ours, path="$"):
    """Where `ours` lacks a key of `theirs`, has one more, or another type."""
    if type(theirs) is not type(ours):
        return [f"{path}: fio has {TYPES[type(theirs)]}, we have {TYPES[type(ours)]}"]
    found = []
    if isinstance(theirs, dict):
        if path.rsplit(".", 1)[-1] in OPEN_OBJECTS:
            values = [*theirs.values(), *ours.values()]
            return [] if len({type(value) for value in values}) <= 1 else [f"{path}: mixed types"]
        found += [f"{path}.{key}: only in fio's" for key in theirs if key not in ours]
        found += [f"{path}.{key}: only in ours" for key in ours if key not in theirs]
        found += [] if list(theirs) == list(ours) or found else [f"{path}: another order of keys"]
        for key in theirs:
            if key in ours:
                found += differences(theirs[key], ours[key], f"{path}.{key}")
    elif isinstance(theirs, list):
        if len(theirs) != len(ours):
            found.append(f"{path}: fio has {len(theirs)} elements, we have {len(ours)}")
        for at, (left, right) in enumerate(zip(theirs, ours)):
            found += differences(left, right, f"{path}[{at}]")
    return found


class FioOutput(LabTest):
    def setUp(self):
        super().setUp()
        if shutil.which("fio") is None:
            self.skipTest("fio is not installed: nothing to compare our output with (apt-get install fio)")
        self.file = self.dir / "file"
        self.file.write_bytes(b"\x5a" * (16 << 20))

    def fio(self, output_format, **options):
        """fio's answer for two jobs' worth of options; True stands for a switch."""
        command = ["fio", "--name=job", f"--filename={self.file}", "--size=16m", "--runtime=1", "--time_based"]
        command += [f"--{key}" if value is True else f"--{key}={value}" for key, value in options.items()]
        ran = subprocess.run([*command, f"--output-format={output_format}"], capture_output=True, text=True, timeout=60)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def bundle(self, pattern, workers=1, engine="psync", depth=1, direct="yes"):
        plan = self.dir / "plan.yaml"
        plan.write_text(
            "stages:\n- jobs:\n    job:\n      workload: block\n"
            f"      targets: [{self.file}]\n      workers: {workers}\n      per_worker: yes\n"
            f"      options: {{engine: {engine}, direct: {direct}, pattern: {pattern}, block_size: 4KiB,"
            f" size: 16MiB, queue_depth: {depth}}}\n"
            "  time: {measure: 2s}\n"
        )
        ran = self.assay("run", plan)
        self.assertIn(ran.code, (0, 4, 5), ran.err)  # verdicts are not what this is about
        return ran.bundle / "result.json"

    def render(self, output_format, result, *options):
        ran = subprocess.run([RENDER, output_format, str(result), *options], capture_output=True, text=True, timeout=60)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def expect_same_keys(self, theirs, ours):
        theirs, ours = json.loads(theirs), json.loads(ours)
        for side in (theirs, ours):
            side["disk_util"] = side.get("disk_util", [])[:1]  # the disks below a device mapper are a matter of fio's
        self.assertEqual(differences(theirs, ours), [])
        return ours

    def test_reads_have_the_keys_and_types_of_fio(self):
        theirs = self.fio("json", rw="randread", bs="4k", direct=1)
        ours = self.render("json", self.bundle("randread"), "rw=randread", "bs=4k", "numjobs=1", "iodepth=1")
        self.expect_same_keys(theirs, ours)

    def test_writes_with_bins_have_the_keys_and_types_of_fio(self):
        theirs = self.fio("json+", rw="write", bs="4k", direct=1, description="why", lat_percentiles=1, continue_on_error="all")
        words = ("rw=write", "description=why", "lat_percentiles=1", "continue_on_error=all")
        ours = self.render("json+", self.bundle("write"), *words)
        entry = self.expect_same_keys(theirs, ours)["jobs"][0]
        clat = entry["write"]["clat_ns"]
        self.assertEqual(sum(clat["bins"].values()), clat["N"])
        self.assertAlmostEqual(clat["N"], entry["write"]["total_ios"], delta=IN_PASSING * clat["N"])

    def test_clones_of_a_mix_are_told_apart_as_fio_does(self):
        options = {"rw": "randrw", "bs": "4k", "direct": 1, "ioengine": "libaio", "iodepth": 4, "numjobs": 3}
        result = self.bundle("randrw", workers=3, engine="libaio", depth=4)
        ours = self.expect_same_keys(self.fio("json", **options), self.render("json", result, "rw=randrw"))
        self.assertEqual(len(ours["jobs"]), 3)
        grouped = self.render("json", result, "rw=randrw", "group_reporting=")
        grouped = self.expect_same_keys(self.fio("json", group_reporting=True, **options), grouped)
        self.assertEqual(len(grouped["jobs"]), 1)
        for direction in ("read", "write"):
            whole = grouped["jobs"][0][direction]
            for key in ("io_bytes", "total_ios"):
                self.assertEqual(sum(job[direction][key] for job in ours["jobs"]), whole[key])
            self.assertEqual(sum(job[direction]["clat_ns"]["N"] for job in ours["jobs"]), whole["clat_ns"]["N"])
            self.assertEqual(max(job[direction]["clat_ns"]["max"] for job in ours["jobs"]), whole["clat_ns"]["max"])
        self.assertEqual(grouped["jobs"][0]["iodepth_level"]["4"], 100.0)

    def test_what_readers_in_the_field_ask_for_resolves(self):
        result = self.bundle("randread")
        ours = json.loads(self.render("json", result, "rw=randread", "bs=4k", "numjobs=1", "iodepth=1"))
        entry = ours["jobs"][0]
        for key in ("iodepth", "numjobs", "bs", "rw"):  # fio-plot
            self.assertIsInstance(entry["job options"][key], str)
        read = entry["read"]
        for value in (read["bw"], read["iops"], read["iops_stddev"], read["lat_ns"]["mean"], read["lat_ns"]["stddev"],
                      entry["usr_cpu"], entry["sys_cpu"]):
            self.assertGreaterEqual(value, 0)
        shares = [value for table in ("latency_ns", "latency_us", "latency_ms") for value in entry[table].values()]
        self.assertAlmostEqual(sum(shares), 100, delta=0.3)  # a share too small to print is rounded up
        # The units hold together: bytes over time, KiB of bytes, operations of 4 KiB.
        self.assertAlmostEqual(read["bw_bytes"], read["io_bytes"] * 1000 / read["runtime"], delta=read["bw_bytes"] / 1000)
        self.assertEqual(read["bw"], read["bw_bytes"] // 1024)
        self.assertAlmostEqual(read["iops"] * 4096, read["bw_bytes"], delta=read["bw_bytes"] * IN_PASSING)
        self.assertAlmostEqual(read["io_bytes"], read["total_ios"] * 4096, delta=read["io_bytes"] * IN_PASSING)
        self.assertLess(abs(read["runtime"] - 2000), 100)
        # One request at a time: the mean latency in ns cannot exceed the time an operation takes, nor be far below.
        self.assertLess(read["lat_ns"]["mean"], 1e9 / read["iops"])
        self.assertGreater(read["lat_ns"]["mean"], 0.3e9 / read["iops"])
        jq = shutil.which("jq")
        if jq:
            text = self.render("json", result)
            for path in (".jobs[0].read.bw", ".jobs[0].read.bw_bytes", ".jobs[0].read.iops", ".jobs[].read.lat_ns.mean",
                         '.jobs[0].read.clat_ns.percentile."99.000000"'):
                ran = subprocess.run([jq, "-e", path], input=text, capture_output=True, text=True, timeout=30)
                self.assertEqual(ran.returncode, 0, path)

    def test_fios_own_helper_reads_our_bins(self):
        helper = shutil.which("fio_jsonplus_clat2csv")
        if helper is None:
            self.skipTest("fio_jsonplus_clat2csv is not installed: it comes with Debian's fio")
        ours = self.dir / "ours.json"
        ours.write_text(self.render("json+", self.bundle("randread")))
        ran = subprocess.run([helper, str(ours), str(self.dir / "clat.csv")], capture_output=True, text=True, timeout=60)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        rows = [line.split(", ") for line in (self.dir / "clat_job0.csv").read_text().splitlines()]
        clat = json.loads(ours.read_text())["jobs"][0]["read"]["clat_ns"]
        cumulative = rows[0].index("read_clat_ns_cumulative")
        self.assertEqual(int(rows[-1][cumulative]), clat["N"])
        self.assertEqual(len(rows) - 1, len(clat["bins"]))

    def test_the_lines_of_the_normal_output_are_those_of_fio(self):
        def heads(text):
            """What stands before the first value of a line, numbers as N."""
            found = set()
            for line in text.splitlines():
                head = re.sub(r"\d+", "N", re.split(r"[=:]", line)[0])
                if re.match(r"\s+\|", line) or not line.strip():
                    continue
                found.add(re.sub(r"\((nsec|usec|msec)\)", "(unit)", head.replace("MiB/s", "KiB/s")))
            return found

        theirs = self.fio("normal", rw="randrw", bs="4k", direct=1, continue_on_error="all")
        theirs = theirs[theirs.index("\njob: (groupid=0") :]
        ours = self.render("normal", self.bundle("randrw"), "continue_on_error=all")
        disks = {head for head in heads(theirs) | heads(ours) if "Disk stats" in head or re.match(r"  \w+$", head)}
        keep = {"  read", "  write"}
        self.assertEqual(heads(theirs) - disks | keep, heads(ours) - disks | keep)
        number = r"\d+(\.\d+)?[kMG]?"
        rate = rf"{number}(Ki|Mi|Gi)?B/s"
        line = rf"  read: IOPS={number}, BW={rate} \({number}[kMG]?B/s\)\({number}(Ki|Mi|Gi)?B/\d+msec\)"
        for text in (theirs, ours):
            self.assertRegex(text, rf"(?m)^{line}$")
            self.assertRegex(text, r"(?m)^job: \(groupid=0, jobs=1\): err= 0: pid=\d+: \w{3} \w{3} [ \d]\d [\d:]{8} \d{4}$")
            self.assertRegex(text, r"(?m)^     \|  1.00th=\[ *\d+\],  5.00th=\[ *\d+\], 10.00th=\[ *\d+\],")
            self.assertRegex(text, r"(?m)^     issued rwts: total=\d+,\d+,0,0 short=0,0,0,0 dropped=0,0,0,0$")
            self.assertRegex(text, rf"(?m)^   READ: bw={rate} \(.*\), {rate}-{rate} \(.*\), io=.*, run=\d+-\d+msec$")

    def test_the_terse_line_has_as_many_fields_as_fios(self):
        theirs = self.fio("terse", rw="randread", bs="4k", direct=1).strip().split(";")
        ours = self.render("terse", self.bundle("randread"), "rw=randread").strip().split(";")
        before_disks = 5 + 2 * 41 + 5 + 7 + 22
        self.assertGreaterEqual(len(theirs), before_disks)
        self.assertGreaterEqual(len(ours), before_disks)
        shape = lambda fields: [re.sub(r"\d+(\.\d+)?", "N", field) for field in fields[5:before_disks]]
        self.assertEqual(shape(theirs), shape(ours))
