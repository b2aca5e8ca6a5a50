//===- Samples.cpp - Feeds to calibrate with ------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Quantize/Samples.h"

#include "dialects/Weir/Shape.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/input/Decode.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace weir {

std::unique_ptr<Samples> Samples::open(const std::string &path,
                                       Messages &messages) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    messages.error("[WEIR0260] cannot read the samples '" + path +
                   "': " + buffer.getError().message());
    return nullptr;
  }
  auto samples =
      std::unique_ptr<Samples>(new Samples("the samples '" + path + "'"));
  samples->bytes = (*buffer)->getBuffer().str();
  // "PK": an archive, be it empty. One array has no name to tell its feed.
  if (!StringRef(samples->bytes).starts_with("PK")) {
    messages.error("[WEIR0260] the samples '" + path +
                   "' are no .npz archive; numpy.savez(path, x=...) writes one "
                   "with an array for each feed");
    return nullptr;
  }
  return samples;
}

std::unique_ptr<Samples> Samples::of(NamedTensors arrays) {
  auto samples = std::unique_ptr<Samples>(new Samples("the samples"));
  samples->arrays = std::move(arrays);
  return samples;
}

/// Whether `shape` is of `type`, but for its first extent.
static bool hasRows(ArrayRef<int64_t> shape, RankedTensorType type) {
  if (shape.empty() || static_cast<int64_t>(shape.size()) != type.getRank())
    return false;
  for (auto [extent, declared] :
       llvm::drop_begin(llvm::zip_equal(shape, type.getShape())))
    if (!isDynamic(declared) && extent != declared)
      return false;
  int64_t step = type.isDynamicDim(0) ? 1 : type.getDimSize(0);
  return step > 0 && shape[0] > 0 && shape[0] % step == 0;
}

const Tensor *Samples::load(const std::string &feed, Messages &messages) {
  if (auto found = arrays.find(feed); found != arrays.end())
    return &found->second;
  std::string why;
  if (bytes.empty()) {
    std::vector<std::string_view> known;
    for (const auto &[name, array] : arrays)
      known.push_back(name);
    why = known.empty() ? "there are no arrays"
                        : "the arrays are " + rt::listNames(known);
  } else {
    rt::TensorRef array;
    rt::Status status = rt::decodeNpy(bytes, feed, array);
    llvm::Expected<Tensor> tensor =
        status.ok() ? Tensor::fromView(array.view())
                    : llvm::createStringError(status.message());
    if (tensor)
      return &(arrays[feed] = std::move(*tensor));
    why = llvm::toString(tensor.takeError());
  }
  messages.error("[WEIR0261] " + what + " give nothing for feed '" + feed +
                 "': " + why);
  return nullptr;
}

const Tensor *Samples::find(const std::string &feed, RankedTensorType type,
                            Messages &messages) {
  const Tensor *loaded = load(feed, messages);
  if (!loaded)
    return nullptr;
  const Tensor &array = *loaded;
  bool fits = array.getDType() == dtypeOf(type.getElementType()) &&
              (hasRows(array.getShape(), type) ||
               (type.hasStaticShape() && array.getShape() == type.getShape()));
  if (fits)
    return &array;
  std::string declared;
  llvm::raw_string_ostream(declared) << type;
  messages.error("[WEIR0261] the array '" + feed + "' of " + what + " is a " +
                 describe(array) + ", which has no rows for feed '" + feed +
                 "' of " + declared);
  return nullptr;
}

Tensor rowsOf(const Tensor &array, int64_t begin, int64_t end) {
  SmallVector<int64_t> shape(array.getShape());
  int64_t row = array.size() / shape[0];
  shape[0] = end - begin;
  Tensor rows(array.getDType(), shape);
  dispatch(array.getDType(), [&](auto zero) {
    using T = decltype(zero);
    std::copy_n(array.read<T>() + begin * row, rows.size(), rows.write<T>());
  });
  return rows;
}

} // namespace weir
