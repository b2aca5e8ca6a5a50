# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs on the pages of errors through weir-opt.

    run_error_pages.py PAGE... -- WEIR-OPT...

The program under **Fails** has to fail with the page's code, the one under
**Put right** must not fail. Its first line may name flags: `// weir-opt --x`.
"""

import re
import subprocess
import sys

split = sys.argv.index("--")
pages, command = sys.argv[1:split], sys.argv[split + 1 :]
wrong = ran = 0
for page in pages:
    text = open(page, encoding="utf-8").read()
    code = re.search(r"WEIR\d{4}", text)[0]
    for kind, program in re.findall(r"\*\*(Fails|Put right)\*\*\n```mlir\n(.*?)```", text, re.S):
        flags = re.match(r"// weir-opt (\S+)", program)
        run = subprocess.run(command + ([flags[1]] if flags else []), input=program, capture_output=True, text=True)
        good = run.returncode == 1 and f"[{code}]" in run.stderr if kind == "Fails" else run.returncode == 0
        ran += 1
        if not good:
            wrong += 1
            print(f"{page}: '{kind}' ended with {run.returncode}:\n{run.stderr}")
print(f"{ran - wrong} programs of {len(pages)} pages behave as described")
sys.exit(1 if wrong else 0)
