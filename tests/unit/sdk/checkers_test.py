"""Each checker of tools/dev accepts a tree that keeps its rule and fails on one violation planted in it."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
DEV = ROOT / "tools/dev"
sys.path.insert(0, str(DEV))

import check_abi
import check_headers
import check_layering
import check_size
import check_words


class Tree(unittest.TestCase):
    """A small repository in a directory of its own."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.directory.name)
        self.addCleanup(self.directory.cleanup)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def errors(self, checker, **options):
        return [str(problem) for problem in checker.problems(self.root, **options) if not problem.warning]

    def assert_finds(self, found, *words):
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])


class Layering(Tree):
    def setUp(self):
        super().setUp()
        self.write("sdk/include/assay/abi/base.h", "#include <stdint.h>\n")
        self.write("sdk/include/assay/abi/host.h", '#include "base.h"\n')
        self.write("sdk/include/assay/sdk/host.hpp", '#include "assay/abi/host.h"\n#include <string>\n')
        self.write("core/base/status.hpp", "#include <string>\n")
        self.write("core/loader/loader.hpp", '#include "assay/abi/base.h"\n#include "core/base/status.hpp"\n')
        self.write("core/loader/library.cpp", "#include <boost/dll/shared_library.hpp>\n")
        self.write("core/run/run.cpp", '#include "core/loader/loader.hpp"\n#include <fmt/format.h>\n')
        self.write("core/report/console.cpp", '#include "core/session/session.hpp"\n')
        self.write("core/result/io/json.cpp", '#include "core/record/histogram.hpp"\n#include <nlohmann/json.hpp>\n')
        self.write("plugins/common/engine.hpp", "#include <liburing.h>\n")
        self.write("plugins/block/block.cpp", '#include "plugins/block/x.hpp"\n#include "plugins/common/engine.hpp"\n')
        self.write("tools/assay/main.cpp", '#include "core/session/session.hpp"\n#include <CLI/CLI.hpp>\n')

    def test_accepts_a_tree_that_keeps_the_rules(self):
        self.assertEqual(self.errors(check_layering), [])

    def test_finds_each_kind_of_violation(self):
        for path, include, word in [
            ("sdk/include/assay/abi/bad.h", "<sys/types.h>", "C standard"),
            ("sdk/include/assay/abi/bad.h", "<vector>", "C standard"),
            ("sdk/include/assay/abi/bad.h", '"assay/sdk/host.hpp"', "by name only"),
            ("sdk/include/assay/sdk/bad.hpp", "<fmt/format.h>", "no third-party type"),
            ("sdk/include/assay/sdk/bad.hpp", "<unistd.h>", "C++ standard headers only"),
            ("sdk/include/assay/sdk/bad.hpp", '"core/base/status.hpp"', "abi and sdk only"),
            ("core/base/bad.cpp", '"core/run/run.hpp"', "core/base may include base"),
            ("core/schema/bad.cpp", '"core/record/region.hpp"', "core/schema may include"),
            ("core/session/bad.cpp", '"core/report/console.hpp"', "core/session may include"),
            ("core/run/bad.cpp", '"plugins/block/x.hpp"', "core and abi only"),
            ("core/run/bad.cpp", '"assay/sdk/host.hpp"', "not the comfort layer"),
            ("core/run/bad.cpp", '"run.hpp"', "core and abi only"),
            ("core/new_part/bad.cpp", '"core/base/status.hpp"', "no part"),
            ("core/run/bad.cpp", "<boost/dll/shared_library.hpp>", "core/loader only"),
            ("core/run/bad.cpp", "<liburing.h>", "the plugin that needs it"),
            ("core/cluster/bad.cpp", "<mpi.h>", "the plugin that needs it"),
            ("core/plan/bad.hpp", "<yaml-cpp/yaml.h>", "heavy library"),
            ("core/result/bad.hpp", "<nlohmann/json.hpp>", "heavy library"),
            ("plugins/block/bad.hpp", "<boost/asio.hpp>", "heavy library"),
            ("plugins/block/bad.cpp", '"core/base/status.hpp"', "a plugin includes"),
            ("plugins/block/bad.cpp", '"plugins/file/file.hpp"', "a plugin includes"),
            ("plugins/common/bad.cpp", '"plugins/block/x.hpp"', "a plugin includes"),
            ("tools/assay/bad.cpp", '"plugins/block/x.hpp"', "tools include"),
            ("sdk/elsewhere/bad.hpp", "<string>", "no rule"),
        ]:
            with self.subTest(path=path, include=include):
                self.write(path, f"#include {include}\n")
                self.assert_finds(self.errors(check_layering), path, word)
                (self.root / path).unlink()


class Size(Tree):
    def test_warns_past_500_lines_and_fails_past_800(self):
        self.write("core/a.cpp", "\n" * 500)
        self.assertEqual(check_size.problems(self.root), [])
        self.write("core/a.cpp", "\n" * 501)
        found = check_size.problems(self.root)
        self.assertEqual([problem.warning for problem in found], [True])
        self.write("core/a.cpp", "\n" * 801)
        self.assert_finds(self.errors(check_size), "core/a.cpp", "801 lines")

    def test_looks_at_our_sources_only(self):
        self.write("build/release/generated.cpp", "\n" * 900)
        self.write("sdk/abi-baseline/histogram.csv", "\n" * 900)
        self.assertEqual(check_size.problems(self.root), [])


class Words(Tree):
    def test_finds_notes_of_unfinished_work_in_sources(self):
        for word in ("TO" + "DO", "FIX" + "ME", "not " + "implemented"):
            self.write("core/a.cpp", f"int x; // {word}: later\n")
            self.assert_finds(self.errors(check_words), "core/a.cpp:1", word)
        self.write("core/a.cpp", "const char* pattern = \"/tmp/x-XXXXXX\"; // a methodology\n")
        self.assertEqual(self.errors(check_words), [])

    def test_finds_paths_of_one_machine_anywhere(self):
        for path in ("/wo" + "rk/main", "/ro" + "ot/x", "/ho" + "me/someone/src"):
            self.write("docs/a.md", f"one\nsee {path} for more\n")
            self.assert_finds(self.errors(check_words), "docs/a.md:2")
        self.write("docs/a.md", "/mnt/data, docs/work/x, ${HOME}/x, /home/ and /root\n")
        self.assertEqual(self.errors(check_words), [])


class Headers(Tree):
    def test_finds_a_header_that_needs_another_one_first(self):
        self.write("core/base/good.hpp", "#pragma once\n#include <string>\ninline std::string f() { return {}; }\n")
        self.assertEqual(self.errors(check_headers), [])
        self.write("core/base/bad.hpp", "#pragma once\ninline std::string g() { return {}; }\n")
        self.assert_finds(self.errors(check_headers), "core/base/bad.hpp", "does not compile alone")

    def test_finds_a_header_without_a_guard(self):
        self.write("core/base/bad.hpp", "struct S {};\n")
        self.assert_finds(self.errors(check_headers), "core/base/bad.hpp", "guard")

    def test_passes_over_a_header_only_if_its_source_proves_it(self):
        self.write("core/base/bad.hpp", "#pragma once\ninline std::string g() { return {}; }\n")
        proof = '#include "core/base/bad.hpp"\n#include <string>\n'
        for cmake, source, errors in [("assay_part(base SOURCES bad.cpp)", proof, 0),
                                      ("assay_part(base SOURCES verybad.cpp)", proof, 1),
                                      ("assay_part(base SOURCES bad.cpp)", "#include <string>\n" + proof, 1)]:
            self.write("core/base/CMakeLists.txt", cmake)
            self.write("core/base/bad.cpp", source)
            self.assertEqual(len(self.errors(check_headers)), errors, cmake + source)

    def test_finds_an_abi_header_that_is_no_strict_c11(self):
        self.write("sdk/include/assay/abi/bad.h", "#ifndef X\n#define X\nstruct s { int a[0]; };\n#endif\n")
        self.assert_finds(self.errors(check_headers, compiler="cc", standard="c11"), "assay/abi/bad.h")


class Abi(Tree):
    def setUp(self):
        super().setUp()
        for path in ("sdk/include/assay/abi", "sdk/abi-baseline"):
            shutil.copytree(ROOT / path, self.root / path)
        self.assertEqual(self.errors(check_abi), [])

    def change(self, header, old, new):
        path = self.root / "sdk/include/assay/abi" / header
        text = path.read_text(encoding="utf-8")
        self.assertEqual(text.count(old), 1)
        path.write_text(text.replace(old, new), encoding="utf-8")

    def test_finds_fields_that_changed_places(self):
        self.change("host.h", "    const char* name;    /* \"assay\" */\n", "")
        self.assertTrue(any("assay_host.name is gone" in error for error in self.errors(check_abi)))

    def test_finds_a_field_that_was_inserted(self):
        self.change("target.h", "    const char* unit;   /*", "    uint64_t new_field;\n    const char* unit;   /*")
        found = self.errors(check_abi)
        self.assertTrue(any("assay_fact.unit is at offset 24 with 8 bytes and was at 16" in error for error in found))

    def test_finds_a_field_that_was_appended_without_the_baseline(self):
        self.change("target.h", "    double real;        /* for REAL */\n",
                    "    double real;        /* for REAL */\n    uint64_t new_field;\n")
        self.assert_finds(self.errors(check_abi), "assay_fact.new_field: new")

    def test_finds_a_field_whose_size_changed(self):
        self.change("descriptor.h", "    uint32_t effects;\n", "    uint64_t effects;\n")
        self.assertTrue(any("assay_descriptor.effects" in error for error in self.errors(check_abi)))


class Scripts(Tree):
    def run_script(self, *command):
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.root)

    def test_format_finds_a_line_that_clang_format_would_change_and_mends_it(self):
        shutil.copy(ROOT / ".clang-format", self.root)
        script = DEV / "check_format.sh"
        self.write("core/a.cpp", "int main() { return 0; }\n")
        if self.run_script(script, self.root).returncode == 77:
            self.skipTest("no clang-format 14")
        self.assertEqual(self.run_script(script, self.root).returncode, 0)
        self.write("core/a.cpp", "int main(){return 0;}\n")
        self.assertEqual(self.run_script(script, self.root).returncode, 1)
        self.assertEqual(self.run_script(script, "--fix", self.root).returncode, 0)
        self.assertEqual((self.root / "core/a.cpp").read_text(), "int main() { return 0; }\n")

    def build(self, text, *options):
        (self.root / "p.cpp").write_text(text)
        compiler = os.environ.get("CXX", "c++")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", "p.so", "p.cpp", *options], check=True, cwd=self.root)
        return self.run_script(DEV / "check_exports.py", "p.so")

    def test_exports_finds_each_way_a_plugin_can_show_too_much(self):
        entry = 'extern "C" __attribute__((visibility("default"))) int assay_entry_draft() { return 0; }\n'
        good = self.build(entry, "-fvisibility=hidden")
        self.assertEqual(good.returncode, 0, good.stdout)
        more = self.build(entry + "int other() { return 1; }\n")
        self.assertEqual(more.returncode, 1)
        self.assertIn("exports 1 symbols besides assay_entry_draft: _Z5otherv", more.stdout)
        less = self.build("static int f() { return 0; }\nint (*g)() = f;\n", "-fvisibility=hidden")
        self.assertIn("does not export assay_entry_draft", less.stdout)
        path = self.build(entry, "-fvisibility=hidden", "-Wl,-rpath,/somewhere")
        self.assertEqual(path.returncode, 1)
        self.assertIn("PATH entry", path.stdout)

    def test_exports_finds_a_unique_symbol(self):
        unique = self.build("template <class T> struct S { static T x; };\ntemplate <class T> T S<T>::x = 1;\n"
                            'extern "C" int assay_entry_draft() { return ++S<int>::x; }\n')
        self.assertEqual(unique.returncode, 1)
        if "unique symbol" not in unique.stdout:
            self.skipTest("this compiler makes none")

    def test_golden_vectors_that_were_changed_are_found(self):
        script = DEV / "golden_histogram.py"
        (self.root / "sdk/abi-baseline").mkdir(parents=True)
        shutil.copy(ROOT / "sdk/abi-baseline/histogram.csv", self.root / "sdk/abi-baseline")
        self.assertEqual(self.run_script(script, "--check", "--root", self.root).returncode, 0)
        path = self.root / "sdk/abi-baseline/histogram.csv"
        path.write_text(path.read_text().replace("128,128,128,129", "128,129,128,129"))
        self.assertEqual(self.run_script(script, "--check", "--root", self.root).returncode, 1)

    def test_the_driver_fails_when_one_checker_does_and_names_it(self):
        shutil.copytree(DEV, self.root / "tools/dev", ignore=shutil.ignore_patterns("__pycache__"))
        for path in ("sdk/include", "sdk/abi-baseline"):
            shutil.copytree(ROOT / path, self.root / path)
        shutil.copy(ROOT / ".clang-format", self.root)
        driver = self.root / "tools/dev/check.sh"
        good = self.run_script(driver)
        self.assertEqual(good.returncode, 0, good.stdout + good.stderr)
        self.write("core/base/bad.cpp", '#include "core/run/run.hpp"\n')
        bad = self.run_script(driver)
        self.assertEqual(bad.returncode, 1)
        self.assertIn("failed: layering", bad.stdout)


if __name__ == "__main__":
    unittest.main()
