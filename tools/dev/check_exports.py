#!/usr/bin/env python3
"""Checks built plugins: each exports the entry function and nothing else, has no unique symbols (which would tie plugins
together and keep them mapped), no text relocations, and no search path of the machine it was built on.

Usage: check_exports.py PLUGIN.so...
"""
import os
import re
import subprocess
import sys

from source_tree import Problem, finish

ENTRY = "assay_entry_draft"


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
    if done.returncode != 0:
        raise OSError(done.stderr.strip())
    return done.stdout


def problems_of(path):
    try:
        return [Problem(path, 0, text) for text in violations(path)]
    except OSError as error:
        return [Problem(path, 0, f"cannot be read: {error}")]


def violations(path):
    found = []
    exported = []
    for line in output("nm", "-D", "--defined-only", path).splitlines():
        kind, name = line.split()[-2:]
        exported.append(name.split("@")[0])
        if kind == "u":
            found.append(f"has the unique symbol {name}: build with hidden visibility")
    if exported != [ENTRY]:
        others = [name for name in exported if name != ENTRY]
        if ENTRY not in exported:
            found.append(f"does not export {ENTRY}")
        if others:
            found.append(f"exports {len(others)} symbols besides {ENTRY}: {', '.join(others[:5])}")
    dynamic = output("readelf", "-dW", path)
    for tag in re.findall(r"\((TEXTREL|RPATH|RUNPATH)\)", dynamic):
        found.append(f"has a {tag} entry")
    if re.search(r"\(FLAGS\).*TEXTREL", dynamic):
        found.append("has text relocations")
    return found


def main():
    if len(sys.argv) < 2:
        sys.exit("exports: no plugin was given")
    found = [problem for path in sys.argv[1:] for problem in problems_of(path)]
    print(f"exports: {len(sys.argv) - 1} plugins looked at")
    sys.exit(finish("exports", found))


if __name__ == "__main__":
    main()
