//===- ValueCalls.cpp - Nodes that are functions of their inputs ----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/calls/CallSupport.h"
#include "runtime/values/ValueCall.h"

using namespace weir::rt;

static void run(WeirNodeCall *call, ValueFunction function) {
  ValueCall values{call->node, call->inputs, call->outputs};
  Status status = function(values);
  finish(call, std::move(status));
}

void weir_node_top_k(WeirNodeCall *call) { run(call, topK); }
void weir_node_dynamic_partition(WeirNodeCall *call) {
  run(call, dynamicPartition);
}
void weir_node_unique(WeirNodeCall *call) { run(call, unique); }
void weir_node_list_difference(WeirNodeCall *call) {
  run(call, listDifference);
}
void weir_node_nonzero(WeirNodeCall *call) { run(call, nonzero); }
void weir_node_select_n(WeirNodeCall *call) { run(call, selectN); }
void weir_node_take_strings(WeirNodeCall *call) { run(call, takeStrings); }
void weir_node_compare_strings(WeirNodeCall *call) {
  run(call, compareStrings);
}
void weir_node_tensor_list(WeirNodeCall *call) { run(call, tensorList); }
void weir_node_tensor_list_push(WeirNodeCall *call) {
  run(call, tensorListPush);
}
void weir_node_tensor_list_pop(WeirNodeCall *call) { run(call, tensorListPop); }
void weir_node_tensor_list_get(WeirNodeCall *call) { run(call, tensorListGet); }
void weir_node_tensor_list_set(WeirNodeCall *call) { run(call, tensorListSet); }
void weir_node_tensor_list_stack(WeirNodeCall *call) {
  run(call, tensorListStack);
}
void weir_node_tensor_list_gather(WeirNodeCall *call) {
  run(call, tensorListGather);
}
void weir_node_tensor_list_from_tensor(WeirNodeCall *call) {
  run(call, tensorListFromTensor);
}
void weir_node_tensor_list_scatter(WeirNodeCall *call) {
  run(call, tensorListScatter);
}
void weir_node_tensor_list_concat(WeirNodeCall *call) {
  run(call, tensorListConcat);
}
void weir_node_tensor_list_split(WeirNodeCall *call) {
  run(call, tensorListSplit);
}
void weir_node_tensor_list_size(WeirNodeCall *call) {
  run(call, tensorListSize);
}
void weir_node_tensor_list_resize(WeirNodeCall *call) {
  run(call, tensorListResize);
}
void weir_node_tensor_list_element_shape(WeirNodeCall *call) {
  run(call, tensorListElementShape);
}
void weir_node_tensor_list_add(WeirNodeCall *call) { run(call, tensorListAdd); }
void weir_node_tensor_list_zeros(WeirNodeCall *call) {
  run(call, tensorListZeros);
}
void weir_node_optional_from_values(WeirNodeCall *call) {
  run(call, optionalFromValues);
}
void weir_node_optional_none(WeirNodeCall *call) { run(call, optionalNone); }
void weir_node_optional_has_values(WeirNodeCall *call) {
  run(call, optionalHasValues);
}
void weir_node_optional_get_values(WeirNodeCall *call) {
  run(call, optionalGetValues);
}
