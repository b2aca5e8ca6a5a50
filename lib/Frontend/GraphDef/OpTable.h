//===- OpTable.h - What is known about ops from outside ------ -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GraphDef does not say which outputs its ops have. How a converted op
// behaves is known to its converter; here is what has to be known about ops
// whether they are converted or not.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_FRONTEND_GRAPHDEF_OPTABLE_H
#define WEIR_LIB_FRONTEND_GRAPHDEF_OPTABLE_H

#include "lib/Frontend/GraphDef/Graph.h"

namespace weir::graphdef {

/// Outputs of a node that have one name, as bodies of functions speak of them.
struct OutputRange {
  int first = 0;
  int count = 1;
};

/// The outputs that `output` names; nothing where the op has outputs of other
/// names. An op that is not known has one output, whatever the name.
std::optional<OutputRange> findOutput(const Node &node,
                                      std::string_view output);

/// The number of values that an argument of a function or op stands for, given
/// the attributes of the call; -1 where an attribute is missing or wrong.
int64_t countValues(const pb::OpDef::ArgDef &arg, const Attributes &attrs);

/// True for ops that are run for what they do, whoever uses their outputs.
bool hasEffects(const Node &node);

/// The element type of an output, from the attributes of the node: a guess that
/// is right for nearly all ops. DT_INVALID where nothing says it.
pb::DataType guessOutputType(const Node &node, int port);

} // namespace weir::graphdef

#endif // WEIR_LIB_FRONTEND_GRAPHDEF_OPTABLE_H
