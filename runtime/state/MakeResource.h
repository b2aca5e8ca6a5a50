//===- MakeResource.h - Resources as they are declared ----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a row of a program's table of resources to a queue, barrier, accumulator
// or reader. Apart from the state, so that a program that only has variables
// does without.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_MAKERESOURCE_H
#define WEIR_RUNTIME_STATE_MAKERESOURCE_H

#include "runtime/state/State.h"

namespace weir::rt {

/// A ResourceMaker. Fails as Queue::create, Barrier::create,
/// ConditionalAccumulator::create and makeReader do.
Status makeResource(const WeirResourceDesc &desc,
                    std::shared_ptr<Resource> &result);

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_MAKERESOURCE_H
