//===- Images.h - The shapes of convolution and pooling ----------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Type inference that nodes on floats and on stored numbers share; an `Adaptor`
// is that of a node with the attributes of weir.conv2d or weir.max_pool.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECTS_WEIR_IMAGES_H
#define WEIR_DIALECTS_WEIR_IMAGES_H

#include "dialects/Weir/Shape.h"
#include "dialects/Weir/Weir.h"

namespace weir {

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

inline llvm::LogicalResult checkStatic(InferContext context,
                                       mlir::RankedTensorType type,
                                       llvm::ArrayRef<int64_t> dimensions) {
  for (int64_t i : dimensions)
    if (type.isDynamicDim(i))
      return context.error() << "[WEIR0032] dimension " << i << " of " << type
                             << " has to be static";
  return mlir::success();
}

/// The windows of an op over an image of the size given, or an error.
template <typename Adaptor>
llvm::FailureOr<std::array<WindowDim, 2>>
windowsOf(Adaptor adaptor, llvm::ArrayRef<int64_t> image,
          llvm::ArrayRef<int64_t> window, llvm::ArrayRef<int64_t> dilations,
          InferContext context) {
  if (image.size() != 2 || isDynamic(image[0]) || isDynamic(image[1]) ||
      window.size() != 2 || isDynamic(window[0]) ||
      isDynamic(window[1])) // conv2d_c5, max_pool_c1, max_pool_c2
    return context.error() << "[WEIR0032] height and width of the image ("
                           << shapeText(image) << ") and of the window ("
                           << shapeText(window)
                           << ") have to be two static extents each";
  std::optional<llvm::ArrayRef<int64_t>> pads = adaptor.getPads();
  if ((adaptor.getPadding() == Padding::EXPLICIT) != pads.has_value() ||
      (pads && pads->size() != 4)) // conv2d_c4
    return context.error() << "[WEIR0033] `pads` = [top, bottom, left, right] "
                              "goes with EXPLICIT padding and with no other";
  auto dims = slideWindow2d(image, window, adaptor.getStrides(), dilations,
                            adaptor.getPadding(), pads);
  if (!dims) // conv2d_c3, conv2d_c6
    return context.error() << "[WEIR0034] a window of " << shapeText(window)
                           << " with strides ["
                           << listText(adaptor.getStrides())
                           << "] and dilations [" << listText(dilations)
                           << "] does not fit an image of " << shapeText(image)
                           << " with this padding";
  return *dims;
}

inline llvm::LogicalResult checkImages(InferContext context,
                                       mlir::ValueRange images) {
  for (mlir::Value image : images) {
    if (typeOf(image).getRank() != 4) // conv2d_c1
      return context.error()
             << "[WEIR0035] images and filters have rank 4, got "
             << typeOf(image);
    if (typeOf(image).getElementType() !=
        typeOf(images.front()).getElementType()) // conv2d_c1
      return context.error()
             << "[WEIR0021] element types "
             << typeOf(images.front()).getElementType() << " and "
             << typeOf(image).getElementType() << " differ; cast one of them";
  }
  return mlir::success();
}

/// The type of a convolution, or an error.
template <typename Adaptor>
llvm::FailureOr<mlir::RankedTensorType> inferConv2d(Adaptor adaptor,
                                                    InferContext context) {
  if (mlir::failed(checkImages(context, adaptor.getOperands().take_front(2))))
    return mlir::failure();
  mlir::RankedTensorType input = typeOf(adaptor.getInput()),
                         filter = typeOf(adaptor.getFilter());
  auto dims = windowsOf(adaptor, input.getShape().slice(1, 2),
                        filter.getShape().take_front(2), adaptor.getDilations(),
                        context);
  if (mlir::failed(dims) || mlir::failed(checkStatic(context, input, {3})) ||
      mlir::failed(checkStatic(context, filter, {2, 3}))) // conv2d_c5
    return mlir::failure();
  if (input.getDimSize(3) != filter.getDimSize(2)) // conv2d_c2
    return context.error() << "[WEIR0037] the image " << input << " has "
                           << input.getDimSize(3)
                           << " channels, but the filter " << filter
                           << " takes " << filter.getDimSize(2);
  return mlir::RankedTensorType::get({input.getDimSize(0), (*dims)[0].output,
                                      (*dims)[1].output, filter.getDimSize(3)},
                                     input.getElementType());
}

template <typename Adaptor>
llvm::FailureOr<mlir::RankedTensorType>
inferPool(Adaptor adaptor, mlir::Value image, InferContext context) {
  mlir::RankedTensorType type = typeOf(image);
  if (mlir::failed(checkImages(context, image))) // max_pool_c1
    return mlir::failure();
  auto dims = windowsOf(adaptor, type.getShape().slice(1, 2),
                        adaptor.getWindow(), {}, context);
  if (mlir::failed(dims))
    return mlir::failure();
  for (const WindowDim &dim : *dims)
    if (dim.low >= dim.window || dim.high >= dim.window) // max_pool_c3
      return context.error()
             << "[WEIR0033] padding by " << std::max(dim.low, dim.high)
             << " leaves a window of " << dim.window << " with nothing in it";
  return mlir::RankedTensorType::get({type.getDimSize(0), (*dims)[0].output,
                                      (*dims)[1].output, type.getDimSize(3)},
                                     type.getElementType());
}

} // namespace weir

#endif // WEIR_DIALECTS_WEIR_IMAGES_H
