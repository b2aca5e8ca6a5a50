//===- TensorLists.cpp - What nodes do with lists of tensors --------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/state/Accumulate.h"
#include "runtime/state/TensorList.h"
#include "runtime/values/ValueCall.h"

#include <algorithm>
#include <cstring>

using namespace weir::rt;

/// A list that no graph makes on purpose.
static constexpr int64_t kMostElements = int64_t(1) << 28;

static Status outside(std::string text) {
  return Status(WEIR_INVALID_ARGUMENT, str("[WEIR0457] ", text));
}

static Status mismatch(std::string text) {
  return Status(WEIR_INVALID_ARGUMENT, str("[WEIR0458] ", text));
}

static std::string typeOf(const WeirView &view) {
  return typeText(view.dtype, view.dims, view.rank);
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

/// What handle `i` names. INVALID_ARGUMENT [WEIR0338] unless it is a T.
template <typename T>
static Status findValue(const ValueCall &call, int32_t i, const char *expected,
                        const T *&result) {
  Resource *resource = peekResource(call.inputs[i].get());
  result = dynamic_cast<const T *>(resource);
  if (result)
    return Status();
  return Status(
      WEIR_INVALID_ARGUMENT,
      str("[WEIR0338] operand ", i, " has to be ", expected, ", but is ",
          resource ? resource->describe() : typeOf(call.inputs[i].view())));
}

static Status findList(const ValueCall &call, int32_t i,
                       const TensorList *&list) {
  return findValue(call, i, "a tensor list", list);
}

static Status give(ValueCall &call, std::shared_ptr<Resource> value) {
  return makeHandle(std::move(value), call.outputs[0]);
}

static Status give(ValueCall &call, const TensorList &like,
                   std::vector<TensorRef> elements) {
  return give(call, std::make_shared<TensorList>(like.dtype, like.shape,
                                                 std::move(elements)));
}

/// Index `i` of an element of a list of `size`.
static Status elementIndex(const ValueCall &call, int32_t i, int64_t size,
                           int64_t &index) {
  WEIR_RETURN_IF_ERROR(scalarInput(call, i, "the index", index));
  if (index >= 0 && index < size)
    return Status();
  return outside(str("index ", index, " is outside of 0 <= i < ", size));
}

/// Can `value` be an element?
static Status checkElement(const TensorList &list, const WeirView &value) {
  if (value.dtype == list.dtype && (list.dtype == WEIR_RESOURCE ||
                                    list.shape.allows(value.dims, value.rank)))
    return Status();
  return mismatch(
      str("the list has elements of ",
          list.dtype == WEIR_RESOURCE
              ? std::string("handles")
              : str(dtypeInfo(list.dtype)->name, " ", list.shape.text()),
          ", the value is ", typeOf(value)));
}

/// The shape that one that is not set has: `known`, and what those that are set
/// tell.
static Status zeroShape(const TensorList &list, PartialShape known,
                        std::vector<int64_t> &dims) {
  bool fits = known.merge(list.shape);
  if (fits && !known.isKnown())
    for (const TensorRef &element : list.elements())
      if (element) {
        WeirView view = element.view();
        known.set(view.dims, view.rank);
        break;
      }
  if (list.dtype == WEIR_RESOURCE || !fits || !known.isKnown())
    return mismatch(str("an element that is not set is read, but its shape is ",
                        fits ? "not known" : "contradicted: ", known.text()));
  dims = known.dims;
  return Status();
}

/// Puts zeros in the place of elements that are not set.
static Status readElements(const TensorList &list, const PartialShape &known,
                           std::vector<TensorRef> &elements) {
  TensorRef zeros;
  for (TensorRef &element : elements) {
    if (element)
      continue;
    if (!zeros) {
      std::vector<int64_t> dims;
      WEIR_RETURN_IF_ERROR(zeroShape(list, known, dims));
      WEIR_RETURN_IF_ERROR(makeZeros(list.dtype, dims, zeros));
    }
    element = zeros;
  }
  return Status();
}

/// What the declaration of output `i` knows of an element.
static PartialShape declared(const ValueCall &call, int32_t i, int32_t skip) {
  const WeirTensorDesc &desc = call.node.outputs[i];
  PartialShape shape;
  if (desc.rank >= skip)
    shape = PartialShape::of(desc, skip);
  return shape;
}

/// A tensor of extents `dims` of the elements, one after the other.
static Status joinElements(const std::vector<TensorRef> &elements,
                           int32_t dtype, std::vector<int64_t> dims,
                           TensorRef &result) {
  std::vector<WeirString> strings;
  if (dtype == WEIR_STRING) {
    for (const TensorRef &element : elements) {
      WeirView view = element.view();
      const WeirString *data = static_cast<const WeirString *>(view.data);
      strings.insert(strings.end(), data, data + elementsOf(view));
    }
    return createStringTensor(static_cast<int32_t>(dims.size()), dims.data(),
                              strings.data(), result);
  }
  WEIR_RETURN_IF_ERROR(createTensor(dtype, static_cast<int32_t>(dims.size()),
                                    dims.data(), result));
  char *to = static_cast<char *>(result.get()->data);
  for (const TensorRef &element : elements) {
    WeirView view = element.view();
    size_t bytes = static_cast<size_t>(viewBytes(view));
    if (bytes)
      std::memcpy(to, view.data, bytes);
    to += bytes;
  }
  return Status();
}

/// The elements under each other, all of one shape.
static Status stack(ValueCall &call, const TensorList &list,
                    std::vector<TensorRef> elements) {
  PartialShape known = declared(call, 0, 1);
  if (list.dtype == WEIR_RESOURCE)
    return mismatch("handles cannot be stacked");
  WEIR_RETURN_IF_ERROR(readElements(list, known, elements));
  std::vector<int64_t> dims{static_cast<int64_t>(elements.size())};
  if (elements.empty()) {
    std::vector<int64_t> rest;
    WEIR_RETURN_IF_ERROR(zeroShape(list, known, rest));
    dims.insert(dims.end(), rest.begin(), rest.end());
  } else {
    WeirView first = elements.front().view();
    dims.insert(dims.end(), first.dims, first.dims + first.rank);
    for (const TensorRef &element : elements) {
      WeirView view = element.view();
      if (view.rank != first.rank ||
          !std::equal(view.dims, view.dims + view.rank, first.dims))
        return mismatch(str("the elements are of different shapes: ",
                            typeOf(first), " and ", typeOf(view)));
    }
  }
  return joinElements(elements, list.dtype, std::move(dims), call.outputs[0]);
}

/// `count` slices of `value` from `begin` on, as a tensor; with `isElement`,
/// the one slice without the dimension.
static Status sliceOf(const WeirView &value, int64_t begin, int64_t count,
                      bool isElement, TensorRef &result) {
  WeirView slice = value;
  slice.dims += 1;
  slice.rank -= 1;
  std::vector<int64_t> dims(slice.dims, slice.dims + slice.rank);
  if (!isElement)
    dims.insert(dims.begin(), count);
  std::vector<int64_t> places;
  for (int64_t i = 0; i < count; ++i)
    places.push_back(begin + i);
  return takeSlices(value, elementsOf(slice), places, dims, result);
}

static Status checkSlices(const WeirView &value) {
  if (value.rank > 0)
    return Status();
  return mismatch("a scalar has no slices that could be elements");
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static Status listSize(const ValueCall &call, int32_t i, int64_t &size) {
  WEIR_RETURN_IF_ERROR(scalarInput(call, i, "the size of a list", size));
  if (size >= 0 && size <= kMostElements)
    return Status();
  return outside(
      str("a list has 0 <= n <= ", kMostElements, " elements, not ", size));
}

Status weir::rt::tensorList(ValueCall &call) {
  int64_t size = 0;
  WEIR_RETURN_IF_ERROR(listSize(call, 0, size));
  PartialShape shape;
  int64_t rank = call.number(1, -1);
  shape.hasRank = rank >= 0;
  for (int32_t d = 0; d < rank; ++d)
    shape.dims.push_back(call.number(2 + d, -1));
  return give(call, std::make_shared<TensorList>(
                        static_cast<int32_t>(call.number(0, WEIR_F32)),
                        std::move(shape),
                        std::vector<TensorRef>(static_cast<size_t>(size))));
}

Status weir::rt::tensorListPush(ValueCall &call) {
  const TensorList *list = nullptr;
  WEIR_RETURN_IF_ERROR(findList(call, 0, list));
  WEIR_RETURN_IF_ERROR(checkElement(*list, call.inputs[1].view()));
  return give(call, list->push(call.inputs[1]));
}

Status weir::rt::tensorListPop(ValueCall &call) {
  const TensorList *list = nullptr;
  WEIR_RETURN_IF_ERROR(findList(call, 0, list));
  if (list->size() == 0)
    return outside("the list has no element to take");
  std::vector<TensorRef> last{list->get(list->size() - 1)};
  WEIR_RETURN_IF_ERROR(readElements(*list, declared(call, 1, 0), last));
  call.outputs[1] = last.front();
  return give(call, list->pop());
}

Status weir::rt::tensorListGet(ValueCall &call) {
  const TensorList *list = nullptr;
  int64_t index = 0;
  WEIR_RETURN_IF_ERROR(findList(call, 0, list));
  WEIR_RETURN_IF_ERROR(elementIndex(call, 1, list->size(), index));
  std::vector<TensorRef> element{list->get(index)};
  WEIR_RETURN_IF_ERROR(readElements(*list, declared(call, 0, 0), element));
  call.outputs[0] = element.front();
  return Status();
}

Status weir::rt::tensorListSet(ValueCall &call) {
  const TensorList *list = nullptr;
  int64_t index = 0;
  bool grows = call.number(0, 0) != 0;
  WEIR_RETURN_IF_ERROR(findList(call, 0, list));
  WEIR_RETURN_IF_ERROR(
      elementIndex(call, 1, grows ? kMostElements : list->size(), index));
  WEIR_RETURN_IF_ERROR(checkElement(*list, call.inputs[2].view()));
  std::vector<TensorRef> elements = list->elements();
  if (index >= list->size())
    elements.resize(static_cast<size_t>(index) + 1);
  elements[static_cast<size_t>(index)] = call.inputs[2];
  return give(call, *list, std::move(elements));
}

Status weir::rt::tensorListStack(ValueCall &call) {
  const TensorList *list = nullptr;
  WEIR_RETURN_IF_ERROR(findList(call, 0, list));
  return stack(call, *list, list->elements());
}

Status weir::rt::tensorListGather(ValueCall &call) {
  const TensorList *list = nullptr;
  std::vector<int64_t> indices;
  WEIR_RETURN_IF_ERROR(findList(call, 0, list));
  WEIR_RETURN_IF_ERROR(
      integersOf(call.inputs[1].view(), "the indices", indices));
  std::vector<TensorRef> elements;
  for (int64_t index : indices) {
    if (index < 0 || index >= list->size())
      return outside(
          str("index ", index, " is outside of 0 <= i < ", list->size()));
    elements.push_back(list->get(index));
  }
  return stack(call, *list, std::move(elements));
}

Status weir::rt::tensorListFromTensor(ValueCall &call) {
  WeirView value = call.inputs[0].view();
  WEIR_RETURN_IF_ERROR(checkSlices(value));
  std::vector<TensorRef> elements(static_cast<size_t>(value.dims[0]));
  for (size_t i = 0; i < elements.size(); ++i)
    WEIR_RETURN_IF_ERROR(sliceOf(value, static_cast<int64_t>(i), 1,
                                 /*isElement=*/true, elements[i]));
  PartialShape shape;
  shape.set(value.dims + 1, value.rank - 1);
  return give(call, std::make_shared<TensorList>(value.dtype, std::move(shape),
                                                 std::move(elements)));
}

Status weir::rt::tensorListScatter(ValueCall &call) {
  const TensorList *list = nullptr;
  std::vector<int64_t> indices;
  WEIR_RETURN_IF_ERROR(findList(call, 0, list));
  WEIR_RETURN_IF_ERROR(
      integersOf(call.inputs[1].view(), "the indices", indices));
  WeirView value = call.inputs[2].view();
  WEIR_RETURN_IF_ERROR(checkSlices(value));
  if (value.dims[0] != static_cast<int64_t>(indices.size()))
    return mismatch(str("there are ", indices.size(), " indices for ",
                        value.dims[0], " slices"));
  std::vector<TensorRef> elements = list->elements();
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= kMostElements)
      return outside(
          str("index ", indices[i], " is outside of 0 <= i < ", kMostElements));
    size_t at = static_cast<size_t>(indices[i]);
    if (at >= elements.size())
      elements.resize(at + 1);
    WEIR_RETURN_IF_ERROR(sliceOf(value, static_cast<int64_t>(i), 1,
                                 /*isElement=*/true, elements[at]));
    WEIR_RETURN_IF_ERROR(checkElement(*list, elements[at].view()));
  }
  return give(call, *list, std::move(elements));
}

Status weir::rt::tensorListConcat(ValueCall &call) {
  const TensorList *list = nullptr;
  WEIR_RETURN_IF_ERROR(findList(call, 0, list));
  std::vector<TensorRef> elements = list->elements();
  if (list->dtype == WEIR_RESOURCE)
    return mismatch("handles cannot be joined");
  WEIR_RETURN_IF_ERROR(readElements(*list, PartialShape(), elements));
  std::vector<int64_t> dims{0}, lengths;
  if (elements.empty()) {
    // What follows the first dimension, where that is declared.
    PartialShape rest = declared(call, 0, 1);
    if (!rest.isKnown())
      return mismatch("a list without elements is joined, and the shape of the "
                      "result is not known");
    dims.insert(dims.end(), rest.dims.begin(), rest.dims.end());
  }
  for (const TensorRef &element : elements) {
    WeirView view = element.view();
    WEIR_RETURN_IF_ERROR(checkSlices(view));
    if (lengths.empty())
      dims.insert(dims.end(), view.dims + 1, view.dims + view.rank);
    if (static_cast<size_t>(view.rank) != dims.size() ||
        !std::equal(view.dims + 1, view.dims + view.rank, dims.begin() + 1))
      return mismatch(str(
          "the elements cannot be joined: ", typeOf(elements.front().view()),
          " and ", typeOf(view)));
    lengths.push_back(view.dims[0]);
    dims[0] += view.dims[0];
  }
  WEIR_RETURN_IF_ERROR(makeVector(WEIR_I64, lengths, call.outputs[1]));
  return joinElements(elements, list->dtype, std::move(dims), call.outputs[0]);
}

Status weir::rt::tensorListSplit(ValueCall &call) {
  WeirView value = call.inputs[0].view();
  std::vector<int64_t> lengths;
  WEIR_RETURN_IF_ERROR(checkSlices(value));
  WEIR_RETURN_IF_ERROR(
      integersOf(call.inputs[1].view(), "the lengths", lengths));
  std::vector<TensorRef> elements(lengths.size());
  int64_t at = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0 || lengths[i] > value.dims[0] - at)
      return mismatch(str("pieces of such lengths are not what ", typeOf(value),
                          " is made of: piece ", i, " has ", lengths[i]));
    WEIR_RETURN_IF_ERROR(
        sliceOf(value, at, lengths[i], /*isElement=*/false, elements[i]));
    at += lengths[i];
  }
  if (at != value.dims[0])
    return mismatch(
        str("the pieces have ", at, " slices, the tensor ", value.dims[0]));
  PartialShape shape;
  shape.set(value.dims, value.rank);
  shape.dims[0] = -1;
  return give(call, std::make_shared<TensorList>(value.dtype, std::move(shape),
                                                 std::move(elements)));
}

Status weir::rt::tensorListSize(ValueCall &call) {
  const TensorList *list = nullptr;
  WEIR_RETURN_IF_ERROR(findList(call, 0, list));
  return makeIntegers(WEIR_I32, {list->size()}, 0, nullptr, call.outputs[0]);
}

Status weir::rt::tensorListResize(ValueCall &call) {
  const TensorList *list = nullptr;
  int64_t size = 0;
  WEIR_RETURN_IF_ERROR(findList(call, 0, list));
  WEIR_RETURN_IF_ERROR(listSize(call, 1, size));
  std::vector<TensorRef> elements = list->elements();
  elements.resize(static_cast<size_t>(size));
  return give(call, *list, std::move(elements));
}

Status weir::rt::tensorListElementShape(ValueCall &call) {
  const TensorList *list = nullptr;
  WEIR_RETURN_IF_ERROR(findList(call, 0, list));
  int32_t dtype = call.node.outputs[0].dtype;
  return list->shape.hasRank
             ? makeVector(dtype, list->shape.dims, call.outputs[0])
             : makeIntegers(dtype, {-1}, 0, nullptr, call.outputs[0]);
}

Status weir::rt::tensorListAdd(ValueCall &call) {
  const TensorList *a = nullptr, *b = nullptr;
  WEIR_RETURN_IF_ERROR(findList(call, 0, a));
  WEIR_RETURN_IF_ERROR(findList(call, 1, b));
  if (a->dtype != b->dtype || a->size() != b->size() || !isAddable(a->dtype))
    return mismatch(str("lists of ", a->size(), " and ", b->size(),
                        " elements are added: they are of one length and of "
                        "one type of numbers"));
  std::vector<TensorRef> sums = a->elements(), terms = b->elements();
  for (size_t i = 0; i < sums.size(); ++i) {
    if (!terms[i])
      continue;
    WeirView term = terms[i].view();
    if (!sums[i]) {
      sums[i] = terms[i];
      continue;
    }
    WeirView old = sums[i].view();
    if (old.rank != term.rank ||
        !std::equal(old.dims, old.dims + old.rank, term.dims))
      return mismatch(str("elements of ", typeOf(old), " and ", typeOf(term),
                          " cannot be added"));
    TensorRef sum;
    WEIR_RETURN_IF_ERROR(createTensor(old.dtype, old.rank, old.dims, sum));
    if (size_t bytes = static_cast<size_t>(viewBytes(old)))
      std::memcpy(sum.get()->data, old.data, bytes);
    addElements(sum.view(), term.data);
    sums[i] = std::move(sum);
  }
  return give(call, *a, std::move(sums));
}

Status weir::rt::tensorListZeros(ValueCall &call) {
  // ZerosLike of an optional has no values either way.
  const Optional *optional =
      dynamic_cast<const Optional *>(peekResource(call.inputs[0].get()));
  if (optional)
    return give(call, std::make_shared<Optional>());
  const TensorList *list = nullptr;
  WEIR_RETURN_IF_ERROR(findList(call, 0, list));
  std::vector<TensorRef> zeros = list->elements();
  for (TensorRef &element : zeros)
    if (element && list->dtype != WEIR_RESOURCE) {
      WeirView view = element.view();
      TensorRef zero;
      WEIR_RETURN_IF_ERROR(
          makeZeros(list->dtype, {view.dims, view.dims + view.rank}, zero));
      element = std::move(zero);
    }
  return give(call, *list, std::move(zeros));
}

//===----------------------------------------------------------------------===//
// Optional values
//===----------------------------------------------------------------------===//

Status weir::rt::optionalFromValues(ValueCall &call) {
  return give(call, std::make_shared<Optional>(std::vector<TensorRef>(
                        call.inputs, call.inputs + call.node.input_count)));
}

Status weir::rt::optionalNone(ValueCall &call) {
  return give(call, std::make_shared<Optional>());
}

static Status findOptional(const ValueCall &call, const Optional *&optional) {
  return findValue(call, 0, "an optional", optional);
}

Status weir::rt::optionalHasValues(ValueCall &call) {
  const Optional *optional = nullptr;
  WEIR_RETURN_IF_ERROR(findOptional(call, optional));
  WEIR_RETURN_IF_ERROR(createTensor(WEIR_BOOL, 0, nullptr, call.outputs[0]));
  *static_cast<uint8_t *>(call.outputs[0].get()->data) = optional->hasValues;
  return Status();
}

Status weir::rt::optionalGetValues(ValueCall &call) {
  const Optional *optional = nullptr;
  WEIR_RETURN_IF_ERROR(findOptional(call, optional));
  if (!optional->hasValues ||
      static_cast<int32_t>(optional->values.size()) != call.node.output_count)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0459] ", call.node.output_count,
                      " values are wanted of an optional that has ",
                      optional->hasValues
                          ? std::to_string(optional->values.size())
                          : std::string("none")));
  std::copy(optional->values.begin(), optional->values.end(), call.outputs);
  return Status();
}
