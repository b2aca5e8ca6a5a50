# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/test_summary.py counts what failed, and never counts a silent suite as good."""
import subprocess
import sys

from conftest import ROOT


def summary(folder, *suites):
    result = subprocess.run([sys.executable, ROOT / "scripts" / "test_summary.py", folder, *suites],
                            capture_output=True, text=True, timeout=60)
    return result.returncode, result.stdout.splitlines()


def write(folder, name, *cases):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")


GOOD = '<testcase name="good"/>'
BAD = '<testcase name="bad"><failure message="no"/></testcase>'
LEFT = '<testcase name="left"><skipped/></testcase>'


def test_all_good(tmp_path):
    write(tmp_path / "lit", "lit.xml", GOOD, GOOD, LEFT)
    code, lines = summary(tmp_path, "lit")
    assert code == 0 and lines[-1] == "2 passed, 0 failed, 1 skipped"


def test_a_failure(tmp_path):
    write(tmp_path / "lit", "lit.xml", GOOD, BAD)
    code, lines = summary(tmp_path, "lit")
    assert code == 1 and lines[-1] == "1 passed, 1 failed, 0 skipped" and "failed: lit: bad" in lines


def test_a_suite_without_a_count_has_failed(tmp_path):
    write(tmp_path / "lit", "lit.xml", GOOD)
    code, lines = summary(tmp_path, "lit", "e2e")
    assert code == 1 and lines[-1] == "1 passed, 1 failed, 0 skipped"


def test_a_file_that_was_cut_short(tmp_path):
    (tmp_path / "lit").mkdir()
    (tmp_path / "lit" / "lit.xml").write_text("<testsuites><testsuite>")
    assert summary(tmp_path, "lit")[0] == 1


def test_cases_of_a_program_count_once(tmp_path):
    write(tmp_path / "unit", "ctest.xml", '<testcase name="program" status="run"/>')
    write(tmp_path / "unit", "program.xml", GOOD, GOOD)
    assert summary(tmp_path, "unit")[1][-1] == "2 passed, 0 failed, 0 skipped"


def test_a_program_that_crashed(tmp_path):
    write(tmp_path / "unit", "ctest.xml", '<testcase name="program" status="fail"><failure/></testcase>')
    assert summary(tmp_path, "unit")[1][-1] == "0 passed, 1 failed, 0 skipped"
    write(tmp_path / "unit", "program.xml", GOOD)
    assert summary(tmp_path, "unit")[1][-1] == "1 passed, 1 failed, 0 skipped"


def test_counts_in_a_file(tmp_path):
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks" / "format.count").write_text("0 1 0\n")
    code, lines = summary(tmp_path, "checks")
    assert code == 1 and lines[-1] == "0 passed, 1 failed, 0 skipped"
