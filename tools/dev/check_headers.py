#!/usr/bin/env python3
"""Checks that every header compiles alone: a file that includes nothing else must not miss a declaration.

Without options: all C++ headers of sdk, core, plugins and tools as C++20. For the SDK's conformance tests the compiler,
the standard and the headers can be chosen. Uses -fsyntax-only, several at a time, and passes over a header x.hpp that
the build proves anyway: its x.cpp is in the CMakeLists.txt beside it and includes x.hpp before anything else.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import source_tree
from source_tree import Problem

WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]
# The SDK's headers must be clean under what whoever includes them may have switched on.
STRICT = ["-Wpedantic", "-Wshadow", "-Wsign-conversion", "-Wcast-align", "-Wcast-qual"]


def headers(root, below):
    """Headers below the directories, each as (path, how it is included)."""
    for path in source_tree.files(root, below, {".h", ".hpp"}):
        public = "sdk/include/"
        yield path, path[len(public):] if path.startswith(public) else path


def proven_by_build(root, path):
    source = pathlib.Path(root, path).with_suffix(".cpp")
    lists = source.parent / "CMakeLists.txt"
    if not source.is_file() or not lists.is_file():
        return False
    listed = re.search(rf"(?<![\w/]){re.escape(source.name)}\b", lists.read_text(encoding="utf-8"))
    first = source_tree.includes(root, source.relative_to(root).as_posix())[:1]
    return listed is not None and [include.target for include in first] == [path]


def has_guard(root, path):
    return re.search(r"^#(pragma once|ifndef \w+)", source_tree.read(root, path), re.M) is not None


def compile_alone(root, compiler, standard, included):
    language = "c" if standard.startswith(("c1", "gnu1")) else "c++"
    root = pathlib.Path(root)
    strict = STRICT if included.startswith("assay/") else []
    command = [compiler, "-x", language, f"-std={standard}", *WARNINGS, *strict, "-fsyntax-only", "-I", str(root), "-I",
               str(root / "sdk/include"), "-"]
    done = subprocess.run(command, input=f'#include "{included}"\n', capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr


def problems(root, compiler="c++", standard="c++20", below=("sdk/include", "core", "plugins", "tools")):
    listed = list(headers(root, below))
    unguarded = [Problem(path, 0, "has neither #pragma once nor an include guard") for path, _ in listed
                 if not has_guard(root, path)]
    listed = [header for header in listed if not proven_by_build(root, header[0])]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = pool.map(lambda header: compile_alone(root, compiler, standard, header[1]), listed)
    return unguarded + [Problem(path, 0, f"does not compile alone with {compiler} -std={standard}\n{text.rstrip()}")
                        for (path, _), text in zip(listed, said) if text]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=source_tree.default_root())
    parser.add_argument("--compiler", default=os.environ.get("CXX", "c++"))
    parser.add_argument("--std", default="c++20")
    parser.add_argument("--below", action="append", help="a directory below the root (default: all of ours)")
    options = parser.parse_args()
    below = options.below or ("sdk/include", "core", "plugins", "tools")
    if not list(headers(options.root, below)):
        sys.exit(f"headers: there is none below {', '.join(below)}")
    sys.exit(source_tree.finish("headers", problems(options.root, options.compiler, options.std, below)))


if __name__ == "__main__":
    main()
