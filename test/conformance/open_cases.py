# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases in which Weir does not do what TensorFlow does yet, by what is missing.

Each is a gap of Weir, not of the case; a case that agrees has to leave the list.
"""

_REASONS = {
    "a scatter into what a value says, in a kernel": """
        math/dynamic_partition_and_stitch gradients/dynamic_partition_and_stitch gradients/optimizer_on_rows-adam
        gradients/optimizer_on_rows-momentum gradients/optimizer_on_rows-adagrad""",
    "ranges of float bounds that are computed": "math/ranges_and_fills",
    "shapes of lists of files": "input/matching_files",
}

OPEN = {name: reason for reason, names in _REASONS.items() for name in names.split()}
