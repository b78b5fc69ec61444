#!/usr/bin/env python3
"""Checks that no source file holds several things: over 500 lines is a warning, over 800 an error."""
import source_tree
from source_tree import Problem

WARNING_LINES = 500
ERROR_LINES = 800
SUFFIXES = source_tree.CODE_SUFFIXES | {".py", ".sh", ".cmake", ".js", ".ts", ".css"}


def problems(root):
    found = []
    for path in source_tree.files(root, suffixes=SUFFIXES, names=("CMakeLists.txt",)):
        lines = source_tree.read(root, path).count("\n")
        if lines > WARNING_LINES:
            limit = ERROR_LINES if lines > ERROR_LINES else WARNING_LINES
            found.append(Problem(path, 0, f"has {lines} lines, more than {limit}: there are two things in it",
                                 lines <= ERROR_LINES))
    return found


if __name__ == "__main__":
    source_tree.run("size", __doc__, problems)
