#!/usr/bin/env python3
"""Checks for words that do not belong into the repository: notes of unfinished work in sources, and paths of the machine
that somebody happened to work on, anywhere.

A line that must have such a word (this file, a test of it) spells it in pieces.
"""
import re

import source_tree
from source_tree import Problem

SOURCES = source_tree.CODE_SUFFIXES | {".py", ".sh", ".cmake", ".js", ".ts", ".yaml", ".yml"}
UNFINISHED = re.compile(r"\b(?:" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK", "not " + "implemented",
                                              "unimple" + "mented"]) + r")\b")
MACHINE_PATH = re.compile(r"(?<![\w.$}/-])/(?:" + "wo" + r"rk|root|home/[a-z]\w*)/[\w.]")
TEXT_SUFFIXES = SOURCES | {".md", ".txt", ".json", ".csv", ".map", ".in", ".def", ""}


def problems(root):
    found = []
    for path in source_tree.files(root, suffixes=TEXT_SUFFIXES):
        source = path.endswith(tuple(SOURCES)) or path.endswith("CMakeLists.txt")
        for number, line in enumerate(source_tree.read(root, path).splitlines(), 1):
            match = UNFINISHED.search(line) if source else None
            if match:
                found.append(Problem(path, number, f'says "{match[0]}": finish it, or say what is missing as a fact'))
            match = MACHINE_PATH.search(line)
            if match:
                found.append(Problem(path, number, f'has the path of one machine, "{match[0]}..."'))
    return found


if __name__ == "__main__":
    source_tree.run("words", __doc__, problems)
