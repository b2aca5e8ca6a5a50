//===- Ptx.h - PTX and cubins ------------------------------------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_PTX_H
#define WEIR_LIB_TARGET_PTX_H

#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace weir {

/// The PTX of a module of NVVM code, for compute capability 8.0, which every
/// later one runs. Functions of CUDA's libdevice that it calls are linked in
/// from `libdevice`, a file; an error names one where there is none.
llvm::Expected<std::string> emitPtx(llvm::Module &module,
                                    const std::string &libdevice);

/// The assembler: `option` where it is given, else in PATH or where CUDA
/// installs it; "" where there is none, or the option is "none".
std::string findPtxas(const std::string &option);

/// The library of device functions that belongs to an assembler, or of the
/// usual CUDA installation; "" where there is none.
std::string findLibdevice(const std::string &ptxas);

/// The cubin of `ptx` for `architecture`, "sm_80". An error has what ptxas
/// says.
llvm::Expected<std::string> assemblePtx(const std::string &ptxas,
                                        llvm::StringRef ptx,
                                        llvm::StringRef architecture);

} // namespace weir

#endif // WEIR_LIB_TARGET_PTX_H
