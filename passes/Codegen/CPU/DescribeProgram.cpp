//===- DescribeProgram.cpp - The descriptor of a program ---===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "dialects/Weir/DTypes.h"
#include "dialects/Weir/Weir.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/Codegen/CPU/Passes.h"
#include "weir-c/program.h"

namespace weir {
#define GEN_PASS_DEF_CPUDESCRIBEPROGRAM
#include "passes/Codegen/CPU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {

/// Emits the structs of include/weir-c/program.h as constants.
class Describer {
public:
  Describer(ModuleOp module)
      : module(module), b(OpBuilder::atBlockEnd(module.getBody())),
        loc(module.getLoc()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())),
        i32(b.getI32Type()),
        tensorDesc(LLVM::LLVMStructType::getLiteral(
            module.getContext(), {pointer, pointer, i32, i32})),
        entryDesc(LLVM::LLVMStructType::getLiteral(
            module.getContext(),
            {pointer, pointer, pointer, pointer, i32, i32, pointer})),
        program(LLVM::LLVMStructType::getLiteral(
            module.getContext(), {i32, i32, pointer, pointer, pointer, pointer,
                                  pointer, i32, i32})) {}

  void run();

private:
  struct Tensor {
    std::string name;
    RankedTensorType type;
  };
  /// Builds a constant of `type` with `make`; returns its symbol, or nothing
  /// for an array of no elements.
  LLVM::GlobalOp constant(StringRef name, Type type, LLVM::Linkage linkage,
                          function_ref<Value()> make);
  LLVM::GlobalOp text(StringRef string);
  LLVM::GlobalOp dims(ArrayRef<int64_t> shape);
  LLVM::GlobalOp tensors(ArrayRef<Tensor> list);
  SmallVector<Tensor> parse(ArrayAttr list);
  Value number(int64_t value) {
    return LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(value));
  }
  Value address(LLVM::GlobalOp global) {
    return global ? LLVM::AddressOfOp::create(b, loc, global).getResult()
                  : LLVM::ZeroOp::create(b, loc, pointer).getResult();
  }
  Value pack(Type type, ValueRange fields) {
    Value value = LLVM::UndefOp::create(b, loc, type);
    for (auto [i, field] : llvm::enumerate(fields))
      value = LLVM::InsertValueOp::create(b, loc, value, field, i);
    return value;
  }
  std::string features();

  ModuleOp module;
  OpBuilder b;
  Location loc;
  Type pointer, i32, tensorDesc, entryDesc, program;
  unsigned counter = 0;
};

struct DescribeProgram : weir::impl::CpuDescribeProgramBase<DescribeProgram> {
  void runOnOperation() override { Describer(getOperation()).run(); }
};

} // namespace

LLVM::GlobalOp Describer::constant(StringRef name, Type type,
                                   LLVM::Linkage linkage,
                                   function_ref<Value()> make) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  std::string symbol = linkage == LLVM::Linkage::Internal
                           ? (name + "." + Twine(counter++)).str()
                           : name.str();
  auto global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                       linkage, symbol, Attribute());
  b.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(b, loc, make());
  return global;
}

LLVM::GlobalOp Describer::text(StringRef string) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  std::string bytes = string.str() + '\0';
  return LLVM::GlobalOp::create(
      b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal,
      ("weir.name." + Twine(counter++)).str(), b.getStringAttr(bytes));
}

LLVM::GlobalOp Describer::dims(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return {};
  Type i64 = b.getI64Type(), type = LLVM::LLVMArrayType::get(i64, shape.size());
  return constant("weir.dims", type, LLVM::Linkage::Internal, [&] {
    SmallVector<Value> extents;
    for (int64_t extent : shape)
      extents.push_back(LLVM::ConstantOp::create(
          b, loc, i64,
          b.getI64IntegerAttr(ShapedType::isDynamic(extent) ? -1 : extent)));
    return pack(type, extents);
  });
}

LLVM::GlobalOp Describer::tensors(ArrayRef<Tensor> list) {
  if (list.empty())
    return {};
  Type type = LLVM::LLVMArrayType::get(tensorDesc, list.size());
  SmallVector<std::pair<LLVM::GlobalOp, LLVM::GlobalOp>> parts;
  for (const Tensor &tensor : list)
    parts.push_back({text(tensor.name), dims(tensor.type.getShape())});
  return constant("weir.tensors", type, LLVM::Linkage::Internal, [&] {
    SmallVector<Value> descs;
    for (auto [tensor, part] : llvm::zip(list, parts))
      descs.push_back(
          pack(tensorDesc, {address(part.first), address(part.second),
                            number(tensor.type.getRank()),
                            number(dtypeOf(tensor.type.getElementType()))}));
    return pack(type, descs);
  });
}

SmallVector<Describer::Tensor> Describer::parse(ArrayAttr list) {
  SmallVector<Tensor> result;
  for (auto entry : list.getAsRange<DictionaryAttr>())
    result.push_back(
        {cast<StringAttr>(entry.get("name")).str(),
         cast<RankedTensorType>(cast<TypeAttr>(entry.get("type")).getValue())});
  return result;
}

/// The features the code was made for, as "avx2,fma".
std::string Describer::features() {
  auto target = module->getAttrOfType<DictionaryAttr>("rt.target");
  auto list = target ? target.getAs<StringAttr>("features") : StringAttr();
  std::string result;
  if (list)
    for (StringRef feature : llvm::split(list.getValue(), ','))
      if (feature.consume_front("+"))
        result += (result.empty() ? "" : ",") + feature.str();
  return result;
}

void Describer::run() {
  SmallVector<Tensor> variables;
  for (auto variable :
       llvm::make_early_inc_range(module.getOps<VariableOp>())) {
    variables.push_back({variable.getSymName().str(),
                         cast<RankedTensorType>(variable.getType())});
    variable.erase();
  }
  for (auto queue : llvm::make_early_inc_range(module.getOps<QueueOp>()))
    queue.erase();

  struct Entry {
    LLVM::GlobalOp name, feeds, fetches;
    LLVM::LLVMFuncOp function;
    int64_t feedCount, fetchCount;
  };
  SmallVector<Entry> entries;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto signature = function->getAttrOfType<DictionaryAttr>(rt::entryAttrName);
    if (!signature)
      continue;
    auto feeds = parse(signature.getAs<ArrayAttr>("feeds")),
         fetches = parse(signature.getAs<ArrayAttr>("fetches"));
    entries.push_back({text(function.getSymName()), tensors(feeds),
                       tensors(fetches), function,
                       static_cast<int64_t>(feeds.size()),
                       static_cast<int64_t>(fetches.size())});
    // The user's name may be one that a library has: read, main, exp.
    function.setSymName(("weir.entry." + function.getSymName()).str());
    function.setLinkage(LLVM::Linkage::Internal);
    function->removeAttr(rt::entryAttrName);
  }
  LLVM::GlobalOp variableTable = tensors(variables), entryTable;
  if (!entries.empty()) {
    Type type = LLVM::LLVMArrayType::get(entryDesc, entries.size());
    entryTable = constant("weir.entries", type, LLVM::Linkage::Internal, [&] {
      SmallVector<Value> descs;
      for (Entry &entry : entries)
        descs.push_back(
            pack(entryDesc, {address(entry.name),
                             LLVM::AddressOfOp::create(b, loc, entry.function),
                             address(entry.feeds), address(entry.fetches),
                             number(entry.feedCount), number(entry.fetchCount),
                             address(nullptr)}));
      return pack(type, descs);
    });
  }
  auto name = text(module.getSymName().value_or("program")),
       needed = text(features());
  constant("weir_program", program, LLVM::Linkage::External, [&] {
    return pack(program, {number(WEIR_PROGRAM_ABI), number(variables.size()),
                          address(name), address(needed),
                          address(variableTable), address(entryTable),
                          address(nullptr), number(entries.size()), number(0)});
  });
}
