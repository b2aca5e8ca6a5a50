# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases in which Weir does not do what TensorFlow does yet, by what is missing.

Each is a gap of Weir, not of the case; a case that agrees has to leave the list.
"""

_REASONS = {
    "ops that there is no node for: TopKV2, Cumsum, DynamicPartition, ListDiff, Unique, RefSelect, TemporaryVariable, "
    "StageClear, DestroyResourceOp": """
        feeds/fetch_second_output math/top_k math/cumulative math/dynamic_partition_and_stitch
        gradients/dynamic_partition_and_stitch gradients/reduction-reduce_prod_v1 gradients/optimizer_on_rows-adam
        gradients/optimizer_on_rows-momentum gradients/optimizer_on_rows-adagrad dead_values/ref_select
        variables/temporary_variable coordination/stage_clear variables/destroy_then_read""",
    "tensor lists and optionals, which gradients of functional control flow are made of": """
        functions/gradient_of_functional_while functions/gradient_of_functional_cond""",
    "ranges, shapes and places that are computed in the step": """
        arrays/filled_by_a_loop arrays/dynamic_array_in_a_loop loops/bubble_sort_pass math/reshape_to_a_fed_shape
        math/slice_at_a_fed_place math/ranges_and_fills""",
    "indices into more than one dimension": "math/gather_and_scatter_nd",
    "strings compared, moved and kept in variables": """
        dead_values/smart_mixture_with_strings input/matching_files input/parse_example input/string_equality
        input/string_moves variables/string_variable-False variables/string_variable-True""",
    "a list of handles": "queues/fifo_selected_by_index",
    "a variable whose shape changes": "variables/validate_shape_off",
    "a limit that is reached is INVALID_ARGUMENT, not OUT_OF_RANGE": "variables/count_up_to-False variables/count_up_to-True",
    "a node that contradicts itself is UNIMPLEMENTED, not INVALID_ARGUMENT": """
        malformed/switch_on_a_number malformed/function_that_does_not_exist""",
}

OPEN = {name: reason for reason, names in _REASONS.items() for name in names.split()}
