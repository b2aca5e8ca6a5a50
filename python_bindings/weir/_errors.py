# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of the package, each with a number, a place and a page in docs/errors."""
from __future__ import annotations

import os
import sys
from typing import NamedTuple, NoReturn, Optional

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


# The codes of include/weir-c/types.h.
_STATUS = ("", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
           "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
           "INTERNAL", "UNAVAILABLE", "DATA_LOSS")


class Place(NamedTuple):
    """A place in the user's Python code; line and column count from 1."""

    file: str
    line: int
    column: int


class WeirError(Exception):
    """Anything that goes wrong in Weir.

    Attributes:
      code: the number of the error's page, such as ``"WEIR0501"``, or ``""``.
      message: what is wrong and what to do, without number and place.
      file, line: where in the user's code, ``""`` and 0 where no line is to blame.
      notes: further facts, one in each line, or ``""``.
      status: what kind of error ended a step, such as ``"OUT_OF_RANGE"`` for the
        end of a queue's data, or ``""``.
    """

    def __init__(self, message: str, code: str = "", argument: str = "", file: str = "", line: int = 0,
                 notes: str = "", status: int = 0) -> None:
        self.message = message
        self.code = code
        self.argument = argument
        self.file = file
        self.line = line
        self.notes = notes
        self.status = _STATUS[status] if 0 < status < len(_STATUS) else ""
        super().__init__(message, code, argument, file, line, notes, status)

    def __str__(self) -> str:
        text = f"[{self.code}] " if self.code else ""
        if self.line:
            text += f"{_short(self.file)}:{self.line}: "
        text += self.message
        if self.notes:
            text += "\n  " + self.notes.replace("\n", "\n  ")
        return text


def _short(file: str) -> str:
    """The file as a user would type it here."""
    try:
        relative = os.path.relpath(file)
    except ValueError:
        return file
    return relative if len(relative) < len(file) else file


_places: dict = {}


def user_place() -> Optional[Place]:
    """The place of the innermost frame that is not of this package."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    if frame is None:
        return None
    code, instruction = frame.f_code, frame.f_lasti
    place = _places.get((code, instruction))
    if place is None:
        place = _places[code, instruction] = Place(code.co_filename, frame.f_lineno or 1, _column(code, instruction))
    return place


def _column(code, instruction: int) -> int:
    if not hasattr(code, "co_positions"):  # Python < 3.11
        return 1
    for i, (_, _, column, _) in enumerate(code.co_positions()):
        if 2 * i == instruction:
            return (column or 0) + 1
    return 1


def fail(code: str, message: str, *, argument: str = "", place: Optional[Place] = None) -> NoReturn:
    """Raises error `code`, such as "WEIR0501", at the user's line."""
    place = place or user_place()
    file, line = (place.file, place.line) if place else ("", 0)
    raise WeirError(message, code, argument, file, line)
