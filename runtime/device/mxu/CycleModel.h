//===- CycleModel.h - How long a program takes ------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cycles as docs/spec/mxu.md defines them. They depend on the program and the
// number of rows, not on the data.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DEVICE_MXU_CYCLEMODEL_H
#define WEIR_RUNTIME_DEVICE_MXU_CYCLEMODEL_H

#include "runtime/device/mxu/Program.h"
#include "weir-c/mxu.h"

#include <string>

namespace weir::mxu {

/// What a run on a batch of `rows` takes. `goesOn`, where it is given, is asked
/// now and then; false ends the count, and countCycles returns false.
bool countCycles(const Program &program, int64_t rows, WeirMxuFigures &figures,
                 const std::function<bool()> &goesOn = {});

/// A few lines for people: cycles and time, utilisation, what the matrix unit
/// waited for, bytes moved.
std::string figuresText(const WeirMxuFigures &figures);

} // namespace weir::mxu

#endif // WEIR_RUNTIME_DEVICE_MXU_CYCLEMODEL_H
