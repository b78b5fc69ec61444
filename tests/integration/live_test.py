"""What a person sees while `assay run` goes on, looked at through tmux: the screen, keys, resizing, and what is left
behind on the terminal; and the plain lines where there is no terminal.
"""

import json
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import time
import unicodedata
import unittest

from harness import ASSAY, BUILD, LabTest

WAIT_S = 10


class Terminal:
    """A shell in a tmux server of its own, so that nobody's sessions and settings play a part."""

    def __init__(self, directory, columns, rows):
        self.server = ["tmux", "-f", os.devnull, "-S", str(directory / f"tmux-{time.monotonic_ns()}")]
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "PS1": "$ "}
        environment.pop("TMUX", None)
        started = subprocess.run(
            [*self.server, "new-session", "-d", "-x", str(columns), "-y", str(rows), "sh"],
            env=environment, cwd=directory, capture_output=True, text=True,
        )
        if started.returncode != 0:
            raise AssertionError(f"tmux does not start: {started.stderr.strip()}")

    def tmux(self, *arguments):
        return subprocess.run([*self.server, *arguments], capture_output=True, text=True, check=True).stdout

    def close(self):
        subprocess.run([*self.server, "kill-server"], capture_output=True)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def press(self, key):
        self.tmux("send-keys", key)

    def run(self, *command):
        """Starts a command; `exit=CODE` follows when it is over. A sanitizer leaves crashes to the program."""
        own = ["env", "ASAN_OPTIONS=handle_segv=0:handle_abort=0", "TSAN_OPTIONS=handle_segv=0:handle_abort=0"]
        self.type(shlex.join([*own, *map(str, command)]) + '; echo "exit=$?"')
        self.press("Enter")

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def wait_for(self, pattern, seconds=WAIT_S):
        """The screen, as soon as it matches."""
        deadline = time.monotonic() + seconds
        while True:
            screen = self.screen()
            if re.search(pattern, screen, re.MULTILINE):
                return screen
            if time.monotonic() > deadline:
                raise AssertionError(f"no {pattern!r} within {seconds} s on:\n{screen}")
            time.sleep(0.1)

    def alternate(self):
        return self.tmux("display-message", "-p", "#{alternate_on}").strip() == "1"

    def pid_of(self, name):
        """Of a child of the pane's shell."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        return int(subprocess.run(["pgrep", "-P", shell, name], capture_output=True, text=True, check=True).stdout)


def columns_of(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line.rstrip())


class Live(LabTest):
    def command(self, *arguments, measure="60s", interval="200ms"):
        self.bundle = self.dir / "bundle"
        return [
            ASSAY, "run", "block", "--target", self.data_file(4), "--pattern", "randread", "--block-size", "4KiB",
            "--measure", measure, "--interval", interval, "--output", self.bundle, *arguments,
        ]


@unittest.skipIf(shutil.which("tmux") is None, "tmux is not installed: the live screen is not looked at")
class Screen(Live):
    def terminal(self, columns=100, rows=30):
        terminal = Terminal(self.dir, columns, rows)
        self.addCleanup(terminal.close)
        return terminal

    def started(self, *arguments, columns=100, rows=30):
        terminal = self.terminal(columns, rows)
        terminal.run(*self.command(*arguments))
        terminal.wait_for(r"latency +p50 [\d.]+ [um]s")
        return terminal

    def assert_sane(self, terminal):
        self.assertFalse(terminal.alternate(), "the normal screen is back")
        mark = time.monotonic_ns()  # not what an earlier look left on the screen
        terminal.type(f"clear; stty -a; echo mark={mark}")
        terminal.press("Enter")
        modes = terminal.wait_for(rf"^mark={mark}")
        for mode in ("echo", "icanon", "isig"):
            self.assertRegex(modes, rf"(?m)(^| ){mode}\b")
        self.assertIn("susp = ^Z", modes)
        self.assertEqual(terminal.tmux("display-message", "-p", "#{cursor_flag}").strip(), "1", "the cursor is shown")

    def test_rates_latency_history_and_progress_are_shown_and_q_keeps_the_result(self):
        terminal = self.started("--warmup", "1s")
        terminal.wait_for(r"^ warm-up ")
        screen = terminal.wait_for(r"^ measuring ")
        self.assertTrue(terminal.alternate())
        self.assertRegex(screen, r"^ assay  block +\d:\d\d\n")
        self.assertRegex(screen, r"█+░+ +\d+ %  +(\d+ min )?\d+ s left")
        self.assertRegex(screen, r"randread +[\d.]+[kM]? IOPS +[\d.]+ [KMG]iB/s +[\d.]+ in flight +no errors")
        self.assertRegex(screen, r"latency +p50 [\d.]+ [um]s +p99 [\d.]+ [um]s +p99\.9 [\d.]+ [um]s +max [\d.]+ [um]s")
        terminal.wait_for(r"^ rate .*[▁▂▃▄▅▆▇█]{2}.*max")
        terminal.wait_for(r"(?s)^ p99 .*max [\d.]+ [um]s.*[▁▂▃▄▅▆▇█]{2}")
        self.assertRegex(screen, r"q stop +\(results so far are kept\)")
        self.assertEqual(screen.count("\n"), 30)

        terminal.press("q")
        after = terminal.wait_for(r"exit=\d+")
        self.assertIn("exit=130", after)
        self.assertRegex(after, r"randread|read ", "the summary is on the normal screen")
        self.assertRegex(after.lower(), "cut short")
        result = json.loads((self.bundle / "result.json").read_text())
        self.assertTrue(result["cut_short"])
        self.assert_sane(terminal)

    def test_a_resize_is_followed_at_once_and_breaks_no_line(self):
        terminal = self.started()
        for columns, rows in ((60, 15), (40, 10), (140, 40)):
            terminal.tmux("resize-window", "-x", str(columns), "-y", str(rows))
            # The footer is in the last row, and nothing that was wrapped stands above the first one.
            screen = terminal.wait_for(rf"\A assay  block .*\d:\d\d\n(.*\n){{{rows - 2}}} q stop", 2)
            lines = screen.split("\n")[:rows]
            self.assertEqual(len(lines), rows)
            for line in lines:
                self.assertLessEqual(columns_of(line), columns, line)
            self.assertEqual(sum(line.startswith((" measuring", " randread", " latency")) for line in lines), 3, screen)
            self.assertEqual(columns_of(lines[0]), columns - 1, "the clock is at the right edge")
        terminal.press("q")
        terminal.wait_for(r"exit=130")

    def test_ctrl_c_leaves_a_sane_terminal(self):
        terminal = self.started()
        terminal.press("C-c")
        terminal.wait_for(r"exit=130")
        self.assertTrue(json.loads((self.bundle / "result.json").read_text())["cut_short"])
        self.assert_sane(terminal)

    def test_whatever_ends_the_process_leaves_a_sane_terminal(self):
        # A second signal right behind the first, and a crash.
        for numbers, code in (((signal.SIGTERM, signal.SIGTERM), "143"), ((signal.SIGSEGV,), "139")):
            with self.subTest(code):
                terminal = self.started("--replace")
                pid = terminal.pid_of("assay")
                for number in numbers:
                    os.kill(pid, number)
                    time.sleep(0.001)
                terminal.wait_for(rf"exit={code}")
                self.assert_sane(terminal)
                terminal.close()

    def test_ctrl_z_gives_the_terminal_to_the_shell_and_fg_brings_the_screen_back(self):
        terminal = self.terminal()
        terminal.type("set -m")
        terminal.press("Enter")
        terminal.run(*self.command())
        terminal.wait_for(r"^ measuring ")
        terminal.press("C-z")
        terminal.wait_for(r"(?i)(stopped|suspended)|exit=")
        self.assert_sane(terminal)
        terminal.type("fg")
        terminal.press("Enter")
        terminal.wait_for(r"\A assay  block ")
        self.assertTrue(terminal.alternate())
        terminal.press("q")
        terminal.wait_for(r"Bundle: ")
        self.assert_sane(terminal)

    def test_messages_of_a_plugin_are_on_the_screen_and_none_is_lost_when_it_is_left(self):
        terminal = self.terminal(80, 50)
        plugin = BUILD / "tests" / "plugins" / "talking.so"
        terminal.run(ASSAY, "run", "talking", "--plugin", plugin, "--measure", "60s", "--interval", "200ms", "--no-bundle")
        screen = terminal.wait_for(r"^ warning: .*this is line [5-9]$")
        self.assertTrue(terminal.alternate())
        numbers = [int(number) for number in re.findall(r"this is line (\d+)", screen)]
        self.assertEqual(numbers, sorted(numbers), "the newest is last")
        terminal.press("q")
        terminal.wait_for(r"exit=130")
        said = terminal.tmux("capture-pane", "-p", "-J", "-S", "-200")
        numbers = [int(number) for number in re.findall(r"^warning: .*this is line (\d+)$", said, re.MULTILINE)]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        self.assertGreaterEqual(len(numbers), 5)

    def test_no_screen_keeps_to_one_line_and_quiet_shows_nothing(self):
        terminal = self.terminal()
        terminal.run(*self.command("--no-screen", measure="3s"))
        screen = terminal.wait_for(r"randread +\d+ %.*IOPS")
        self.assertFalse(terminal.alternate())
        self.assertNotIn("q stop", screen)
        terminal.wait_for(r"exit=\d")
        terminal = self.terminal()
        terminal.run(*self.command("--quiet", "--replace", measure="2s"))
        while not re.search(r"^exit=\d", screen := terminal.screen(), re.MULTILINE):
            self.assertFalse(terminal.alternate())
            self.assertNotIn("s left", screen)
            time.sleep(0.1)

    def test_a_terminal_that_cannot_show_a_screen_gets_the_line(self):
        terminal = self.terminal()
        terminal.run("env", "TERM=dumb", *self.command(measure="2s"))
        terminal.wait_for(r"randread +\d+ %.*IOPS")
        self.assertFalse(terminal.alternate())
        terminal.wait_for(r"exit=\d")


class Elsewhere(Live):
    def test_one_line_a_second_goes_to_a_file_whatever_the_interval(self):
        finished = subprocess.run(self.command(measure="3500ms", interval="100ms"), capture_output=True, text=True)
        lines = [line for line in finished.stderr.splitlines() if line.startswith("randread")]
        # At 0, 1, 2 and 3 s; a busy machine may be late with one.
        self.assertIn(len(lines), (3, 4, 5), finished.stderr)
        self.assertNotIn("\033", finished.stderr)
        self.assertNotIn("\033", finished.stdout)

    def test_a_terminal_without_a_size_gets_the_line(self):
        # As under `script` without a terminal of its own: 0 x 0.
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ["TERM"] = "xterm"
            command = [str(part) for part in self.command(measure="1s")]
            os.execv(command[0], command)
        seen = b""
        while True:
            try:
                got = os.read(terminal, 65536)
            except OSError:  # the other end is closed
                break
            seen += got
        os.close(terminal)
        self.assertIn(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), (0, 5))
        self.assertRegex(seen, rb"\r\033\[Krandread .*IOPS")
        self.assertNotIn(b"\033[?1049h", seen)

    def test_quiet_shows_nothing(self):
        finished = subprocess.run(self.command("--quiet", measure="1500ms"), capture_output=True, text=True)
        self.assertEqual(finished.stderr, "")


if __name__ == "__main__":
    unittest.main()
