//===- Arrays.cpp - NumPy arrays as views, tensors as NumPy arrays -*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "python_bindings/src/Arrays.h"

#define NPY_NO_DEPRECATED_API NPY_1_23_API_VERSION
#include <numpy/arrayobject.h>

#include <cstring>

namespace weir::python {

static_assert(sizeof(npy_intp) == sizeof(int64_t),
              "extents are handed over as they are");

/// The number of ml_dtypes' bfloat16 among NumPy's types, -1 without it.
static int bfloat16Type = -1;

/// ml_dtypes registers bfloat16 with NumPy; whoever has such arrays has it.
static void findBfloat16() {
  static bool looked = false;
  if (looked)
    return;
  looked = true;
  PyObject *module = PyImport_ImportModule("ml_dtypes");
  PyObject *type =
      module ? PyObject_GetAttrString(module, "bfloat16") : nullptr;
  PyArray_Descr *descr = nullptr;
  if (type && PyArray_DescrConverter(type, &descr) == NPY_SUCCEED) {
    bfloat16Type = descr->type_num;
    Py_DECREF(descr);
  }
  PyErr_Clear();
  Py_XDECREF(type);
  Py_XDECREF(module);
}

bool importNumPy() { return PyArray_ImportNumPyAPI() == 0; }

static int32_t dtypeOfType(int type) {
  switch (type) {
  case NPY_FLOAT:
    return WEIR_F32;
  case NPY_DOUBLE:
    return WEIR_F64;
  case NPY_HALF:
    return WEIR_F16;
  case NPY_BOOL:
    return WEIR_BOOL;
  case NPY_INT8:
    return WEIR_I8;
  case NPY_INT16:
    return WEIR_I16;
  case NPY_INT32:
    return WEIR_I32;
  case NPY_INT64:
    return WEIR_I64;
  case NPY_UINT8:
    return WEIR_U8;
  case NPY_UINT16:
    return WEIR_U16;
  case NPY_UINT32:
    return WEIR_U32;
  case NPY_UINT64:
    return WEIR_U64;
  case NPY_LONGLONG:
    return WEIR_I64;
  case NPY_ULONGLONG:
    return WEIR_U64;
  default:
    break;
  }
  if (type < NPY_USERDEF)
    return WEIR_DTYPE_INVALID;
  findBfloat16();
  return type == bfloat16Type ? WEIR_BF16 : WEIR_DTYPE_INVALID;
}

/// The NumPy type that shows elements of `dtype`, -1 when there is none.
static int typeOfDtype(int32_t dtype) {
  switch (dtype) {
  case WEIR_F32:
    return NPY_FLOAT;
  case WEIR_F64:
    return NPY_DOUBLE;
  case WEIR_F16:
    return NPY_HALF;
  case WEIR_BOOL:
    return NPY_BOOL;
  case WEIR_I8:
    return NPY_INT8;
  case WEIR_I16:
    return NPY_INT16;
  case WEIR_I32:
    return NPY_INT32;
  case WEIR_I64:
    return NPY_INT64;
  case WEIR_U8:
    return NPY_UINT8;
  case WEIR_U16:
    return NPY_UINT16;
  case WEIR_U32:
    return NPY_UINT32;
  case WEIR_U64:
    return NPY_UINT64;
  case WEIR_BF16:
    findBfloat16();
    return bfloat16Type;
  default:
    return -1;
  }
}

static size_t elementSize(int32_t dtype) {
  switch (dtype) {
  case WEIR_F64:
  case WEIR_I64:
  case WEIR_U64:
    return 8;
  case WEIR_F32:
  case WEIR_I32:
  case WEIR_U32:
    return 4;
  case WEIR_F16:
  case WEIR_BF16:
  case WEIR_I16:
  case WEIR_U16:
    return 2;
  default:
    return 1;
  }
}

size_t viewBytes(const WeirView &view) {
  size_t bytes = elementSize(view.dtype);
  for (int32_t i = 0; i < view.rank; ++i)
    bytes *= view.dims[i];
  return bytes;
}

int32_t dtypeNumber(PyObject *dtype) {
  PyArray_Descr *descr = nullptr;
  if (PyArray_DescrConverter(dtype, &descr) != NPY_SUCCEED) {
    PyErr_Clear();
    return WEIR_DTYPE_INVALID;
  }
  int32_t number = dtypeOfType(descr->type_num);
  Py_DECREF(descr);
  return number;
}

static bool isPlain(PyArrayObject *array) { return PyArray_ISCARRAY_RO(array); }

/// A new C-contiguous, aligned array in this machine's byte order.
static PyObject *plainCopy(PyArrayObject *array) {
  PyArray_Descr *descr =
      PyArray_DescrNewByteorder(PyArray_DESCR(array), NPY_NATIVE);
  return descr ? PyArray_FromArray(array, descr, NPY_ARRAY_CARRAY_RO) : nullptr;
}

ArrayView::ArrayView(PyObject *object) {
  if (PyArray_CheckScalar(object) && !PyArray_Check(object)) {
    object = owned = PyArray_FromScalar(object, nullptr);
    if (!owned)
      throw nb::python_error();
  }
  if (!PyArray_Check(object))
    raise("[WEIR0507] a NumPy array is needed here, got " +
          nb::cast<std::string>(nb::repr(nb::handle(object).type())));
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  dtype = dtypeOfType(PyArray_TYPE(array));
  if (dtype == WEIR_DTYPE_INVALID)
    raise("[WEIR0507] no tensor has the NumPy dtype " +
          nb::cast<std::string>(nb::str(
              nb::handle(reinterpret_cast<PyObject *>(PyArray_DESCR(array))))));
  if (!isPlain(array)) {
    PyObject *copy = plainCopy(array);
    Py_XDECREF(owned);
    owned = copy;
    if (!copy)
      throw nb::python_error();
    array = reinterpret_cast<PyArrayObject *>(copy);
  }
  data = PyArray_DATA(array);
  rank = PyArray_NDIM(array);
  dims = reinterpret_cast<const int64_t *>(PyArray_DIMS(array));
  elementSize = PyArray_ITEMSIZE(array);
}

static bool fits(const WeirTensorDesc &desc, PyArrayObject *array) {
  if (PyArray_NDIM(array) != desc.rank)
    return desc.rank == -1;
  const npy_intp *dims = PyArray_DIMS(array);
  for (int i = 0; i < desc.rank; ++i)
    if (desc.dims[i] != dims[i] && desc.dims[i] != -1)
      return false;
  return true;
}

static bool feedArray(const Parameter &parameter, PyArrayObject *array,
                      Feed &feed, WeirView &view) {
  if (dtypeOfType(PyArray_TYPE(array)) != parameter.desc->dtype)
    return false;
  if (parameter.kind != ParameterKind::Any && !fits(*parameter.desc, array))
    return false;
  if (!isPlain(array)) {
    PyObject *copy = plainCopy(array);
    Py_XDECREF(feed.owned);
    feed.owned = copy;
    if (!copy)
      return false;
    array = reinterpret_cast<PyArrayObject *>(copy);
  }
  view = {PyArray_DATA(array),
          reinterpret_cast<const int64_t *>(PyArray_DIMS(array)),
          PyArray_NDIM(array), parameter.desc->dtype};
  return true;
}

/// A Python number as an element of `dtype`; false if its kind does not suit,
/// or with OverflowError set if its value does not.
static bool feedNumber(PyObject *number, int32_t dtype, Feed &feed) {
  if (dtype == WEIR_BOOL && PyBool_Check(number)) {
    feed.scalar.boolean = number == Py_True;
    return true;
  }
  if (dtype == WEIR_F32 || dtype == WEIR_F64) {
    double value = PyFloat_AsDouble(number);
    if (value == -1.0 && PyErr_Occurred())
      return false;
    if (dtype == WEIR_F32)
      feed.scalar.f32 = static_cast<float>(value);
    else
      feed.scalar.f64 = value;
    return true;
  }
  if ((dtype != WEIR_I32 && dtype != WEIR_I64) || !PyLong_Check(number))
    return false;
  int64_t value = PyLong_AsLongLong(number);
  if (value == -1 && PyErr_Occurred())
    return false;
  if (dtype == WEIR_I64) {
    feed.scalar.i64 = value;
    return true;
  }
  if (value != static_cast<int32_t>(value)) {
    PyErr_Format(PyExc_OverflowError, "%lld does not fit into int32",
                 static_cast<long long>(value));
    return false;
  }
  feed.scalar.i32 = static_cast<int32_t>(value);
  return true;
}

static bool feedString(PyObject *text, Feed &feed) {
  Py_ssize_t size = 0;
  if (PyUnicode_Check(text)) {
    feed.scalar.string.data = PyUnicode_AsUTF8AndSize(text, &size);
    if (!feed.scalar.string.data)
      return false;
  } else if (PyBytes_Check(text)) {
    feed.scalar.string.data = PyBytes_AS_STRING(text);
    size = PyBytes_GET_SIZE(text);
  } else {
    return false;
  }
  feed.scalar.string.size = size;
  return true;
}

static bool suits(ParameterKind kind, PyObject *number) {
  switch (kind) {
  case ParameterKind::Float:
    return PyFloat_CheckExact(number);
  case ParameterKind::Int:
    return PyLong_CheckExact(number);
  case ParameterKind::Bool:
    return PyBool_Check(number);
  case ParameterKind::Any:
    return PyFloat_CheckExact(number) || PyLong_CheckExact(number) ||
           PyBool_Check(number);
  default:
    return false;
  }
}

bool feed(const Parameter &parameter, PyObject *argument, Feed &feed,
          WeirView &view) {
  bool any = parameter.kind == ParameterKind::Any;
  if (any || parameter.kind == ParameterKind::Array) {
    if (PyArray_Check(argument))
      return feedArray(parameter, reinterpret_cast<PyArrayObject *>(argument),
                       feed, view);
    if (PyArray_CheckScalar(argument)) {
      feed.owned = PyArray_FromScalar(argument, nullptr);
      return feed.owned &&
             feedArray(parameter, reinterpret_cast<PyArrayObject *>(feed.owned),
                       feed, view);
    }
  }
  if (parameter.desc->dtype == WEIR_STRING) {
    if ((!any && parameter.kind != ParameterKind::String) ||
        !feedString(argument, feed))
      return false;
  } else if (!suits(parameter.kind, argument) ||
             !feedNumber(argument, parameter.desc->dtype, feed)) {
    return false;
  }
  view = {&feed.scalar, nullptr, 0, parameter.desc->dtype};
  return true;
}

//===----------------------------------------------------------------------===//
// Tensors as arrays
//===----------------------------------------------------------------------===//

/// Up to here copying costs less than a capsule.
static constexpr int64_t kSmallBytes = 64;

static void releaseCapsule(PyObject *capsule) {
  weir_tensor_release(
      static_cast<WeirTensor *>(PyCapsule_GetPointer(capsule, "weir.tensor")));
}

/// Strings become an array of bytes objects.
static PyObject *stringArray(WeirTensor *tensor) {
  WeirView view = weir_tensor_view(tensor);
  PyObject *array = PyArray_SimpleNew(
      view.rank,
      const_cast<npy_intp *>(reinterpret_cast<const npy_intp *>(view.dims)),
      NPY_OBJECT);
  if (array) {
    auto **items = static_cast<PyObject **>(
        PyArray_DATA(reinterpret_cast<PyArrayObject *>(array)));
    auto *strings = static_cast<const WeirString *>(view.data);
    npy_intp count = PyArray_SIZE(reinterpret_cast<PyArrayObject *>(array));
    for (npy_intp i = 0; i < count; ++i) {
      PyObject *bytes =
          PyBytes_FromStringAndSize(strings[i].data, strings[i].size);
      if (!bytes) {
        Py_DECREF(array);
        array = nullptr;
        break;
      }
      Py_XDECREF(items[i]);
      items[i] = bytes;
    }
  }
  weir_tensor_release(tensor);
  return array;
}

PyObject *arrayOf(WeirTensor *tensor) {
  WeirView view = weir_tensor_view(tensor);
  if (view.dtype == WEIR_STRING)
    return stringArray(tensor);
  int type = typeOfDtype(view.dtype);
  if (type < 0) {
    weir_tensor_release(tensor);
    setError("[WEIR0507] a bfloat16 result is shown through the package "
             "ml_dtypes; install it with: pip install ml_dtypes");
    return nullptr;
  }
  auto *dims =
      const_cast<npy_intp *>(reinterpret_cast<const npy_intp *>(view.dims));
  int64_t count = 1;
  for (int i = 0; i < view.rank; ++i)
    count *= view.dims[i];
  PyArray_Descr *descr = PyArray_DescrFromType(type);
  int64_t bytes = count * PyDataType_ELSIZE(descr);
  if (bytes <= kSmallBytes) {
    PyObject *array = PyArray_NewFromDescr(&PyArray_Type, descr, view.rank,
                                           dims, nullptr, nullptr, 0, nullptr);
    if (array)
      std::memcpy(PyArray_DATA(reinterpret_cast<PyArrayObject *>(array)),
                  view.data, bytes);
    weir_tensor_release(tensor);
    return array;
  }
  PyObject *array =
      PyArray_NewFromDescr(&PyArray_Type, descr, view.rank, dims, nullptr,
                           view.data, NPY_ARRAY_CARRAY, nullptr);
  PyObject *owner =
      array ? PyCapsule_New(tensor, "weir.tensor", releaseCapsule) : nullptr;
  if (!owner) {
    weir_tensor_release(tensor);
    Py_XDECREF(array);
    return nullptr;
  }
  // This takes over the capsule, also when it fails.
  if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject *>(array), owner) <
      0) {
    Py_DECREF(array);
    return nullptr;
  }
  return array;
}

WeirTensor *tensorOf(PyObject *object) {
  ArrayView array(object);
  WeirStatus status = WEIR_STATUS_INIT;
  WeirTensor *tensor =
      weir_tensor_create(array.dtype, array.rank, array.dims, &status);
  if (!tensor) {
    setError(status);
    throw nb::python_error();
  }
  WeirView view = weir_tensor_view(tensor);
  if (size_t bytes = viewBytes(view))
    std::memcpy(view.data, array.data, bytes);
  return tensor;
}

} // namespace weir::python
