//===- Quantize.h - Post-training quantization -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PYTHON_QUANTIZE_H
#define WEIR_PYTHON_QUANTIZE_H

#include "python_bindings/src/Errors.h"

namespace weir::python {

void bindQuantize(nb::module_ &module);

} // namespace weir::python

#endif // WEIR_PYTHON_QUANTIZE_H
