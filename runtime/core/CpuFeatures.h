//===- CpuFeatures.h - What this processor can do ---------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names are LLVM's ("avx512f", "sse4.2").
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CORE_CPUFEATURES_H
#define WEIR_RUNTIME_CORE_CPUFEATURES_H

#include <string>
#include <string_view>

namespace weir::rt {

/// The features of the comma list `required` that this processor, or the
/// operating system under it, lacks, as a comma list. Names may carry a leading
/// '+'; those with a leading '-' and those that are not known here ask for
/// nothing, because a wrong refusal is worse than none.
std::string missingCpuFeatures(std::string_view required);

/// True when the feature is known here and present.
bool hasCpuFeature(std::string_view name);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CORE_CPUFEATURES_H
