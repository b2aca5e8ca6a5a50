# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the package share."""
import os
import pathlib
import re
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

try:
    import weir
except ImportError:  # without test.sh: the package of the build tree
    sys.path.insert(0, str(pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build" / "dev")) / "python"))
    import weir


@pytest.fixture
def rng():
    return np.random.default_rng(7)


class Raised:
    """What `fails` caught."""

    error: weir.WeirError


class fails:
    """Expects a WeirError of this number whose message matches, at a line of the test that has `# here`."""

    def __init__(self, code, pattern, at=None):
        self.code, self.pattern, self.at = code, pattern, at
        self.raised = Raised()

    def __enter__(self):
        return self.raised

    def __exit__(self, kind, error, trace):
        assert error is not None, f"expected WEIR{self.code:04}, nothing was raised"
        if not isinstance(error, weir.WeirError):
            return False
        assert error.code == f"WEIR{self.code:04}", str(error)
        assert re.search(self.pattern, error.message), str(error)
        assert f"[WEIR{self.code:04}]" in str(error)
        if self.at is not None:
            assert error.file == self.at, str(error)
            line = pathlib.Path(error.file).read_text().splitlines()[error.line - 1]
            assert line.endswith("# here"), f"{error}\nis at: {line}"
        if error.code.startswith("WEIR05"):
            assert (ROOT / "docs" / "errors" / f"{error.code}.md").exists()
        self.raised.error = error
        return True


def close(actual, expected, tolerance=1e-5):
    """Same shape, same dtype, same numbers within a tolerance relative to the largest."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    if actual.dtype.kind in "biu":
        np.testing.assert_array_equal(actual, expected)
        return
    scale = max(1.0, float(np.max(np.abs(np.where(np.isfinite(expected), expected, 0)), initial=0)))
    np.testing.assert_allclose(actual.astype(np.float64), expected.astype(np.float64), rtol=0, atol=tolerance * scale)
