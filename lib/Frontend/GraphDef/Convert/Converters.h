//===- Converters.h - The table of converters by op name ------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family of ops is a file of converters, which adds its rows to the table.
// What families have in common is declared here too.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_FRONTEND_GRAPHDEF_CONVERT_CONVERTERS_H
#define WEIR_LIB_FRONTEND_GRAPHDEF_CONVERT_CONVERTERS_H

#include "lib/Frontend/GraphDef/NodeConversion.h"

namespace weir::graphdef {

using OpConverter = LogicalResult (*)(NodeConversion &);
using ConverterTable = llvm::StringMap<OpConverter>;

/// All rows. Built once.
const ConverterTable &converters();

// The families.
void addMathConverters(ConverterTable &table);
void addDivisionConverters(ConverterTable &table);
void addArrayConverters(ConverterTable &table);
void addIndexConverters(ConverterTable &table);
void addShapeConverters(ConverterTable &table);
void addReductionConverters(ConverterTable &table);
void addNeuralNetworkConverters(ConverterTable &table);
void addControlFlowConverters(ConverterTable &table);
void addStateConverters(ConverterTable &table);
void addOptimizerConverters(ConverterTable &table);
void addQueueConverters(ConverterTable &table);
void addTensorArrayConverters(ConverterTable &table);
void addInputConverters(ConverterTable &table);
void addRandomConverters(ConverterTable &table);
void addValueConverters(ConverterTable &table);
void addStringConverters(ConverterTable &table);
void addListConverters(ConverterTable &table);

// ---- What families share.

/// The elements of a scalar or vector of integers that are known, -1 for the
/// others; nothing where even their number is not.
std::optional<llvm::SmallVector<int64_t>>
knownInPart(NodeConversion &n, Value value, int depth = 0);
/// The extents of a tensor, of strings too, as a vector of i64.
Value extentsOf(NodeConversion &n, Value x);
/// DynamicStitch and UnsortedSegmentSum where the places, or how many there
/// are, are values.
LogicalResult convertComputedStitch(NodeConversion &n);
LogicalResult convertComputedSegmentSum(NodeConversion &n);
/// Pack and Gather of handles, AddN and ZerosLike of lists of tensors; whether
/// input 0 is such.
bool takesHandle(NodeConversion &n);
LogicalResult packHandles(NodeConversion &n);
LogicalResult gatherHandle(NodeConversion &n);
LogicalResult addLists(NodeConversion &n);
LogicalResult zerosLikeList(NodeConversion &n);
/// The tensor whose extents `value` is, or null.
Value shapedLike(Value value);
/// `count` values of a type as one tensor; a type of no rank is its own batch.
mlir::Type batchOf(mlir::Type type, int64_t count);

} // namespace weir::graphdef

#endif // WEIR_LIB_FRONTEND_GRAPHDEF_CONVERT_CONVERTERS_H
