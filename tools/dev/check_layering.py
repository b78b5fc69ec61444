#!/usr/bin/env python3
"""Checks who includes whom.

  abi        C standard headers, and other headers of abi
  sdk        abi, sdk, C++ standard headers; no third-party type
  core       abi, and core parts below its own (CORE_ORDER)
  plugins/X  abi, sdk, plugins/common, its own headers and libraries; never core, tools or another plugin
  tools      core, abi, sdk, tools

Heavy libraries stay out of headers, Boost.DLL stays in core/loader, and what only a plugin needs (MPI, RDMA, TLS,
io_uring) stays out of core, so that the core starts anywhere.
"""
import source_tree
from source_tree import Problem

# A part may include those of earlier rows, and what it names itself.
CORE_ORDER = [
    {"base": ()},
    {"schema": (), "record": (), "stats": (), "result": ("record",)},
    {"plan": (), "loader": (), "sample": (), "context": (), "verdict": ()},
    {"cluster": (), "run": ()},
    {"session": ()},
    {"report": ()},
]

C_STANDARD = set(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic "
    "stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype".split())
CXX_STANDARD = set(
    "algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits "
    "clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef "
    "cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem format "
    "forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits "
    "list locale map memory memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex "
    "scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf "
    "string string_view strstream syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map "
    "unordered_set utility valarray variant vector version".split())

HEAVY = ("boost/", "nlohmann/", "yaml-cpp/", "CLI/", "muParser")
LIGHT = ("nlohmann/json_fwd.hpp",)
NOT_IN_CORE = ("mpi.h", "infiniband/", "rdma/", "liburing", "libaio.h", "openssl/ssl.h")
TOPS = ("assay/", "core/", "plugins/", "tools/", "tests/")


def allowed_core_parts():
    allowed, below = {}, set()
    for row in CORE_ORDER:
        for part, beside in row.items():
            allowed[part] = below | {part} | set(beside)
        below |= set(row)
    return allowed


CORE_PARTS = allowed_core_parts()


def part_of(path, depth=1):
    """"core/base/x.hpp" -> "base"; None where the path is not that deep."""
    pieces = path.split("/")
    return pieces[depth] if len(pieces) > depth + 1 else None


def abi_rule(path, include):
    if include.quoted:
        return None if "/" not in include.target else "abi includes its own headers by name only"
    name = include.target[:-2] if include.target.endswith(".h") else None
    return None if name in C_STANDARD else "abi includes C standard headers only"


def sdk_rule(path, include):
    if include.quoted:
        inside = include.target.startswith(("assay/abi/", "assay/sdk/"))
        return None if inside else "sdk includes abi and sdk only"
    return None if include.target in CXX_STANDARD else "sdk includes C++ standard headers only, no third-party type"


def core_rule(path, include):
    target = include.target
    part = part_of(path)
    if target.startswith(NOT_IN_CORE):
        return "belongs to the plugin that needs it: the core must start without it"
    if target.startswith("boost/dll") and part != "loader":
        return "Boost.DLL is used in core/loader only"
    if not include.quoted or target.startswith("assay/abi/"):
        return None
    if target.startswith("assay/sdk/"):
        return "core uses the ABI, not the comfort layer for plugins"
    if not target.startswith("core/"):
        return "core includes core and abi only"
    if part not in CORE_PARTS:
        return f"core/{part or ''} is no part that check_layering.py knows"
    other = part_of(target)
    if other not in CORE_PARTS[part]:
        return f"core/{part} may include {', '.join(sorted(CORE_PARTS[part]))}"
    return None


def plugin_rule(path, include):
    if not include.quoted or include.target.startswith(("assay/abi/", "assay/sdk/", "plugins/common/")):
        return None
    own = f"plugins/{part_of(path)}/"
    return None if include.target.startswith(own) else f"a plugin includes the SDK, plugins/common and {own} only"


def tool_rule(path, include):
    if include.quoted and not include.target.startswith(("core/", "assay/", "tools/")):
        return "tools include core, the SDK and tools only"
    return None


RULES = [
    ("sdk/include/assay/abi/", abi_rule),
    ("sdk/include/assay/sdk/", sdk_rule),
    ("sdk/template/", lambda path, include: sdk_rule(path, include) if include.quoted else None),
    ("core/", core_rule),
    ("plugins/", plugin_rule),
    ("tools/", tool_rule),
]


def problems(root):
    found = []
    for path in source_tree.files(root, ("sdk", "core", "plugins", "tools"), source_tree.CODE_SUFFIXES):
        rule = next((rule for prefix, rule in RULES if path.startswith(prefix)), None)
        if rule is None:
            found.append(Problem(path, 0, "lies where check_layering.py has no rule"))
            continue
        for include in source_tree.includes(root, path):
            why = rule(path, include)
            in_header = path.endswith((".h", ".hpp"))
            heavy = include.target.startswith(HEAVY) and include.target not in LIGHT
            if why is None and in_header and heavy:
                why = "a heavy library belongs into a .cpp file"
            if why is None and include.quoted and rule is not abi_rule and not include.target.startswith(TOPS):
                why = "write the path from the repository's root"
            if why is not None:
                found.append(Problem(path, include.line, f"includes {include.target}: {why}"))
    return found


if __name__ == "__main__":
    source_tree.run("layering", __doc__, problems)
