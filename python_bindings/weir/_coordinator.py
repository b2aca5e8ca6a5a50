# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runners: steps that run over and over in threads of their own, beside others."""
from __future__ import annotations

import threading
import time
from typing import Any, List, Mapping, Optional, Sequence

from . import _weir
from ._errors import WeirError, fail


class _Runner:
    """What the threads of a runner share; with the coordinator's lock."""

    def __init__(self, name: str, running: int, left: Optional[int]) -> None:
        self.name, self.running, self.left = name, running, left


class Coordinator:
    """Starts runners, and stops them together.

    ::

        with weir.Coordinator() as runners:
            runners.start(session, ["enqueue"], close=["close_queue"])
            while True:
                try:
                    loss = session.run("loss:0", targets=["train"], coordinator=runners)
                except weir.WeirError as error:
                    if error.status != "OUT_OF_RANGE":
                        raise
                    break

    A runner ends when a step finds no more data (status OUT_OF_RANGE), when it has
    run as often as it was to, or when all are to stop. An error stops all of them,
    and `join` raises it. The rules are those of docs/spec/input.md.
    """

    def __init__(self) -> None:
        self._token = _weir.Cancellation()
        self._lock = threading.Lock()
        self._threads: List[threading.Thread] = []
        self._runners: List[_Runner] = []
        self._stopping = False
        self._error: Optional[BaseException] = None
        self._steps = 0

    def start(self, session: Any, targets: Sequence[str], feed_dict: Optional[Mapping[str, Any]] = None, *,
              close: Sequence[str] = (), threads: int = 1, steps: Optional[int] = None) -> None:
        """Runs `targets` of the session over and over, or `steps` times.

        `close` are targets that run once when the last of the `threads` has ended,
        for whatever reason: they close the queue that the runner fills.
        """
        if isinstance(targets, str) or isinstance(close, str):
            fail("WEIR0512", "targets and close are lists of names")
        if threads < 1 or (steps is not None and steps < 0):
            fail("WEIR0368", f"a runner has at least one thread and no negative number of steps, got {threads} and {steps}")
        runner = _Runner(", ".join(targets), threads, steps)
        started = [threading.Thread(target=self._run, args=(runner, session, list(targets), feed_dict, list(close)), daemon=True)
                   for _ in range(threads)]
        with self._lock:
            if self._stopping:
                fail("WEIR0368", f"runner '{runner.name}' is started after the runners were told to stop")
            self._runners.append(runner)
            self._threads += started
        for thread in started:
            thread.start()

    def should_stop(self) -> bool:
        with self._lock:
            return self._stopping

    def request_stop(self, reason: str = "the program stops") -> None:
        """All runners are to stop: steps that wait end, others are the last ones."""
        with self._lock:
            self._stopping = True
        self._token.cancel(reason)

    @property
    def step_count(self) -> int:
        """The steps of runners that have ended without an error."""
        with self._lock:
            return self._steps

    def join(self, timeout: Optional[float] = None) -> None:
        """Waits until all runners have ended, of themselves or because they are to stop; raises the first error.

        After `timeout` seconds they are told to stop, and the error names them.
        """
        end = None if timeout is None else time.monotonic() + timeout
        for thread in list(self._threads):
            thread.join(None if end is None else max(0.0, end - time.monotonic()))
        with self._lock:
            late = ", ".join(f"'{runner.name}'" for runner in self._runners if runner.running > 0)
        if late:
            self.request_stop("the runners did not end in time")
            fail("WEIR0368", f"after {timeout} s these runners still ran: {late}")
        with self._lock:
            error, self._error = self._error, None
        if error is not None:
            raise error

    def __enter__(self) -> "Coordinator":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.request_stop("the program goes on")
        try:
            self.join()
        except BaseException as cause:
            # What a runner failed with is why the step was cancelled or found no data.
            if error is None or (isinstance(error, WeirError) and error.status in ("CANCELLED", "OUT_OF_RANGE")):
                raise
            error.__context__ = cause

    def _run(self, runner: _Runner, session: Any, targets: List[str], feed_dict: Optional[Mapping[str, Any]],
             close: List[str]) -> None:
        failure: Optional[BaseException] = None
        while failure is None and self._take_step(runner):
            try:
                session.run(feed_dict=feed_dict, targets=targets, coordinator=self)
                with self._lock:
                    self._steps += 1
            except BaseException as error:
                failure = error
        status = getattr(failure, "status", "")
        with self._lock:
            expected = status == "OUT_OF_RANGE" or (self._stopping and status == "CANCELLED")
        if failure is not None and not expected:
            self._fail(failure, "another runner failed")
        with self._lock:
            last = runner.running == 1
            runner.running -= not last
        if not last:
            return
        try:
            if close:
                session.run(targets=close)
        except BaseException as error:
            # CANCELLED: somebody closed the queue before.
            if getattr(error, "status", "") != "CANCELLED":
                self._fail(error, "a closing step failed")
        with self._lock:
            runner.running = 0

    def _take_step(self, runner: _Runner) -> bool:
        with self._lock:
            if self._stopping or runner.left == 0:
                return False
            if runner.left is not None:
                runner.left -= 1
            return True

    def _fail(self, error: BaseException, reason: str) -> None:
        with self._lock:
            self._stopping = True
            if self._error is None:
                self._error = error
        self._token.cancel(reason)
