# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases in which Weir does not do what TensorFlow does yet, by what is missing.

Each is a gap of Weir, not of the case; a case that agrees has to leave the list.
"""

# A reason, and the names of the cases behind it.
_REASONS = {}

OPEN = {name: reason for reason, names in _REASONS.items() for name in names.split()}
