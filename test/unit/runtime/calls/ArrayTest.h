//===- ArrayTest.h - Tests with tensor arrays -------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor array, and its nodes by short names.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_RUNTIME_CALLS_ARRAYTEST_H
#define WEIR_TEST_UNIT_RUNTIME_CALLS_ARRAYTEST_H

#include "test/unit/runtime/calls/CallTest.h"

namespace weir::rt::test {

/// How an array is made; as TensorFlow's defaults are.
struct ArrayOptions {
  int32_t dtype = WEIR_F32;
  bool hasRank = false;
  Dims dims = {};
  bool dynamic = false, clear = true, identical = false;
};

inline ArrayOptions shaped(const Dims &dims) {
  ArrayOptions options;
  options.hasRank = true;
  options.dims = dims;
  return options;
}
inline ArrayOptions dynamic(ArrayOptions options = {}) {
  options.dynamic = true;
  return options;
}
inline ArrayOptions kept(ArrayOptions options = {}) {
  options.clear = false;
  return options;
}
inline ArrayOptions identical(ArrayOptions options = {}) {
  options.identical = true;
  return options;
}
inline ArrayOptions of(int32_t dtype, ArrayOptions options = {}) {
  options.dtype = dtype;
  return options;
}

class ArrayTest : public CallTest {
protected:
  Node make(TensorRef size, const ArrayOptions &options = {}) {
    Node node =
        Node(weir_node_tensor_array)
            .in(std::move(size))
            .number(options.dtype)
            .number(options.dynamic)
            .number(options.clear)
            .number(options.identical)
            .number(options.hasRank ? static_cast<int64_t>(options.dims.size())
                                    : -1);
    for (int64_t extent : options.dims)
      node.number(extent);
    return node.out(WEIR_RESOURCE, {}).out(WEIR_F32, {});
  }
  TensorRef array(int32_t size, const ArrayOptions &options = {}) {
    return run(make(i32(size), options));
  }

  Node write(const TensorRef &h, int32_t index, TensorRef value) {
    return Node(weir_node_tensor_array_write)
        .in(h)
        .in(i32(index))
        .in(std::move(value))
        .in(flow)
        .out(WEIR_F32, {});
  }
  Node read(const TensorRef &h, int32_t index, int32_t dtype = WEIR_F32) {
    return Node(weir_node_tensor_array_read)
        .in(h)
        .in(i32(index))
        .in(flow)
        .out(dtype);
  }
  Node gather(const TensorRef &h, const std::vector<int32_t> &indices,
              int32_t dtype = WEIR_F32) {
    return gatherBare(h, indices).out(dtype);
  }
  /// With what is known of the result's shape.
  Node gatherAs(const TensorRef &h, const std::vector<int32_t> &indices,
                const Dims &dims) {
    return gatherBare(h, indices).out(WEIR_F32, dims);
  }
  Node scatter(const TensorRef &h, TensorRef indices, TensorRef value) {
    return Node(weir_node_tensor_array_scatter)
        .in(h)
        .in(std::move(indices))
        .in(std::move(value))
        .in(flow)
        .out(WEIR_F32, {});
  }
  Node scatter(const TensorRef &h, const std::vector<int32_t> &indices,
               TensorRef value) {
    return scatter(h, i32s({static_cast<int64_t>(indices.size())}, indices),
                   std::move(value));
  }
  Node concat(const TensorRef &h, int32_t dtype = WEIR_F32) {
    return Node(weir_node_tensor_array_concat)
        .in(h)
        .in(flow)
        .out(dtype)
        .out(WEIR_I64, {-1});
  }
  Node concatAs(const TensorRef &h, const Dims &dims) {
    return Node(weir_node_tensor_array_concat)
        .in(h)
        .in(flow)
        .out(WEIR_F32, dims)
        .out(WEIR_I64, {-1});
  }
  Node split(const TensorRef &h, TensorRef value, TensorRef lengths) {
    return Node(weir_node_tensor_array_split)
        .in(h)
        .in(std::move(value))
        .in(std::move(lengths))
        .in(flow)
        .out(WEIR_F32, {});
  }
  Node split(const TensorRef &h, TensorRef value, const Ints &lengths) {
    return split(h, std::move(value),
                 i64s({static_cast<int64_t>(lengths.size())}, lengths));
  }
  Node size(const TensorRef &h) {
    return Node(weir_node_tensor_array_size).in(h).in(flow).out(WEIR_I32, {});
  }
  Node close(const TensorRef &h) {
    return Node(weir_node_tensor_array_close).in(h);
  }
  Node gradient(const TensorRef &h, const std::string &source = "g") {
    return Node(weir_node_tensor_array_gradient)
        .in(h)
        .in(flow)
        .text(source)
        .out(WEIR_RESOURCE, {})
        .out(WEIR_F32, {});
  }

  TensorRef flow = f32(0);

private:
  Node gatherBare(const TensorRef &h, const std::vector<int32_t> &indices) {
    return Node(weir_node_tensor_array_gather)
        .in(h)
        .in(i32s({static_cast<int64_t>(indices.size())}, indices))
        .in(flow);
  }
};

} // namespace weir::rt::test

#endif // WEIR_TEST_UNIT_RUNTIME_CALLS_ARRAYTEST_H
