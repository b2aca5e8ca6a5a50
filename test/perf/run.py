#!/usr/bin/env python3
# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times Weir beside other systems, in one run, on the same work.

    test/perf/run.py [training|overhead|loops] [--workloads mlp cnn] [--cpus 0 0,1] [--torch PYTHON] [--json FILE]

Prints a table for each number of cores: the milliseconds (training) or
microseconds (overhead) of each system, and how many times as long as Weir's
they are. A training step counts only if its losses, before the first and after
the fifth step, are Weir's to 1e-4. Exit code 1 if a loss differs or Weir itself
does not run; a peer that is not installed is left out, and said so.

Nothing else should run on the machine.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ORACLES = ROOT / "build" / "oracles" / "bin" / "python"
PYTHON = ROOT / "build" / "python" / "bin" / "python"
TOLERANCE = 1e-4


def training_commands(args, workload):
    yield "weir", [PYTHON, "weir_training.py", workload], {}
    yield "jax", [ORACLES, "peer_jax.py", workload], {}
    yield "tf-graph", [ORACLES, "peer_tf.py", workload], {"MODE": "graph"}
    yield "tf-xla", [ORACLES, "peer_tf.py", workload], {"MODE": "xla"}
    if args.torch:
        yield "torch-eager", [args.torch, "peer_torch.py", workload], {"MODE": "eager"}
        yield "torch-compile", [args.torch, "peer_torch.py", workload], {"MODE": "compile"}


def overhead_commands(args, folder):
    yield "weir", [step_program(folder, "null"), "null step", "2"], {}
    yield "weir", [step_program(folder, "queue"), "queue step: one in, one out", "1"], {}
    yield "weir", [PYTHON, "weir_overhead.py"], {}
    yield "jax", [ORACLES, "peer_jax.py"], {}
    yield "onnxruntime", [ORACLES, "peer_ort.py"], {}
    yield "tf", [ORACLES, "peer_tf.py"], {}
    if args.torch:
        yield "torch", [args.torch, "peer_torch.py"], {}


def tree():
    return pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build" / "release"))


def step_program(folder, name):
    """The C program that calls the step of a module over and over, built in `folder`."""
    source, library, program = HERE / "overhead", folder / f"lib{name}.so", folder / f"{name}_step"
    subprocess.run([tree() / "bin" / "weir-compile", source / "Inputs" / f"{name}.mlir", "--emit=so", "-o", library], check=True)
    subprocess.run(["clang-22", "-O2", "-std=gnu11", f"-I{ROOT / 'include'}", source / "step.c", library,
                    f"-Wl,-rpath,{folder}", "-o", program], check=True)
    return program


def loop_program(folder):
    """The C program that runs the loop of `loops`, as a step and as C, built in `folder`."""
    source, library, program = HERE / "loops", folder / "libwhile.so", folder / "while"
    subprocess.run([tree() / "bin" / "weir-compile", source / "Inputs" / "while.mlir", "--emit=so", "-o", library], check=True)
    subprocess.run(["clang-22", "-O2", "-std=gnu11", f"-I{ROOT / 'include'}", source / "while.c", library,
                    f"-Wl,-rpath,{folder}", "-lm", "-o", program], check=True)
    return program


def measure(command, variables, cpus, folder):
    """The JSON lines that a runner prints, or the last line of its error."""
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="",
                       PYTHONPATH=str(tree() / "python"), **variables)
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        environment.pop(name, None)
    try:
        result = subprocess.run(["taskset", "-c", cpus, *map(str, command)], cwd=folder, env=environment,
                                capture_output=True, text=True, timeout=900)
    except (OSError, subprocess.TimeoutExpired) as error:
        return [], str(error)
    rows = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    return rows, "" if rows else (result.stderr.strip().splitlines() or [f"exit code {result.returncode}"])[-1]


def show(title, rows, key, unit):
    """One table; the first row is Weir's, and the others are compared with it."""
    print(f"\n{title}")
    base = rows[0][key]
    for row in rows:
        ratio = f"{row[key] / base:6.2f} × Weir's" if row is not rows[0] else ""
        print(f"  {row['system']:<14}{row[key]:>10.3f} {unit}  {ratio:<16}{row.get('note', '')}")


def run_training(args):
    bad, everything = False, []
    for cpus in args.cpus:
        for workload in args.workloads:
            rows, missing = [], []
            for system, command, variables in training_commands(args, workload):
                found, error = measure(command, variables, cpus, HERE / "training")
                rows += found
                if error:
                    missing.append(f"{system}: {error}")
                    bad = bad or system == "weir"
            everything += rows
            if rows and rows[0]["system"] == "weir":
                for row in rows[1:]:
                    difference = max(abs(row[loss] - rows[0][loss]) for loss in ("loss0", "loss5"))
                    if not difference <= TOLERANCE:
                        row["note"] = f"losses differ by {difference:.1e}"
                        bad = True
                show(f"{workload}, cores {cpus}: one training step; losses {rows[0]['loss0']} … {rows[0]['loss5']}",
                     rows, "median_ms", "ms")
            for line in missing:
                print(f"  left out: {line}")
    return bad, everything


def run_overhead(args):
    bad, rows = False, []
    with tempfile.TemporaryDirectory() as folder:
        for system, command, variables in overhead_commands(args, pathlib.Path(folder)):
            found, error = measure(command, variables, args.cpus[0], HERE / "overhead")
            rows += [row for row in found if "null step" in row["workload"] or "queue step" in row["workload"]]
            if error:
                print(f"  left out: {system}: {error}")
                bad = bad or system == "weir"
    print(f"\none step, core {args.cpus[0]}: a scalar in, a scalar out")
    for row in rows:
        print(f"  {row['system']:<14}{row['median_us']:>10.3f} µs  {row['workload']}")
    return bad, rows


def run_loops(args):
    with tempfile.TemporaryDirectory() as folder:
        rows, error = measure([loop_program(pathlib.Path(folder))], {}, args.cpus[0], HERE / "loops")
    if error:
        print(f"  left out: weir: {error}")
        return True, rows
    show(f"{rows[0]['workload']}, core {args.cpus[0]}: one iteration", rows, "median_ns", "ns")
    return False, rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", help="training, overhead, loops (default: all)")
    parser.add_argument("--workloads", nargs="+", default=["mlp", "cnn"], choices=["mlp", "cnn"])
    parser.add_argument("--cpus", nargs="+", default=["0", "0,1"], help="sets of cores, as taskset takes them")
    parser.add_argument("--torch", metavar="PYTHON", help="an interpreter that has PyTorch")
    parser.add_argument("--json", metavar="FILE", help="write all rows there")
    args = parser.parse_args()
    runs = {"training": run_training, "overhead": run_overhead, "loops": run_loops}
    unknown = set(args.what) - set(runs)
    if unknown:
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(runs)}")
    bad, rows = False, []
    for what in args.what or runs:
        wrong, found = runs[what](args)
        bad, rows = bad or wrong, rows + found
    if args.json:
        pathlib.Path(args.json).write_text("".join(json.dumps(row) + "\n" for row in rows))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
