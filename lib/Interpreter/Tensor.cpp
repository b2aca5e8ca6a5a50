//===- Tensor.cpp - The values that the interpreter computes with ===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Tensor.h"

#include "dialects/Weir/Shape.h"
#include "dialects/Weir/Weir.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/core/Tensor.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include <cstring>

using namespace mlir;

namespace weir {

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <WeirDType dtype> static const llvm::fltSemantics &semanticsOf() {
  return dtype == WEIR_F16 ? llvm::APFloat::IEEEhalf()
                           : llvm::APFloat::BFloat();
}

static uint16_t roundTo(const llvm::fltSemantics &semantics,
                        llvm::APFloat value) {
  bool losesInfo;
  value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue());
}

template <WeirDType dtype>
SmallFloat<dtype>::SmallFloat(float value)
    : bits(roundTo(semanticsOf<dtype>(), llvm::APFloat(value))) {}
template <WeirDType dtype>
SmallFloat<dtype>::SmallFloat(double value)
    : bits(roundTo(semanticsOf<dtype>(), llvm::APFloat(value))) {}

template <WeirDType dtype> SmallFloat<dtype>::operator float() const {
  llvm::APFloat value(semanticsOf<dtype>(), llvm::APInt(16, bits));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToFloat();
}

template struct SmallFloat<WEIR_F16>;
template struct SmallFloat<WEIR_BF16>;

template <typename To> To roundInteger(uint64_t magnitude, bool negative) {
  constexpr WeirDType dtype = std::same_as<To, Half> ? WEIR_F16 : WEIR_BF16;
  llvm::APFloat value(semanticsOf<dtype>());
  value.convertFromAPInt(llvm::APInt(64, magnitude), /*IsSigned=*/false,
                         llvm::APFloat::rmNearestTiesToEven);
  if (negative)
    value.changeSign();
  To result;
  result.bits = static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue());
  return result;
}
template Half roundInteger<Half>(uint64_t, bool);
template BFloat16 roundInteger<BFloat16>(uint64_t, bool);

//===----------------------------------------------------------------------===//
// Making tensors
//===----------------------------------------------------------------------===//

static int64_t sizeOf(WeirDType dtype) {
  return dtype == WEIR_STRING ? 0 : rt::dtypeInfo(dtype)->size;
}

Tensor::Tensor() : Tensor(WEIR_F32, {}) {}

Tensor::Tensor(WeirDType dtype, ArrayRef<int64_t> shape)
    : dtype(dtype), shape(shape), count(elementCount(shape).value_or(0)),
      storage(std::make_shared<Buffer>(count * sizeOf(dtype))) {
  if (dtype == WEIR_STRING)
    strings =
        std::make_shared<std::vector<std::string>>(static_cast<size_t>(count));
}

llvm::Expected<Tensor> Tensor::create(WeirDType dtype,
                                      ArrayRef<int64_t> shape) {
  int64_t bytes;
  if (!rt::checkedBytes(shape.data(), static_cast<int32_t>(shape.size()),
                        rt::dtypeInfo(dtype)->size, bytes))
    return llvm::createStringError("a tensor of shape " + shapeText(shape) +
                                   " is larger than any tensor may be");
  try {
    return Tensor(dtype, shape);
  } catch (const std::bad_alloc &) {
    return llvm::createStringError("there is no memory for a tensor of shape " +
                                   shapeText(shape) + ", which takes " +
                                   llvm::Twine(bytes) + " bytes");
  }
}

llvm::Expected<Tensor> Tensor::fromView(const WeirView &view) {
  if (rt::Status status = rt::checkView(view, "tensor"); !status.ok())
    return llvm::createStringError(status.message());
  Tensor tensor(static_cast<WeirDType>(view.dtype),
                ArrayRef(view.dims, static_cast<size_t>(view.rank)));
  if (tensor.isString()) {
    auto *elements = static_cast<const WeirString *>(view.data);
    for (int64_t i = 0; i < tensor.count; ++i)
      (*tensor.strings)[i].assign(elements[i].data ? elements[i].data : "",
                                  static_cast<size_t>(elements[i].size));
  } else if (tensor.count > 0 && tensor.dtype == WEIR_BOOL) {
    // Whatever a byte is, a bool is 0 or 1.
    auto *bytes = static_cast<const uint8_t *>(view.data);
    std::transform(bytes, bytes + tensor.count, tensor.write<bool>(),
                   [](uint8_t byte) { return byte != 0; });
  } else if (tensor.count > 0) {
    std::memcpy(tensor.write<char>(), view.data,
                static_cast<size_t>(tensor.count * sizeOf(tensor.dtype)));
  }
  return tensor;
}

Tensor Tensor::fromStrings(ArrayRef<int64_t> shape,
                           std::vector<std::string> strings) {
  Tensor tensor(WEIR_STRING, shape);
  strings.resize(static_cast<size_t>(tensor.count));
  tensor.strings =
      std::make_shared<std::vector<std::string>>(std::move(strings));
  return tensor;
}

llvm::Expected<Tensor> Tensor::fromAttribute(ElementsAttr attribute) {
  ShapedType type = attribute.getShapedType();
  WeirDType dtype = dtypeOf(type.getElementType());
  if (dtype == WEIR_DTYPE_INVALID || !type.hasStaticShape())
    return llvm::createStringError("a constant of this type has no value");
  if (auto text = dyn_cast<DenseStringElementsAttr>(attribute)) {
    std::vector<std::string> strings;
    for (StringRef string : text.getValues<StringRef>())
      strings.push_back(string.str());
    return dtype == WEIR_STRING
               ? fromStrings(type.getShape(), std::move(strings))
               : llvm::Expected<Tensor>(llvm::createStringError(
                     "a constant of numbers holds strings"));
  }
  llvm::Expected<Tensor> tensor = create(dtype, type.getShape());
  if (!tensor || dtype == WEIR_STRING)
    return tensor ? llvm::Expected<Tensor>(llvm::createStringError(
                        "a constant of strings holds no strings"))
                  : std::move(tensor);
  size_t bytes = static_cast<size_t>(tensor->count * sizeOf(dtype));
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() < bytes)
      return llvm::createStringError("the resource '" +
                                     resource.getRawHandle().getKey() +
                                     "' of a constant is missing or too short");
    WeirView view{const_cast<char *>(blob->getData().data()),
                  tensor->shape.data(), static_cast<int32_t>(tensor->getRank()),
                  dtype};
    return fromView(view);
  }
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense)
    return llvm::createStringError(
        "a constant has a form that is not known here");
  if (!dense.isSplat() && dtype != WEIR_BOOL) {
    std::memcpy(tensor->write<char>(), dense.getRawData().data(), bytes);
    return tensor;
  }
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    T *to = tensor->write<T>();
    auto fill = [&](auto &&values) {
      int64_t i = 0;
      for (const llvm::APInt &bits : values) {
        if constexpr (std::same_as<T, bool>) {
          to[i++] = !bits.isZero();
        } else {
          uint64_t word = bits.getZExtValue();
          std::memcpy(&to[i++], &word, sizeof(T));
        }
      }
    };
    if (isa<FloatType>(type.getElementType()))
      fill(llvm::map_range(
          dense.getValues<llvm::APFloat>(),
          [](const llvm::APFloat &value) { return value.bitcastToAPInt(); }));
    else
      fill(dense.getValues<llvm::APInt>());
  });
  return tensor;
}

//===----------------------------------------------------------------------===//
// Using tensors
//===----------------------------------------------------------------------===//

void Tensor::detach() {
  if (storage.use_count() > 1)
    storage = std::make_shared<Buffer>(*storage);
}

double Tensor::getDouble(int64_t i) const {
  return dispatch(dtype, [&](auto zero) {
    return convertTo<double>(read<decltype(zero)>()[i]);
  });
}

int64_t Tensor::getInteger(int64_t i) const {
  return dispatch(dtype, [&](auto zero) {
    return convertTo<int64_t>(read<decltype(zero)>()[i]);
  });
}

Tensor Tensor::withShape(ArrayRef<int64_t> newShape) const {
  Tensor result = *this;
  result.shape.assign(newShape.begin(), newShape.end());
  return result;
}

WeirView Tensor::view(std::vector<WeirString> &scratch) const {
  WeirView view{storage->data(), shape.data(), static_cast<int32_t>(getRank()),
                dtype};
  if (isString()) {
    scratch.clear();
    for (const std::string &string : *strings)
      scratch.push_back({string.data(), static_cast<int64_t>(string.size())});
    view.data = scratch.data();
  }
  return view;
}

DenseElementsAttr Tensor::toAttribute(RankedTensorType type) const {
  if (dtype == WEIR_BOOL)
    return DenseElementsAttr::get(
        type, ArrayRef(read<bool>(), static_cast<size_t>(count)));
  return DenseElementsAttr::getFromRawBuffer(
      type,
      ArrayRef(storage->data(), static_cast<size_t>(count * sizeOf(dtype))));
}

std::string describe(const Tensor &tensor) {
  return std::string(rt::dtypeInfo(tensor.getDType())->name) + " of shape " +
         shapeText(tensor.getShape());
}

} // namespace weir
