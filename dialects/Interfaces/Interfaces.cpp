//===- Interfaces.cpp - Op interfaces of Weir
//---------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Interfaces/Interfaces.h"

#include "dialects/Interfaces/Interfaces.cpp.inc"
