# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times a call that takes microseconds; prints one JSON line."""
import json
import os
import statistics
import time


def per_call(system, what, call, batch=200, seconds=3.0, ops=None):
    for _ in range(batch):
        call()
    us, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(us) < 10:
        t = time.perf_counter()
        for _ in range(batch):
            call()
        us.append((time.perf_counter() - t) / batch * 1e6)
    m = statistics.median(us)
    r = dict(system=system, workload=what, threads=len(os.sched_getaffinity(0)), median_us=round(m, 3), min_us=round(min(us), 3))
    if ops:
        r["million_ops_per_s"] = round(ops / m, 3)
    print(json.dumps(r), flush=True)
