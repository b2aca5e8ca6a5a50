# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TensorFlow's own cluster on this machine, beside cluster_benchmark.cpp: each task is a process.

    peer_tf.py [PS_COUNT ...]     (default: 4 16)

The null step reads one value from every parameter server, adds one to it there, and sums the values on the worker.
The bulk step fetches 100 MB from all of them.
"""
import json
import os
import socket
import statistics
import subprocess
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def free_ports(n):
    socks = [socket.socket() for _ in range(n)]
    for s in socks:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in socks]
    for s in socks:
        s.close()
    return ports


def processor_ms(pids):
    """What processes have used of the processors so far."""
    ticks = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as file:
            ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:13]))
    return ticks * 1000 / os.sysconf("SC_CLK_TCK")


def serve(spec, job, task):
    import tensorflow as tf
    tf.compat.v1.train.Server(tf.train.ClusterSpec(spec), job_name=job, task_index=task).join()


def main(count):
    import tensorflow as tf
    v1 = tf.compat.v1
    v1.disable_eager_execution()
    ports = free_ports(count + 1)
    spec = {"ps": [f"127.0.0.1:{p}" for p in ports[:count]], "worker": [f"127.0.0.1:{ports[count]}"]}
    procs = [subprocess.Popen([sys.executable, __file__, "serve", json.dumps(spec), "ps", str(i)], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) for i in range(count)]
    procs.append(subprocess.Popen([sys.executable, __file__, "serve", json.dumps(spec), "worker", "0"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL))
    try:
        with tf.Graph().as_default() as g:
            small, big, up = [], [], []
            for i in range(count):
                with tf.device(f"/job:ps/task:{i}"):
                    v = v1.get_variable(f"s{i}", [], use_resource=True, initializer=v1.zeros_initializer())
                    small.append(v)
                    up.append(v.assign_add(1.0, read_value=False))
                    big.append(v1.get_variable(f"b{i}", [25_000_000 // count], use_resource=True, initializer=v1.ones_initializer()))
            with tf.device("/job:worker/task:0"):
                total = tf.add_n([v.read_value() for v in small])
                null = tf.group(total, *up)
                bulk = tf.group(*[tf.identity(b.read_value()) for b in big])
            with v1.Session(f"grpc://{spec['worker'][0]}", graph=g) as s:
                s.run(v1.global_variables_initializer())
                for what, op, n in ((f"null step, {count} ps", null, 400), (f"fetch 100 MB from {count} ps", bulk, 30)):
                    run = s.make_callable(op)
                    for _ in range(5):
                        run()
                    pids = [os.getpid(), *[p.pid for p in procs]]
                    ms, used = [], processor_ms(pids)
                    for _ in range(n):
                        t = time.perf_counter()
                        run()
                        ms.append((time.perf_counter() - t) * 1e3)
                    used = (processor_ms(pids) - used) / n
                    ms.sort()
                    print(json.dumps(dict(system="tf", workload=what, threads=len(os.sched_getaffinity(0)), median_ms=round(statistics.median(ms), 3),
                                          p10_ms=round(ms[n // 10], 3), p90_ms=round(ms[n * 9 // 10], 3), cpu_ms=round(used, 3))), flush=True)
    finally:
        for p in procs:
            p.kill()
            p.wait()


if sys.argv[1:2] == ["serve"]:
    serve(json.loads(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
else:
    for c in map(int, sys.argv[1:] or ["4", "16"]):
        main(c)
