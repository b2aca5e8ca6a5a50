//===- DescribeDataflow.cpp - Tables of nodes as constants ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table may have a hundred thousand nodes. Edges, numbers and names of all of
// them are one constant each, into which rows point.
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/DTypes.h"
#include "dialects/Weir/Weir.h"
#include "passes/Codegen/CPU/Describer.h"
#include "weir-c/dataflow.h"

using namespace mlir;

namespace weir {

static constexpr int64_t edgeBytes = sizeof(WeirEdge);

DataflowDescriber::DataflowDescriber(ModuleOp module, unsigned &counter,
                                     const SymbolPlaces &places)
    : Describer(module, counter), places(places),
      nodeDesc(
          structOf({LLVM::LLVMArrayType::get(i32, 8), pointer, pointer, pointer,
                    pointer, pointer, pointer, pointer, pointer})),
      frameDesc(structOf({pointer, i32, i32})),
      view(structOf({pointer, pointer, i32, i32})),
      dataflow(structOf({pointer, pointer, pointer, i32, i32, i32})),
      stringDesc(structOf({pointer, b.getI64Type()})) {}

/// What a row points to: places in the pools.
struct DataflowDescriber::Row {
  int32_t head[8];
  size_t name, inputs, controls, numbers;
  LLVM::GlobalOp outputs, texts;
  LLVM::LLVMFuncOp kernel, call;
};

void DataflowDescriber::collectEdges(ValueRange operands) {
  for (Value operand : operands) {
    Operation *from = operand.getDefiningOp();
    auto node = dyn_cast<rt::NodeOp>(from);
    int32_t output = -1;
    if (!node)
      output = numbers.lookup(from);
    else if (isa<rt::EdgeType>(operand.getType()))
      output = cast<OpResult>(operand).getResultNumber();
    edgePool.push_back(node ? numbers.lookup(from) : -1);
    edgePool.push_back(output);
  }
}

LLVM::GlobalOp DataflowDescriber::outputs(rt::NodeOp node) {
  SmallVector<Type> types;
  for (Type type : node.getOutputs().getTypes())
    types.push_back(cast<rt::EdgeType>(type).getType());
  if (types.empty())
    return {};
  LLVM::GlobalOp &global = outputsOf[b.getTypeArrayAttr(types)];
  if (!global) {
    SmallVector<DescribedTensor> list;
    for (Type type : types)
      list.push_back({"", type});
    global = tensors(list);
  }
  return global;
}

LLVM::GlobalOp DataflowDescriber::strings(ArrayRef<StringRef> list) {
  SmallVector<LLVM::GlobalOp> parts;
  for (StringRef string : list)
    parts.push_back(text(string));
  return array("weir.strings", stringDesc, list.size(), [&](size_t i) {
    Value size = LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                          b.getI64IntegerAttr(list[i].size()));
    return pack(stringDesc, {address(parts[i]), size});
  });
}

/// A function of the program, or one of the runtime that a node calls.
LLVM::LLVMFuncOp DataflowDescriber::function(StringRef name) {
  LLVM::LLVMFuncOp &known = functions[name];
  if (!known)
    known = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return known = LLVM::LLVMFuncOp::create(
             b, loc, name,
             LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                         pointer));
}

void DataflowDescriber::collect(rt::NodeOp node, Row &row) {
  auto index = [&]() -> int32_t {
    if (auto index = node.getIndex())
      return static_cast<int32_t>(*index);
    if (auto symbol = node.getSymbol())
      return places.variables.lookup(*symbol);
    return -1;
  };
  auto [name, isNew] = nameAt.try_emplace(node.getNode(), namePool.size());
  if (isNew)
    namePool += node.getNode().str() + '\0';
  row.name = name->second;
  row.inputs = edgePool.size() / 2 * edgeBytes;
  collectEdges(node.getInputs());
  row.controls = edgePool.size() / 2 * edgeBytes;
  collectEdges(node.getControls());
  row.numbers = numberPool.size() * sizeof(int64_t);
  if (auto list = node.getNumbers())
    llvm::append_range(numberPool, *list);
  row.outputs = outputs(node);
  int32_t textCount = 0;
  if (auto list = node.getTextsAttr()) {
    textCount = static_cast<int32_t>(list.size());
    LLVM::GlobalOp &texts = textsOf[list];
    if (!texts)
      texts = strings(llvm::to_vector(list.getAsValueRange<StringAttr>()));
    row.texts = texts;
  }
  if (auto kernel = node.getKernel())
    row.kernel = function(*kernel);
  if (auto call = node.getCall())
    row.call = function(*call);
  auto count = [](auto range) { return static_cast<int32_t>(range.size()); };
  int32_t head[8] = {static_cast<int32_t>(node.getKind()),
                     index(),
                     static_cast<int32_t>(node.getFrame()),
                     count(node.getInputs()),
                     count(node.getOutputs()),
                     count(node.getControls()),
                     node.getNumbers() ? count(*node.getNumbers()) : 0,
                     textCount};
  llvm::copy(head, row.head);
}

LLVM::GlobalOp DataflowDescriber::frames(rt::DataflowOp table) {
  struct Desc {
    LLVM::GlobalOp name;
    int64_t parent, parallel;
  };
  SmallVector<Desc> list{{text(table.getSymName()), -1, 1}};
  for (auto frame : table.getFrames().getAsRange<DictionaryAttr>())
    list.push_back({text(frame.getAs<StringAttr>("name")),
                    frame.getAs<IntegerAttr>("parent").getInt(),
                    frame.getAs<IntegerAttr>("parallel_iterations").getInt()});
  return array("weir.frames", frameDesc, list.size(), [&](size_t i) {
    return pack(frameDesc, {address(list[i].name), number(list[i].parent),
                            number(list[i].parallel)});
  });
}

/// The elements of a constant, as memory has them.
LLVM::GlobalOp DataflowDescriber::elements(ElementsAttr value) {
  if (value.getNumElements() == 0)
    return {};
  if (auto list = dyn_cast<DenseStringElementsAttr>(value))
    return strings(llvm::to_vector(list.getValues<StringRef>()));
  auto dense = cast<DenseElementsAttr>(value);
  auto integer = dyn_cast<IntegerType>(dense.getElementType());
  if (integer && (integer.getWidth() == 1 || !integer.isSignless())) {
    // A boolean is a byte, and no integer is unsigned.
    unsigned width = std::max(8u, integer.getWidth());
    dense = dense.mapValues(b.getIntegerType(width), [&](const APInt &bits) {
      return bits.zextOrTrunc(width);
    });
  }
  return data("weir.constant", dense);
}

LLVM::GlobalOp DataflowDescriber::constants(ArrayRef<rt::ImmediateOp> list) {
  struct Desc {
    LLVM::GlobalOp data, dims;
    int64_t rank, dtype;
  };
  SmallVector<Desc> descs;
  for (rt::ImmediateOp op : list) {
    if (auto value = dyn_cast<ElementsAttr>(op.getValue())) {
      auto type = cast<RankedTensorType>(value.getType());
      descs.push_back({elements(value), dims(type.getShape()), type.getRank(),
                       dtypeOf(type.getElementType())});
      continue;
    }
    StringRef symbol = cast<FlatSymbolRefAttr>(op.getValue()).getValue();
    auto variable = places.variables.find(symbol);
    bool isVariable = variable != places.variables.end();
    int32_t handle[2] = {isVariable, isVariable
                                         ? variable->second
                                         : places.resources.lookup(symbol)};
    descs.push_back({data("weir.handle", DenseElementsAttr::get(
                                             RankedTensorType::get({2}, i32),
                                             ArrayRef<int32_t>(handle))),
                     {},
                     0,
                     WEIR_RESOURCE});
  }
  return array("weir.constants", view, descs.size(), [&](size_t i) {
    const Desc &desc = descs[i];
    return pack(view, {address(desc.data), address(desc.dims),
                       number(desc.rank), number(desc.dtype)});
  });
}

LLVM::GlobalOp DataflowDescriber::describe(rt::DataflowOp table) {
  numbers.clear();
  edgePool.clear();
  numberPool.clear();
  namePool.clear();
  nameAt.clear();
  SmallVector<rt::NodeOp> nodes;
  SmallVector<rt::ImmediateOp> immediates;
  for (Operation &op : table.getBody().front()) {
    if (auto node = dyn_cast<rt::NodeOp>(op)) {
      numbers[node] = static_cast<int32_t>(nodes.size());
      nodes.push_back(node);
    } else {
      numbers[&op] = static_cast<int32_t>(immediates.size());
      immediates.push_back(cast<rt::ImmediateOp>(op));
    }
  }
  std::vector<Row> rows(nodes.size());
  for (auto [node, row] : llvm::zip_equal(nodes, rows))
    collect(node, row);

  auto pool = [&](StringRef name, auto &list) -> LLVM::GlobalOp {
    if (list.empty())
      return {};
    using Element = typename std::decay_t<decltype(list)>::value_type;
    auto type = RankedTensorType::get({static_cast<int64_t>(list.size())},
                                      b.getIntegerType(8 * sizeof(Element)));
    return data(name, DenseElementsAttr::get(type, ArrayRef(list)));
  };
  LLVM::GlobalOp edges = pool("weir.edges", edgePool),
                 allNumbers = pool("weir.numbers", numberPool),
                 names = namePool.empty() ? LLVM::GlobalOp() : text(namePool);
  auto nodeTable = array("weir.nodes", nodeDesc, rows.size(), [&](size_t i) {
    const Row &row = rows[i];
    // Most fields are null, so that the others are put into zeros.
    Value desc = LLVM::ZeroOp::create(b, loc, nodeDesc);
    auto set = [&](int64_t field, Value value) {
      desc = LLVM::InsertValueOp::create(b, loc, desc, value, field);
    };
    auto type = RankedTensorType::get({8}, i32);
    set(0, LLVM::ConstantOp::create(
               b, loc, LLVM::LLVMArrayType::get(i32, 8),
               DenseElementsAttr::get(type, ArrayRef<int32_t>(row.head))));
    set(1, address(names, row.name));
    if (row.head[3] != 0)
      set(2, address(edges, row.inputs));
    if (row.head[5] != 0)
      set(3, address(edges, row.controls));
    if (row.outputs)
      set(4, address(row.outputs));
    if (row.kernel)
      set(5, LLVM::AddressOfOp::create(b, loc, row.kernel));
    if (row.call)
      set(6, LLVM::AddressOfOp::create(b, loc, row.call));
    if (row.head[6] != 0)
      set(7, address(allNumbers, row.numbers));
    if (row.texts)
      set(8, address(row.texts));
    return desc;
  });
  LLVM::GlobalOp frameTable = frames(table),
                 constantTable = constants(immediates);
  return constant("weir.dataflow", dataflow, LLVM::Linkage::Internal, [&] {
    return pack(dataflow, {address(nodeTable), address(frameTable),
                           address(constantTable), number(nodes.size()),
                           number(table.getFrames().size() + 1),
                           number(immediates.size())});
  });
}

} // namespace weir
