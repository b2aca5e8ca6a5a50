# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python code in the documents runs, as it stands, in order."""
import re

import pytest

from conftest import ROOT

DOCUMENTS = ["docs/how-to/python.md"]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_code_runs(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / document).read_text()
    blocks = [(text[:match.start()].count("\n") + 2, match.group(1))
              for match in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S)]
    assert blocks
    scope = {"__name__": "__main__"}
    for line, block in blocks:
        exec(compile("\n" * (line - 1) + block, str(ROOT / document), "exec"), scope)
