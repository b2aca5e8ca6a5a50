//===- PassNames.h - The names of passes, for help and for slips - -*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PIPELINE_PASSNAMES_H
#define WEIR_LIB_PIPELINE_PASSNAMES_H

#include <string>
#include <string_view>

namespace weir {

/// A line for each pass and pipeline of Weir with a flag of the tool: name and
/// description, in the order of the names. Only after the flags are registered.
std::string weirPassList();

/// What is wrong with the names in the text of a pass pipeline: "there is no
/// pass 'x'; did you mean …", or "" when all of them are known.
std::string unknownPassIn(std::string_view pipeline);

} // namespace weir

#endif // WEIR_LIB_PIPELINE_PASSNAMES_H
