//===- Values.h - Tensors as text on a command line -------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a user writes after --feed, and how a fetch is printed.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CLI_VALUES_H
#define WEIR_RUNTIME_CLI_VALUES_H

#include "runtime/core/Tensor.h"
#include "weir-c/program.h"

#include <string>
#include <string_view>

namespace weir::rt {

/// "name=value" taken apart at the first '='; an error says what is missing.
/// `flag` is the option that it came with, for the message.
Status splitNamed(std::string_view flag, std::string_view text,
                  std::string &name, std::string &value);

/// The tensor that `text` means for feed `desc`: a number, `true`, `nan`, a
/// nested list `[[1,2],[3,4]]`, `"text"` or plain text for a string feed, or a
/// path that ends in .npy. The element type is the feed's; the shape is what is
/// written (the session checks it).
Status parseValue(const WeirTensorDesc &desc, const std::string &text,
                  TensorRef &tensor);

/// The elements as nested lists; of a large tensor only the edges, about
/// `limit` elements in all.
std::string valueText(const WeirView &view, int64_t limit = 64);

/// Element `index` (row-major) as a double; 0 for strings.
double elementAsDouble(const WeirView &view, int64_t index);

/// The number of elements of a sane view.
int64_t elementCount(const WeirView &view);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CLI_VALUES_H
