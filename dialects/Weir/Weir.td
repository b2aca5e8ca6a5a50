//===- Weir.td - The weir dialect ------------------*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TD
#define WEIR_TD

include "dialects/Weir/GraphOps.td"
include "dialects/Weir/ControlFlowOps.td"
include "dialects/Weir/MathOps.td"
include "dialects/Weir/LinearAlgebraOps.td"
include "dialects/Weir/NeuralNetworkOps.td"
include "dialects/Weir/ShapeOps.td"
include "dialects/Weir/ReductionOps.td"
include "dialects/Weir/GatherOps.td"
include "dialects/Weir/StateOps.td"
include "dialects/Weir/QueueOps.td"
include "dialects/Weir/ResourceOps.td"
include "dialects/Weir/InputOps.td"
include "dialects/Weir/RandomOps.td"
include "dialects/Weir/DynamicShapeOps.td"
include "dialects/Weir/ValueOps.td"
include "dialects/Weir/ListOps.td"
include "dialects/Weir/QuantizedOps.td"
include "dialects/Weir/PlacementOps.td"

#endif // WEIR_TD
