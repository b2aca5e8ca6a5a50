# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of several devices and several processes: docs/examples/{cluster,devices}."""
import os
import pathlib
import re

from conftest import ROOT, build_tree, run

# Each command of a script has its own limit, and says what it was; this one is for the rest.
SECONDS = 1200


def workers(folder):
    """The processes that serve a task of a cluster whose temporary files are in the folder."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            environment = (process / "environ").read_bytes().split(b"\0")
        except OSError:  # It has ended meanwhile, or is another user's.
            continue
        if words[0].endswith(b"weir-worker") and f"TMPDIR={folder}".encode() in environment:
            found.append(process.name)
    return found


def example(name, folder):
    """What the script prints, run from elsewhere."""
    environment = dict(os.environ, WEIR_BUILD=str(build_tree().resolve()), TMPDIR=str(folder))
    return run(ROOT / "docs" / "examples" / name / "digits.sh", cwd=folder, env=environment, seconds=SECONDS).stdout


def test_cluster(tmp_path):
    output = example("cluster", tmp_path)
    accuracies = [float(number) for number in re.findall(r" (0\.\d{4})", output.splitlines()[-1])]
    asynchronous, synchronous, single, restarted, one_server = accuracies
    assert asynchronous >= 0.97 and synchronous >= 0.97
    assert synchronous == single == restarted == one_server
    # The error of the killed worker names it, and its step.
    assert re.search(r"error: \[WEIR0388\] .*step \d+ of entry 'sync1' has ended: task /job:worker/task:1 ", output), output
    # Nothing stays: neither processes nor files.
    assert not workers(tmp_path)
    assert not os.listdir(tmp_path)


def test_devices(tmp_path):
    lines = example("devices", tmp_path).splitlines()
    number = r"([0-9.e+-]+)"
    seen = {}
    for line in lines:
        if match := re.match(rf"(\S+) +accuracy {number}, largest difference from the interpreter {number}(.*)", line):
            seen[match[1]] = (float(match[2]), float(match[3]), match[4])
    assert list(seen) == ["CPU", "CPU+CPU", "CPU+GPU", "MXU"]
    assert all(accuracy >= 0.95 for accuracy, _, _ in seen.values())
    assert seen["MXU"][1] == 0
    assert re.fullmatch(r", utilisation [0-9.]+ % of \d+ cycles", seen["MXU"][2])
    assert lines[-1] == "same results on 4 placements"
    assert not os.listdir(tmp_path)
