//===- Arrays.h - NumPy arrays as views, tensors as NumPy arrays -*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only place that knows NumPy's C interface. Everything here needs the GIL.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PYTHON_ARRAYS_H
#define WEIR_PYTHON_ARRAYS_H

#include "python_bindings/src/Errors.h"
#include "weir-c/session.h"

namespace weir::python {

/// Loads NumPy's function table; false with a Python error set. Call it once.
bool importNumPy();

/// A NumPy array or scalar as a view: without a copy when it is C-contiguous,
/// aligned and of this machine's byte order, else of one copy that this owns.
/// Raises for anything else.
struct ArrayView {
  explicit ArrayView(PyObject *array);
  ~ArrayView() { Py_XDECREF(owned); }
  ArrayView(const ArrayView &) = delete;
  ArrayView &operator=(const ArrayView &) = delete;

  void *data = nullptr;
  const int64_t *dims = nullptr;
  int32_t rank = 0;
  int32_t dtype = WEIR_DTYPE_INVALID;
  size_t elementSize = 0;
  PyObject *owned = nullptr;
};

/// How an argument of a compiled function was traced. Python's own numbers are
/// no arrays: they take the dtype of what they meet, so they are traced apart.
enum class ParameterKind : char {
  Array = 'a',
  Float = 'f',
  Int = 'i',
  Bool = 'b',
  String = 's',
  Any = '*'
};

struct Parameter {
  ParameterKind kind;
  const WeirTensorDesc *desc;
};

/// An argument ready to be fed. Lives on the stack of a call.
struct Feed {
  Feed() = default;
  ~Feed() { Py_XDECREF(owned); }
  Feed(const Feed &) = delete;
  Feed &operator=(const Feed &) = delete;

  union {
    double f64;
    float f32;
    int64_t i64;
    int32_t i32;
    uint8_t boolean;
    WeirString string;
  } scalar = {0.0};
  PyObject *owned = nullptr;
};

/// Makes `view` of `argument` if it is what `parameter` was traced for. False
/// where it is not, with a Python error set only if something failed.
/// With kind Any: whatever can be fed to the descriptor's dtype without a
/// change of its values' kind; shapes are left to the runtime to judge.
bool feed(const Parameter &parameter, PyObject *argument, Feed &feed,
          WeirView &view);

/// A new array over the tensor's memory; takes over the reference. Small ones
/// are copied, which is cheaper. Null with a Python error set on failure.
PyObject *arrayOf(WeirTensor *tensor);

/// A tensor with a copy of the elements of a NumPy array; raises.
WeirTensor *tensorOf(PyObject *array);

/// The bytes of the elements of a view of numbers. Needs no GIL.
size_t viewBytes(const WeirView &view);

/// The number of the element type of a NumPy dtype, 0 when we have none.
int32_t dtypeNumber(PyObject *dtype);

} // namespace weir::python

#endif // WEIR_PYTHON_ARRAYS_H
