#!/usr/bin/env python3
"""Makes one CTest directory of the tests of several builds, so that one run has one summary with all counts.

usage: merge_tests.py OUTPUT NAME=BUILD[:LABELS]...

OUTPUT/CTestTestfile.cmake gets every test of each BUILD whose label matches the regular expression LABELS and is not
slow, or every one without LABELS, as NAME/test with all its properties.
"""
import json
import pathlib
import subprocess
import sys

# Properties that name other tests, which get the build's name in front as well.
REFERENCES = {"DEPENDS"}
# Properties by which tests find each other: those of two builds must not meet in these either.
FIXTURES = {"FIXTURES_SETUP", "FIXTURES_CLEANUP", "FIXTURES_REQUIRED"}
# Told by CTest itself, not settable.
DERIVED = {"_BACKTRACE_TRIPLES"}


def quoted(text):
    """A CMake bracket argument; its length is one that the text does not contain."""
    level = 1
    while f"]{'=' * level}]" in text or text.endswith(f"]{'=' * level}"):
        level += 1
    return f"[{'=' * level}[{text}]{'=' * level}]"


def value_text(name, value, build):
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, list):
        items = [f"{build}/{item}" if name in REFERENCES | FIXTURES else str(item) for item in value]
        return ";".join(items)
    return str(value)


def tests_of(directory, labels):
    command = ["ctest", "--test-dir", directory, "--show-only=json-v1"]
    if labels:
        command += ["-L", labels, "-LE", "slow"]
    listing = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    tests = json.loads(listing)["tests"]
    if not tests:
        sys.exit(f"merge_tests.py: {directory} has no tests")
    return tests


def entry(build, test):
    if "command" not in test:
        sys.exit(f"merge_tests.py: {build}/{test['name']} has not been built")
    name = quoted(f"{build}/{test['name']}")
    lines = [f"add_test({name} {' '.join(quoted(word) for word in test['command'])})"]
    for item in test.get("properties", []):
        if item["name"] in DERIVED:
            continue
        text = value_text(item["name"], item["value"], build)
        lines.append(f"set_tests_properties({name} PROPERTIES {item['name']} {quoted(text)})")
    return "\n".join(lines)


def main():
    if len(sys.argv) < 3 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if sys.argv[1:2] in (["-h"], ["--help"]) else 2
    output = pathlib.Path(sys.argv[1])
    entries = []
    for argument in sys.argv[2:]:
        build, _, rest = argument.partition("=")
        directory, _, labels = rest.partition(":")
        entries += [entry(build, test) for test in tests_of(directory, labels)]
    output.mkdir(parents=True, exist_ok=True)
    (output / "CTestTestfile.cmake").write_text("\n".join(entries) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
