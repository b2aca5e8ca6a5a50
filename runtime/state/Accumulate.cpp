//===- Accumulate.cpp - Sums of tensors, in place -------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/Accumulate.h"
#include "runtime/base/DType.h"
#include "runtime/base/Half.h"
#include "runtime/core/Tensor.h"

using namespace weir::rt;

/// Sets each element of `to` to op(element, element of `from`), computed in
/// `Wide` and rounded to the element type each time.
template <typename Element, typename Wide, typename Load, typename Store,
          typename Op>
static void zip(void *to, const void *from, int64_t count, Load load,
                Store store, Op op) {
  Element *a = static_cast<Element *>(to);
  const Element *b = static_cast<const Element *>(from);
  for (int64_t i = 0; i < count; ++i)
    a[i] = store(op(static_cast<Wide>(load(a[i])), load(b[i])));
}

/// The same for a tensor of floats of any size; `op` takes and gives floats or
/// doubles. False for other types.
template <typename Op>
static bool zipFloats(const WeirView &to, const void *from, int64_t count,
                      Op op) {
  auto same = [](auto value) { return value; };
  switch (to.dtype) {
  case WEIR_F32:
    zip<float, float>(to.data, from, count, same, same, op);
    return true;
  case WEIR_F64:
    zip<double, double>(to.data, from, count, same, same, op);
    return true;
  case WEIR_F16:
    zip<uint16_t, float>(to.data, from, count, f16ToFloat, floatToF16, op);
    return true;
  case WEIR_BF16:
    zip<uint16_t, float>(to.data, from, count, bf16ToFloat, floatToBf16, op);
    return true;
  }
  return false;
}

static int64_t countOf(const WeirView &view) {
  return viewBytes(view) / dtypeInfo(view.dtype)->size;
}

/// Signed elements wrap as unsigned ones do.
template <typename Element>
static void addWrapping(void *to, const void *from, int64_t count) {
  Element *a = static_cast<Element *>(to);
  const Element *b = static_cast<const Element *>(from);
  for (int64_t i = 0; i < count; ++i)
    a[i] = static_cast<Element>(a[i] + b[i]);
}

bool weir::rt::isAddable(int32_t dtype) {
  const DTypeInfo *info = dtypeInfo(dtype);
  return info &&
         (info->kind == DTypeKind::Float || info->kind == DTypeKind::Signed ||
          info->kind == DTypeKind::Unsigned);
}

void weir::rt::addElements(const WeirView &sum, const void *from) {
  int64_t count = countOf(sum);
  if (zipFloats(sum, from, count, [](auto a, auto b) { return a + b; }))
    return;
  switch (dtypeInfo(sum.dtype)->size) {
  case 1:
    return addWrapping<uint8_t>(sum.data, from, count);
  case 2:
    return addWrapping<uint16_t>(sum.data, from, count);
  case 4:
    return addWrapping<uint32_t>(sum.data, from, count);
  case 8:
    return addWrapping<uint64_t>(sum.data, from, count);
  }
}

/// `count` rounded to the element type, as the elements are.
static double roundedCount(int32_t dtype, int64_t count) {
  switch (dtype) {
  case WEIR_F16:
    return f16ToFloat(floatToF16(static_cast<float>(count)));
  case WEIR_BF16:
    return bf16ToFloat(floatToBf16(static_cast<float>(count)));
  case WEIR_F32:
    return static_cast<float>(count);
  }
  return static_cast<double>(count);
}

void weir::rt::divideElements(const WeirView &sum, int64_t count) {
  double divisor = roundedCount(sum.dtype, count);
  zipFloats(sum, sum.data, countOf(sum), [divisor](auto a, auto) {
    return a / static_cast<decltype(a)>(divisor);
  });
}
