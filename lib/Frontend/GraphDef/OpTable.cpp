//===- OpTable.cpp - What is known about ops from outside ---------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/OpTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

using namespace weir;
using namespace weir::graphdef;

/// Ops with outputs of several names, in order. "name*attr" is as many as the
/// attribute says: an integer, or the length of a list.
static llvm::StringRef outputNames(llvm::StringRef op) {
  return llvm::StringSwitch<llvm::StringRef>(op)
      .Cases({"Switch", "RefSwitch"}, "output_false,output_true")
      .Case("_SwitchN", "outputs*num_outs")
      .Cases({"Merge", "RefMerge"}, "output,value_index")
      .Cases({"IdentityN"}, "output*T")
      .Cases({"PartitionedCall", "StatefulPartitionedCall", "If", "StatelessIf",
              "Case", "StatelessCase"},
             "output*Tout")
      .Cases({"While", "StatelessWhile"}, "output*T")
      .Cases({"Split", "SplitV"}, "output*num_split")
      .Case("Unpack", "output*num")
      .Case("ShapeN", "output*N")
      .Case("ConcatOffset", "offset*N")
      .Case("DynamicPartition", "outputs*num_partitions")
      .Case("BroadcastGradientArgs", "r0,r1")
      .Cases({"SoftmaxCrossEntropyWithLogits",
              "SparseSoftmaxCrossEntropyWithLogits"},
             "loss,backprop")
      .Cases({"TopK", "TopKV2"}, "values,indices")
      .Cases({"Unique", "UniqueV2"}, "y,idx")
      .Cases({"UniqueWithCounts", "UniqueWithCountsV2"}, "y,idx,count")
      .Case("ListDiff", "out,idx")
      .Case("Moments", "mean,variance")
      .Cases({"FusedBatchNorm", "FusedBatchNormV2"},
             "y,batch_mean,batch_variance,reserve_space_1,reserve_space_2")
      .Case("FusedBatchNormV3", "y,batch_mean,batch_variance,reserve_space_1,"
                                "reserve_space_2,reserve_space_3")
      .Cases({"FusedBatchNormGrad", "FusedBatchNormGradV2",
              "FusedBatchNormGradV3"},
             "x_backprop,scale_backprop,offset_backprop,reserve_space_3,"
             "reserve_space_4")
      .Case("MaxPoolWithArgmax", "output,argmax")
      .Cases({"QueueDequeue", "QueueDequeueV2", "QueueDequeueMany",
              "QueueDequeueManyV2", "QueueDequeueUpTo", "QueueDequeueUpToV2"},
             "components*component_types")
      .Cases({"Unstage", "StagePeek"}, "values*dtypes")
      .Case("BarrierTakeMany", "indices,keys,values*component_types")
      .Cases({"ReaderRead", "ReaderReadV2"}, "key,value")
      .Cases({"ReaderReadUpTo", "ReaderReadUpToV2"}, "keys,values")
      .Case("TensorArrayV3", "handle,flow")
      .Case("TensorArrayGradV3", "grad_handle,flow_out")
      .Cases({"TensorArrayConcatV2", "TensorArrayConcatV3"}, "value,lengths")
      .Case("DecodeCSV", "output*OUT_TYPE")
      .Case("ParseSingleExample", "sparse_indices*num_sparse,sparse_values*"
                                  "sparse_types,sparse_shapes*num_sparse,"
                                  "dense_values*Tdense")
      .Case("ParseExample", "sparse_indices*Nsparse,sparse_values*sparse_types,"
                            "sparse_shapes*Nsparse,dense_values*Tdense")
      .Case("ParseExampleV2", "sparse_indices*num_sparse,sparse_values*"
                              "sparse_types,sparse_shapes*num_sparse,"
                              "dense_values*Tdense,ragged_values*ragged_value_"
                              "types,ragged_row_splits*ragged_split_types")
      .Case("RestoreV2", "tensors*dtypes")
      .Cases({"IteratorGetNext", "IteratorGetNextSync"},
             "components*output_types")
      .Case("TensorListPopBack", "output_handle,tensor")
      .Cases({"TensorListConcat", "TensorListConcatV2"}, "tensor,lengths")
      .Default("");
}

int64_t weir::graphdef::countValues(const pb::OpDef::ArgDef &arg,
                                    const Attributes &attrs) {
  auto find = [&](const std::string &name) -> const pb::AttrValue * {
    auto it = attrs.find(name);
    return it == attrs.end() ? nullptr : it->second;
  };
  if (!arg.number_attr().empty()) {
    const pb::AttrValue *number = find(arg.number_attr());
    return number && number->value_case() == pb::AttrValue::kI &&
                   number->i() >= 0 && number->i() < (1 << 20)
               ? number->i()
               : -1;
  }
  if (!arg.type_list_attr().empty()) {
    const pb::AttrValue *types = find(arg.type_list_attr());
    return types ? types->list().type_size() : -1;
  }
  return 1;
}

/// The count that "name*attr" says, or 1.
static int64_t countOf(const Node &node, llvm::StringRef attr) {
  if (attr.empty())
    return 1;
  if (std::optional<int64_t> number = intAttr(node, attr))
    return std::clamp<int64_t>(*number, 0, 1 << 20);
  const pb::AttrValue::ListValue *list = listAttr(node, attr);
  return list ? list->type_size() : 1;
}

std::optional<OutputRange> weir::graphdef::findOutput(const Node &node,
                                                      std::string_view output) {
  llvm::StringRef names = outputNames(node.op);
  if (names.empty())
    return OutputRange();
  int first = 0;
  while (!names.empty()) {
    auto [spec, rest] = names.split(',');
    auto [name, attr] = spec.split('*');
    int count = static_cast<int>(countOf(node, attr));
    if (name == llvm::StringRef(output))
      return OutputRange{first, count};
    first += count;
    names = rest;
  }
  return std::nullopt;
}

bool weir::graphdef::hasEffects(const Node &node) {
  llvm::StringRef op = node.op;
  // Prefixes, so that all versions of an op are meant.
  constexpr llvm::StringLiteral prefixes[] = {"Assign",
                                              "ResourceApply",
                                              "ResourceScatter",
                                              "ResourceSparseApply",
                                              "Scatter",
                                              "Apply",
                                              "SparseApply",
                                              "QueueEnqueue",
                                              "QueueDequeue",
                                              "QueueClose",
                                              "Stack",
                                              "TensorArray",
                                              "Barrier",
                                              "Accumulator",
                                              "ResourceAccumulator",
                                              "Stage",
                                              "Unstage",
                                              "Reader",
                                              "Print",
                                              "Assert",
                                              "Save",
                                              "WriteFile",
                                              "StatefulPartitionedCall",
                                              "DestroyResourceOp",
                                              "CountUpTo",
                                              "ResourceCountUpTo",
                                              "MergeV2Checkpoints",
                                              "LookupTable",
                                              "InitializeTable",
                                              "MutableHashTable",
                                              "Variable"};
  constexpr llvm::StringLiteral without[] = {"ScatterNd", "TensorArraySize",
                                             "Variable", "VariableV2",
                                             "VariableShape"};
  if (op == "If" || op == "While" || op == "Case")
    return true;
  if (llvm::is_contained(without, op))
    return false;
  return llvm::any_of(
      prefixes, [&](llvm::StringRef prefix) { return op.starts_with(prefix); });
}

pb::DataType weir::graphdef::guessOutputType(const Node &node, int port) {
  // Lists with one type for each output.
  for (const char *name : {"Tout", "output_types", "component_types", "dtypes",
                           "OUT_TYPE", "_output_types"})
    if (const pb::AttrValue::ListValue *list = listAttr(node, name))
      if (port >= 0 && port < list->type_size())
        return list->type(port);
  // Ops whose outputs are of one type always.
  auto known =
      llvm::StringSwitch<pb::DataType>(node.op)
          .Cases({"Less", "LessEqual", "Greater", "GreaterEqual", "Equal",
                  "NotEqual"},
                 pb::DT_BOOL)
          .Cases({"IsFinite", "IsNan", "IsInf", "LogicalAnd", "LogicalOr",
                  "LogicalNot"},
                 pb::DT_BOOL)
          .Cases({"Any", "All", "IsVariableInitialized", "VarIsInitializedOp",
                  "ToBool"},
                 pb::DT_BOOL)
          .Cases({"LoopCond", "QueueIsClosed", "QueueIsClosedV2"}, pb::DT_BOOL)
          .Cases({"Rank", "QueueSize", "QueueSizeV2", "TensorArraySizeV3",
                  "TensorArraySizeV2"},
                 pb::DT_INT32)
          .Cases({"StringJoin", "AsString", "ReadFile", "Substr",
                  "ShardedFilename"},
                 pb::DT_STRING)
          .Cases(
              {"ReaderRead", "ReaderReadV2", "StringFormat", "MatchingFiles"},
              pb::DT_STRING)
          .Cases({"VarHandleOp", "FIFOQueueV2", "RandomShuffleQueueV2",
                  "PaddingFIFOQueueV2", "PriorityQueueV2"},
                 pb::DT_RESOURCE)
          .Cases({"StackV2", "HashTableV2", "TFRecordReaderV2",
                  "IdentityReaderV2", "Iterator", "IteratorV2"},
                 pb::DT_RESOURCE)
          .Default(pb::DT_INVALID);
  if (known != pb::DT_INVALID)
    return known;
  if (node.op == "TensorArrayV3" || node.op == "TensorArrayGradV3")
    return port == 0 ? pb::DT_RESOURCE : pb::DT_FLOAT;
  if ((node.op == "Merge" || node.op == "RefMerge") && port == 1)
    return pb::DT_INT32;
  if (node.op == "Shape" || node.op == "Size" || node.op == "ShapeN")
    return typeAttr(node, "out_type").value_or(pb::DT_INT32);
  for (const char *name : {"DstT", "dtype", "output_type", "out_type", "T",
                           "Tparams", "Tidx", "element_dtype"})
    if (std::optional<pb::DataType> type = typeAttr(node, name))
      return *type;
  if (const pb::AttrValue::ListValue *list = listAttr(node, "T"))
    if (port >= 0 && port < list->type_size())
      return list->type(port);
  return pb::DT_INVALID;
}
