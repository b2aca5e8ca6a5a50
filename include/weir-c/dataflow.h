//===- dataflow.h - Programs that the executor runs ---------------*- C -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry point whose graph has blocking or non-strict nodes is no straight
// line: the compiler describes it as a table of nodes, and the executor runs
// each when what it waits for is there. Everything here is constant data that
// the compiler has checked; the executor checks it once more when it prepares
// an entry, so that a damaged table is an error.
//
// Semantics: docs/spec/dataflow.md. Source: OSDI 2016 sections 3.1 to 3.4.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_C_DATAFLOW_H
#define WEIR_C_DATAFLOW_H

#include "weir-c/program.h"
#include "weir-c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct WeirNodeCall WeirNodeCall;

/// A node that the runtime carries out. Returns at once; the node has run when
/// weir_node_finish (or weir_node_fail) was called on `call`, from any thread,
/// during the function or later. The calls that exist are declared below.
typedef void (*WeirNodeFn)(WeirNodeCall *call);

/// Where an operand comes from: output `output` of node `node`; with `node` -1,
/// constant `output`, which is there always and in every frame.
typedef struct WeirEdge {
  int32_t node;
  int32_t output;
} WeirEdge;

typedef enum WeirNodeKind {
  /// `call` carries it out.
  WEIR_NODE_CALL = 0,
  /// `kernel`, compiled code: its feeds are the inputs, its fetches the
  /// outputs.
  WEIR_NODE_KERNEL = 1,
  /// Joins control edges; no outputs.
  WEIR_NODE_NO_OP = 2,
  /// The same, and runs even where what it waits for is dead.
  WEIR_NODE_CONTROL_TRIGGER = 3,
  /// Output 0 is feed `index`.
  WEIR_NODE_FEED = 4,
  /// Input 0 becomes fetch `index`; an error where it is dead.
  WEIR_NODE_FETCH = 5,
  /// Inputs: value, and a scalar (boolean: output 0 false, 1 true; i32: which
  /// output, the last where it is out of range). One output is live.
  WEIR_NODE_SWITCH = 6,
  /// Outputs: the first live input, and its number (i32 scalar).
  WEIR_NODE_MERGE = 7,
  /// From its frame into frame `index`. `numbers[0]`: 1 for a value that every
  /// iteration sees, 0 for one that begins iteration 0.
  WEIR_NODE_ENTER = 8,
  /// From its frame to the parent.
  WEIR_NODE_EXIT = 9,
  /// To the next iteration of its frame.
  WEIR_NODE_NEXT_ITERATION = 10,
  /// Its input.
  WEIR_NODE_IDENTITY = 11,
  /// Hands its input, or with no input the fact that it ran, to the device
  /// `texts[2]`; what is dead is sent as dead. `texts`: the name of the tensor,
  /// the device it comes from, the device it goes to. `index` -1.
  WEIR_NODE_SEND = 12,
  /// Output 0 (there may be none) is what the SEND with the same texts was
  /// given; dead where that was.
  WEIR_NODE_RECEIVE = 13
} WeirNodeKind;

typedef struct WeirNodeDesc {
  int32_t kind; /* WeirNodeKind */
  /// FEED, FETCH: the number of the feed or fetch. ENTER: the frame that it
  /// enters. CALL: the variable or resource of the program that it is about
  /// (docs of the call), else -1.
  int32_t index;
  /// The frame that it runs in: 0 is the graph itself. An ENTER runs in the
  /// parent of the frame it enters, an EXIT in the frame that it leaves.
  int32_t frame;
  int32_t input_count;
  int32_t output_count;
  int32_t control_count;
  int32_t number_count;
  int32_t text_count;
  const char *name;       /* "'name' at file:line", for messages */
  const WeirEdge *inputs; /* input_count */
  /// The nodes that have to run before (control edges). A SWITCH as control
  /// means the node itself, not one of its outputs.
  const WeirEdge *controls; /* output -1: the node ran; else: that output is
                               there */
  const WeirTensorDesc *outputs; /* output_count, without names */
  WeirEntryFn kernel;      /* KERNEL; CALL: the update that the call applies */
  WeirNodeFn call;         /* CALL */
  const int64_t *numbers;  /* what the call documents */
  const WeirString *texts; /* the same */
} WeirNodeDesc;

typedef struct WeirFrameDesc {
  const char *name;
  int32_t parent; /* -1 for frame 0 */
  /// How many iterations may be in flight, >= 1.
  int32_t parallel_iterations;
} WeirFrameDesc;

/// What the `data` of a constant of WEIR_RESOURCE points to: the executor makes
/// the handle when it prepares the entry for a session.
typedef struct WeirHandleDesc {
  int32_t is_variable; /* 1: of the program's variables, 0: of its resources */
  int32_t index;
} WeirHandleDesc;

struct WeirDataflow {
  const WeirNodeDesc *nodes;
  const WeirFrameDesc *frames; /* frame 0 is the graph */
  /// Immediate values. A scalar of WEIR_RESOURCE has a WeirHandleDesc as data.
  const WeirView *constants;
  int32_t node_count;
  int32_t frame_count;
  int32_t constant_count;
};

/// What an entry point of this kind has as its function: runs the entry's
/// table on the calling thread and those of the pool.
int32_t weir_rt_run_dataflow(WeirStep *step);

/// What an entry point with parts has as its function.
int32_t weir_rt_run_parts(WeirStep *step);

// ---- Calls. In brackets: index, inputs -> outputs, numbers, texts. `h` is a
// ---- scalar WEIR_RESOURCE tensor.

/// [variable; -> value]
void weir_node_read(WeirNodeCall *call);
/// [variable; value ->]
void weir_node_assign(WeirNodeCall *call);
/// The new value is what `kernel` makes of the old one and the inputs, applied
/// while no other update of the variable runs. [variable; inputs... ->]
void weir_node_update(WeirNodeCall *call);
/// [variable; -> bool scalar]
void weir_node_is_initialized(WeirNodeCall *call);
/// The same by handle.
void weir_node_read_resource(WeirNodeCall *call);   /* [h -> value] */
void weir_node_assign_resource(WeirNodeCall *call); /* [h, value ->] */
/// [h, inputs... ->; numbers: dtype, rank and extents of the old value that the
/// kernel takes, an extent of -1 being any]
void weir_node_update_resource(WeirNodeCall *call);
void weir_node_is_initialized_resource(WeirNodeCall *call); /* [h -> bool] */
/// A variable of the step. [-> h; numbers: dtype, rank or -1, its extents]
void weir_node_temporary_variable(WeirNodeCall *call);
/// Takes its value away. [h ->]
void weir_node_variable_destroy(WeirNodeCall *call);
/// Its input, once its elements are finite. [x -> x; texts: message]
void weir_node_check_numerics(WeirNodeCall *call);
/// [path, values... ->; texts: a name for each value]
void weir_node_save(WeirNodeCall *call);
/// [path -> values...; texts: a name for each value]
void weir_node_restore(WeirNodeCall *call);
/// Writes shard `numbers[0]` of `numbers[1]` of the checkpoint `path`, which is
/// there for readers once all shards are committed. `receipt` is a string that
/// says what was written. [path, values... -> receipt; texts: a name for each
/// value, then for each the slice of a larger tensor that it is, or "";
/// docs/spec/checkpoints.md]
void weir_node_save_shard(WeirNodeCall *call);
/// Makes the shards of the checkpoint `path` one checkpoint, or none.
/// [path, receipts... ->]
void weir_node_save_commit(WeirNodeCall *call);
/// Its input, once its extents are those of the output's descriptor. [x -> x]
void weir_node_ensure_shape(WeirNodeCall *call);
/// An error with the texts and the values where the first input is false.
/// [condition, values... ->; numbers: 1 for OUT_OF_RANGE, 0 for
/// INVALID_ARGUMENT; texts: message]
void weir_node_assert(WeirNodeCall *call);
/// Always an error: this version has no such op. [inputs... -> outputs...;
/// texts: op type]
void weir_node_foreign(WeirNodeCall *call);

// Queues. numbers: time-out in ms or -1 (close: 1 cancels what waits).
void weir_node_enqueue(WeirNodeCall *call);         /* [h, components... ->] */
void weir_node_enqueue_many(WeirNodeCall *call);    /* [h, batches... ->] */
void weir_node_dequeue(WeirNodeCall *call);         /* [h -> components...] */
void weir_node_dequeue_many(WeirNodeCall *call);    /* [h, n -> batches...] */
void weir_node_dequeue_up_to(WeirNodeCall *call);   /* [h, n -> batches...] */
void weir_node_queue_size(WeirNodeCall *call);      /* [h -> i32] */
void weir_node_queue_close(WeirNodeCall *call);     /* [h ->] */
void weir_node_queue_is_closed(WeirNodeCall *call); /* [h -> bool] */
void weir_node_queue_clear(WeirNodeCall *call);     /* [h ->] */

// Barriers. numbers: time-out in ms or -1; then as noted.
void weir_node_barrier_insert_many(WeirNodeCall *call); /* [h, keys, values ->;
                                       numbers: component] */
void weir_node_barrier_take_many(
    WeirNodeCall *call);                          /* [h, n -> indices,
     keys, values...; numbers: time-out, allow_small_batch, wait_for_incomplete] */
void weir_node_barrier_close(WeirNodeCall *call); /* [h ->; numbers: cancel] */
void weir_node_barrier_ready_size(WeirNodeCall *call);      /* [h -> i32] */
void weir_node_barrier_incomplete_size(WeirNodeCall *call); /* [h -> i32] */

// Conditional accumulators.
void weir_node_accumulator_apply(WeirNodeCall *call); /* [h, step i64, gradient
                                                         ->] */
void weir_node_accumulator_take(WeirNodeCall *call);  /* [h, n i32 -> mean] */
void weir_node_accumulator_size(WeirNodeCall *call);  /* [h -> i32] */
void weir_node_accumulator_set_step(WeirNodeCall *call); /* [h, step i64 ->] */

// Stacks and tensor arrays: they belong to the step.
void weir_node_stack(WeirNodeCall *call); /* [max i32 -> h; numbers: dtype] */
void weir_node_stack_push(WeirNodeCall *call);  /* [h, value -> value] */
void weir_node_stack_pop(WeirNodeCall *call);   /* [h -> value] */
void weir_node_stack_close(WeirNodeCall *call); /* [h ->] */
/// [size i32 -> h, flow f32; numbers: dtype, dynamic_size, clear_after_read,
/// identical_element_shapes, element rank or -1, its extents]
void weir_node_tensor_array(WeirNodeCall *call);
/// [h, flow -> h, flow; texts: source]
void weir_node_tensor_array_gradient(WeirNodeCall *call);
void weir_node_tensor_array_write(WeirNodeCall *call); /* [h, i, value, flow ->
                                                          flow] */
void weir_node_tensor_array_read(
    WeirNodeCall *call); /* [h, i, flow -> value] */
void weir_node_tensor_array_gather(WeirNodeCall *call);  /* [h, indices, flow ->
                                                            value] */
void weir_node_tensor_array_scatter(WeirNodeCall *call); /* [h, indices, value,
                                                            flow -> flow] */
void weir_node_tensor_array_concat(WeirNodeCall *call);  /* [h, flow -> value,
                                                            lengths i64] */
void weir_node_tensor_array_split(WeirNodeCall *call);   /* [h, value, lengths
                                                            i64, flow -> flow] */
void weir_node_tensor_array_size(WeirNodeCall *call);    /* [h, flow -> i32] */
void weir_node_tensor_array_close(WeirNodeCall *call);   /* [h ->] */

// Input. A reader takes its work (file names) from a queue.
void weir_node_reader_read(WeirNodeCall *call); /* [h, queue -> key, value] */
void weir_node_reader_read_up_to(WeirNodeCall *call); /* [h, queue, n i64 ->
                                                         keys, values] */
void weir_node_reader_records_produced(WeirNodeCall *call); /* [h -> i64] */
void weir_node_reader_work_completed(WeirNodeCall *call);   /* [h -> i64] */
void weir_node_reader_reset(WeirNodeCall *call);            /* [h ->] */
void weir_node_read_file(WeirNodeCall *call);      /* [path -> bytes] */
void weir_node_matching_files(WeirNodeCall *call); /* [patterns -> paths] */
/// [bytes -> values; numbers: little_endian]
void weir_node_decode_raw(WeirNodeCall *call);
/// [records, defaults... -> columns...; numbers: use_quotes; texts: delimiter,
/// NA value]
void weir_node_decode_csv(WeirNodeCall *call);
/// [bytes -> image u8; numbers: channels; texts: "png" or "jpeg"]
void weir_node_decode_image(WeirNodeCall *call);
/// The array of a .npy file, or the one of that name in a .npz file. [bytes ->
/// value; texts: name]
void weir_node_decode_npy(WeirNodeCall *call);
/// Dense features only. [serialized, defaults... -> values...; numbers for each
/// feature: rank, extents; texts: a name for each feature]
void weir_node_parse_example(WeirNodeCall *call);
/// Strings. [inputs... -> joined; texts: separator]
void weir_node_string_join(WeirNodeCall *call);
void weir_node_as_string(WeirNodeCall *call);        /* [x -> strings] */
void weir_node_string_to_number(WeirNodeCall *call); /* [strings -> numbers] */
/// The strings of the inputs from the second on, as one list, at the places
/// that the first says. [places i64, inputs... -> strings]
void weir_node_take_strings(WeirNodeCall *call);
/// [x, y -> bool; numbers: eq 0, ne 1, lt 2, le 3, gt 4, ge 5]
void weir_node_compare_strings(WeirNodeCall *call);

// Values whose extents depend on elements.
void weir_node_top_k(WeirNodeCall *call); /* [x, k i32 -> values, indices] */
void weir_node_dynamic_partition(WeirNodeCall *call); /* [data, partitions i32
                                                         -> parts...] */
void weir_node_unique(WeirNodeCall *call); /* [x -> values, indices, counts] */
void weir_node_list_difference(WeirNodeCall *call); /* [x, y -> values,
                                                       indices] */
void weir_node_nonzero(WeirNodeCall *call);         /* [x -> i64 rows] */
void weir_node_select_n(WeirNodeCall *call); /* [i i32, inputs... -> value] */

// Lists of tensors and optionals: values that travel as handles. `l` is a list.
/// [n i32 -> l; numbers: dtype, rank or -1, extents of an element]
void weir_node_tensor_list(WeirNodeCall *call);
void weir_node_tensor_list_push(WeirNodeCall *call); /* [l, x -> l] */
void weir_node_tensor_list_pop(WeirNodeCall *call);  /* [l -> l, x] */
void weir_node_tensor_list_get(WeirNodeCall *call);  /* [l, i i32 -> x] */
/// [l, i i32, x -> l; numbers: 1 where the list may grow]
void weir_node_tensor_list_set(WeirNodeCall *call);
void weir_node_tensor_list_stack(WeirNodeCall *call);  /* [l -> x] */
void weir_node_tensor_list_gather(WeirNodeCall *call); /* [l, i i32 -> x] */
void weir_node_tensor_list_from_tensor(WeirNodeCall *call); /* [x -> l] */
void weir_node_tensor_list_scatter(WeirNodeCall *call); /* [l, i i32, x -> l] */
void weir_node_tensor_list_concat(WeirNodeCall *call);  /* [l -> x, lengths] */
void weir_node_tensor_list_split(WeirNodeCall *call);   /* [x, lengths -> l] */
void weir_node_tensor_list_size(WeirNodeCall *call);    /* [l -> i32] */
void weir_node_tensor_list_resize(WeirNodeCall *call);  /* [l, n i32 -> l] */
void weir_node_tensor_list_element_shape(WeirNodeCall *call); /* [l -> shape] */
void weir_node_tensor_list_add(WeirNodeCall *call);           /* [l, l -> l] */
void weir_node_tensor_list_zeros(WeirNodeCall *call);         /* [l -> l] */
void weir_node_optional_from_values(WeirNodeCall *call);      /* [values... ->
                                                                 o] */
void weir_node_optional_none(WeirNodeCall *call);             /* [-> o] */
void weir_node_optional_has_values(WeirNodeCall *call);       /* [o -> bool] */
void weir_node_optional_get_values(WeirNodeCall *call); /* [o -> values...] */

#ifdef __cplusplus
}
#endif

#endif // WEIR_C_DATAFLOW_H
