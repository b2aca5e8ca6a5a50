//===- Table.cpp - The rows of all families -----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/Convert/Converters.h"

using namespace weir;
using namespace weir::graphdef;

const ConverterTable &weir::graphdef::converters() {
  static const ConverterTable table = [] {
    ConverterTable rows;
    addControlFlowConverters(rows);
    addMathConverters(rows);
    addDivisionConverters(rows);
    addReductionConverters(rows);
    addStateConverters(rows);
    addOptimizerConverters(rows);
    addQueueConverters(rows);
    addTensorArrayConverters(rows);
    addShapeConverters(rows);
    addArrayConverters(rows);
    addIndexConverters(rows);
    addNeuralNetworkConverters(rows);
    addInputConverters(rows);
    addRandomConverters(rows);
    addValueConverters(rows);
    addListConverters(rows);
    // These look at rows that are there.
    addStringConverters(rows);
    return rows;
  }();
  return table;
}
