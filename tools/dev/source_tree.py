"""What the checkers share: which files are our sources, how to read them, how to report.

A checker is a module with one function problems(root) that returns Problem objects; run() is its command line. The
exit status is 0 if there is no error, 1 otherwise. Warnings are printed and do not fail.
"""
import argparse
import os
import pathlib
import re
import sys
from dataclasses import dataclass

SKIPPED_DIRECTORIES = {".git", "assay-results", "build", "node_modules", "__pycache__", ".cache"}
CODE_SUFFIXES = {".h", ".hpp", ".c", ".cpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


@dataclass(frozen=True)
class Problem:
    path: str  # relative to the root
    line: int  # 0: the file as a whole
    text: str
    warning: bool = False

    def __str__(self):
        where = f"{self.path}:{self.line}" if self.line else self.path
        return f"{where}: {'warning' if self.warning else 'error'}: {self.text}"


@dataclass(frozen=True)
class Include:
    line: int
    target: str
    quoted: bool


def files(root, below=("",), suffixes=None, names=()):
    """Our files below the given directories of the root, in order; names are taken whatever their suffix is."""
    root = pathlib.Path(root)
    found = []
    for start in below:
        for directory, inner, inside in os.walk(root / start):
            inner[:] = sorted(name for name in inner if name not in SKIPPED_DIRECTORIES)
            for name in sorted(set(inside) - SKIPPED_DIRECTORIES): # of a linked work tree .git is a file
                path = pathlib.Path(directory, name)
                if path.is_symlink() or not path.is_file():
                    continue
                if suffixes is None or path.suffix in suffixes or name in names:
                    found.append(path.relative_to(root).as_posix())
    return found


def read(root, path):
    return (pathlib.Path(root) / path).read_text(encoding="utf-8", errors="replace")


def includes(root, path):
    found = []
    for number, line in enumerate(read(root, path).splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            found.append(Include(number, match[1] or match[2], match[1] is not None))
    return found


def default_root():
    return pathlib.Path(__file__).resolve().parents[2]


def finish(name, found):
    for problem in found:
        print(problem)
    errors = sum(not problem.warning for problem in found)
    warnings = len(found) - errors
    print(f"{name}: {errors} errors, {warnings} warnings")
    return 1 if errors else 0


def run(name, description, problems):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=default_root(), help="the repository (default: the one this script is in)")
    sys.exit(finish(name, problems(parser.parse_args().root)))
