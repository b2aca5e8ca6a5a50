//===- MxuTranslate.h - Programs of the accelerator, as files ---*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TOOLS_WEIR_TRANSLATE_MXUTRANSLATE_H
#define WEIR_TOOLS_WEIR_TRANSLATE_MXUTRANSLATE_H

#include "lib/Support/Messages.h"

#include <string>

namespace weir {

/// Whether one of the options --mxu-... was given.
bool translatesMxu();

/// Does what they ask for, from file to file.
bool translateMxu(const std::string &input, const std::string &output,
                  bool locations, Messages &messages);

} // namespace weir

#endif // WEIR_TOOLS_WEIR_TRANSLATE_MXUTRANSLATE_H
