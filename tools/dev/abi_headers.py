"""Reads the structs of the C ABI headers and lays them out by the LP64 rules (natural alignment, members in order).

This is arithmetic from the published rules, not what a compiler says: the tests compare the two. It understands the C
that the headers use and refuses the rest.
"""
import pathlib
import re
from dataclasses import dataclass

HEADERS = "sdk/include/assay/abi"
SCALARS = {"char": 1, "int": 4, "int32_t": 4, "uint32_t": 4, "int64_t": 8, "uint64_t": 8, "double": 8, "uint16_t": 2,
           "uint8_t": 1}


@dataclass(frozen=True)
class Field:
    name: str
    offset: int
    size: int


@dataclass(frozen=True)
class Struct:
    name: str
    size: int
    alignment: int
    fields: tuple


class Reader:
    def __init__(self):
        self.types = {name: (size, size) for name, size in SCALARS.items()}
        self.constants = {}
        self.structs = {}

    def number(self, text):
        """The value of a constant expression of #defines, integers, + - << and parentheses."""
        text = re.sub(r"UINT64_C\((\w+)\)", r"\1", text)
        text = re.sub(r"\b(\d+)[uU]\b", r"\1", text)
        for _ in range(8):
            text = re.sub(r"\bASSAY_\w+\b", lambda match: f"({self.constants[match[0]]})", text)
            text = re.sub(r"\b(\d+)[uU]\b", r"\1", text)
        if not re.fullmatch(r"[\d\s()+\-<]+", text):
            raise ValueError(f"no constant: {text}")
        return eval(text, {"__builtins__": {}})  # digits and operators only

    def member(self, text):
        """(name, size, alignment) of one member declaration."""
        text = " ".join(text.split())
        function = re.fullmatch(r".*\(\*(\w+)\)\s*\(.*\)", text)
        if function:
            return function[1], 8, 8
        union = re.fullmatch(r"union \{(.*)\} (\w+)", text)
        if union:
            inner = [self.member(piece) for piece in union[1].split(";") if piece.strip()]
            return union[2], max(size for _, size, _ in inner), max(alignment for _, _, alignment in inner)
        match = re.fullmatch(r"(.*?[\s*])(\w+)(?:\[(.+)\])?", text)
        if not match:
            raise ValueError(f"no member: {text}")
        kind, name, count = match[1].strip(), match[2], match[3]
        base = re.sub(r"\b(?:const|struct)\b", "", kind).strip()
        size, alignment = (8, 8) if "*" in kind else self.types[base]
        return name, size * (self.number(count) if count else 1), alignment

    def struct(self, name, body):
        at, widest, fields = 0, 1, []
        for piece in split_members(body):
            field, size, alignment = self.member(piece)
            at = (at + alignment - 1) // alignment * alignment
            fields.append(Field(field, at, size))
            at += size
            widest = max(widest, alignment)
        size = (at + widest - 1) // widest * widest
        self.types[name] = (size, widest)
        self.structs[name] = Struct(name, size, widest, tuple(fields))

    def header(self, text):
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        text = text.replace("\\\n", " ")
        for name, value in re.findall(r"^#define (ASSAY_\w+) (.+)$", text, flags=re.M):
            self.constants[name] = value.strip()
        text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
        for base, name in re.findall(r"typedef (\w+) (\w+);", text):
            self.types[name] = self.types[base]
        for match in re.finditer(r"struct (\w+) \{", text):
            self.struct(match[1], text[match.end():closing_brace(text, match.end())])


def closing_brace(text, start):
    depth = 1
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    raise ValueError("a brace is not closed")


def split_members(body):
    depth, piece, pieces = 0, "", []
    for char in body:
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char == ";" and depth == 0:
            pieces.append(piece)
            piece = ""
        else:
            piece += char
    return [piece for piece in pieces if piece.strip()]


def in_include_order(root):
    """The headers, each after those it includes."""
    directory = pathlib.Path(root) / HEADERS
    order = []

    def visit(path):
        if path in order:
            return
        for name in re.findall(r'#include "(\w+\.h)"', path.read_text(encoding="utf-8")):
            visit(directory / name)
        order.append(path)

    for path in sorted(directory.glob("*.h")):
        visit(path)
    return order


def structs(root):
    """All structs of the ABI by name, laid out."""
    reader = Reader()
    for path in in_include_order(root):
        reader.header(path.read_text(encoding="utf-8"))
    return reader.structs
