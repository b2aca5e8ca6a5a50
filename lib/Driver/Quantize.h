//===- Quantize.h - Post-training quantization of a program ----*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_QUANTIZE_H
#define WEIR_LIB_DRIVER_QUANTIZE_H

#include "lib/Driver/Driver.h"
#include "lib/Quantize/PostTraining.h"

namespace weir {

/// Does on the program what the options ask for, in place: it is of no more use
/// when that fails. Other entry points than `entries` go, where some are named.
bool postTrain(Program &program, const std::vector<std::string> &entries,
               const PostTrainingOptions &options, QuantizationReport &report,
               Messages &messages);

} // namespace weir

#endif // WEIR_LIB_DRIVER_QUANTIZE_H
