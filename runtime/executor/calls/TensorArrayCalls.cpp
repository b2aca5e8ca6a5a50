//===- TensorArrayCalls.cpp - Nodes of tensor arrays ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/executor/calls/CallSupport.h"
#include "runtime/state/TensorArray.h"

#include <cstring>

using namespace weir::rt;

/// What `body` gives for the tensor array that is operand 0.
template <typename Body>
static Status withArray(WeirNodeCall *call, const Body &body) {
  TensorArray *array = nullptr;
  WEIR_RETURN_IF_ERROR(findResource(call, 0, "a tensor array", array));
  return body(*array);
}

void weir_node_tensor_array(WeirNodeCall *call) {
  int64_t size = 0;
  Status status = integerInput(call, 0, "the size of a tensor array", size);
  TensorArrayOptions options;
  options.dtype = static_cast<int32_t>(numberOf(call, 0, WEIR_F32));
  options.dynamicSize = numberOf(call, 1, 0) != 0;
  options.clearAfterRead = numberOf(call, 2, 1) != 0;
  options.identicalShapes = numberOf(call, 3, 0) != 0;
  int64_t rank = numberOf(call, 4, -1);
  options.elementShape.hasRank = rank >= 0;
  for (int32_t i = 0; i < rank; ++i)
    options.elementShape.dims.push_back(numberOf(call, 5 + i, -1));
  std::shared_ptr<TensorArray> array;
  if (status.ok())
    status =
        TensorArray::create(call->node.name, size, std::move(options), array);
  if (status.ok())
    status = makeHandle(std::move(array), call->outputs[0]);
  if (status.ok())
    status = createTensor(WEIR_F32, 0, nullptr, call->outputs[1]);
  if (status.ok())
    std::memset(call->outputs[1].get()->data, 0, sizeof(float));
  finish(call, std::move(status));
}

void weir_node_tensor_array_gradient(WeirNodeCall *call) {
  Status status = withArray(call, [&](TensorArray &array) {
    std::shared_ptr<TensorArray> gradient;
    WEIR_RETURN_IF_ERROR(array.gradient(textOf(call, 0), gradient));
    return makeHandle(std::move(gradient), call->outputs[0]);
  });
  call->outputs[1] = call->inputs[1];
  finish(call, std::move(status));
}

/// Ends a node whose last operand is the flow and whose output is that again.
static void finishFlow(WeirNodeCall *call, Status status) {
  call->outputs[0] = call->inputs[call->node.input_count - 1];
  finish(call, std::move(status));
}

void weir_node_tensor_array_write(WeirNodeCall *call) {
  finishFlow(call, withArray(call, [&](TensorArray &array) {
               int64_t index = 0;
               WEIR_RETURN_IF_ERROR(integerInput(call, 1, "the index", index));
               return array.write(index, call->inputs[2]);
             }));
}

void weir_node_tensor_array_read(WeirNodeCall *call) {
  finish(call, withArray(call, [&](TensorArray &array) {
           int64_t index = 0;
           WEIR_RETURN_IF_ERROR(integerInput(call, 1, "the index", index));
           return array.read(index, call->outputs[0]);
         }));
}

void weir_node_tensor_array_gather(WeirNodeCall *call) {
  finish(call, withArray(call, [&](TensorArray &array) {
           return array.gather(call->inputs[1].view(),
                               PartialShape::of(call->node.outputs[0], 1),
                               call->outputs[0]);
         }));
}

void weir_node_tensor_array_scatter(WeirNodeCall *call) {
  finishFlow(call, withArray(call, [&](TensorArray &array) {
               return array.scatter(call->inputs[1].view(),
                                    call->inputs[2].view());
             }));
}

void weir_node_tensor_array_concat(WeirNodeCall *call) {
  finish(call, withArray(call, [&](TensorArray &array) {
           return array.concat(PartialShape::of(call->node.outputs[0], 1),
                               call->outputs[0], call->outputs[1]);
         }));
}

void weir_node_tensor_array_split(WeirNodeCall *call) {
  finishFlow(call, withArray(call, [&](TensorArray &array) {
               return array.split(call->inputs[1].view(),
                                  call->inputs[2].view());
             }));
}

void weir_node_tensor_array_size(WeirNodeCall *call) {
  finish(call, withArray(call, [&](TensorArray &array) {
           int64_t size = 0;
           WEIR_RETURN_IF_ERROR(array.size(size));
           return setInteger(call, 0, size);
         }));
}

void weir_node_tensor_array_close(WeirNodeCall *call) {
  finish(call, withArray(call, [&](TensorArray &array) {
           array.close();
           return Status();
         }));
}
