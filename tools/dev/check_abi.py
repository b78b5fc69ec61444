#!/usr/bin/env python3
"""Checks the ABI headers against sdk/abi-baseline/layout.def: no struct or field may go, move or change its size; a new
one must be appended and be added to the baseline on purpose. With --print: prints what the baseline should be.
"""
import argparse
import pathlib
import re
import sys

import abi_headers
import source_tree
from source_tree import Problem

BASELINE = "sdk/abi-baseline/layout.def"


def baseline(root):
    """{struct: (size, {field: (offset, size)})} in the file's order."""
    found = {}
    for line in (pathlib.Path(root) / BASELINE).read_text(encoding="utf-8").splitlines():
        struct = re.fullmatch(r"ASSAY_STRUCT\((\w+), (\d+)\)", line)
        field = re.fullmatch(r"ASSAY_FIELD\((\w+), (\w+), (\d+), (\d+)\)", line)
        if struct:
            found[struct[1]] = (int(struct[2]), {})
        elif field:
            found[field[1]][1][field[2]] = (int(field[3]), int(field[4]))
    return found


def problems(root):
    known = baseline(root)
    now = abi_headers.structs(root)
    found = [Problem(BASELINE, 0, f"struct {name} is gone from the headers") for name in known if name not in now]
    for name, struct in now.items():
        if name not in known:
            found.append(Problem(BASELINE, 0, f"struct {name} is new: add it (check_abi.py --print)"))
            continue
        size, fields = known[name]
        actual = {field.name: (field.offset, field.size) for field in struct.fields}
        for field, place in fields.items():
            if field not in actual:
                found.append(Problem(BASELINE, 0, f"{name}.{field} is gone from the headers"))
            elif actual[field] != place:
                found.append(Problem(BASELINE, 0, f"{name}.{field} is at offset {actual[field][0]} with "
                                                  f"{actual[field][1]} bytes and was at {place[0]} with {place[1]}"))
        new = [field for field in actual if field not in fields]
        if new:
            found.append(Problem(BASELINE, 0, f"{name}.{', '.join(new)}: new: add to the baseline (--print)"))
        elif size != struct.size:
            found.append(Problem(BASELINE, 0, f"struct {name} has {struct.size} bytes and had {size}"))
    return found


def print_baseline(root):
    for struct in abi_headers.structs(root).values():
        print(f"ASSAY_STRUCT({struct.name}, {struct.size})")
        for field in struct.fields:
            print(f"ASSAY_FIELD({struct.name}, {field.name}, {field.offset}, {field.size})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=source_tree.default_root())
    parser.add_argument("--print", action="store_true", help="print the layout that the headers have now")
    options = parser.parse_args()
    if options.print:
        print_baseline(options.root)
        return
    sys.exit(source_tree.finish("abi", problems(options.root)))


if __name__ == "__main__":
    main()
