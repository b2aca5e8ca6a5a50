//===- QuantizeOptions.h - Post-training quantization by flags -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_QUANTIZEOPTIONS_H
#define WEIR_LIB_DRIVER_QUANTIZEOPTIONS_H

#include "lib/Driver/Quantize.h"

namespace weir {

/// Registers --restore, --quantize, --quantize-percentile and
/// --quantize-report. Call it once, before the command line is parsed.
void registerQuantizeOptions();

/// What the parsed flags say; false after an error [WEIR0264].
bool readQuantizeOptions(PostTrainingOptions &options, Messages &messages);

/// As the function of Quantize.h; writes the report, if it was asked for, to
/// stderr.
bool postTrain(Program &program, const std::vector<std::string> &entries,
               const PostTrainingOptions &options, Messages &messages);

} // namespace weir

#endif // WEIR_LIB_DRIVER_QUANTIZEOPTIONS_H
