//===- Describer.cpp - Descriptors as constants ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/CPU/Describer.h"

#include "dialects/Weir/DTypes.h"
#include "dialects/Weir/Weir.h"

using namespace mlir;

namespace weir {

/// The longest array that is built element by element: each step copies it.
static constexpr size_t longestRun = 32;

Value Describer::number(int64_t value) {
  return LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(value));
}

Value Describer::null() { return LLVM::ZeroOp::create(b, loc, pointer); }

Value Describer::address(LLVM::GlobalOp global, int64_t offset) {
  if (!global)
    return null();
  Value start = LLVM::AddressOfOp::create(b, loc, global);
  if (offset == 0)
    return start;
  return LLVM::GEPOp::create(
      b, loc, pointer, b.getI8Type(), start,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
}

Value Describer::pack(Type type, ValueRange fields) {
  Value value = LLVM::UndefOp::create(b, loc, type);
  for (auto [i, field] : llvm::enumerate(fields))
    value = LLVM::InsertValueOp::create(b, loc, value, field, i);
  return value;
}

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

LLVM::GlobalOp Describer::data(StringRef name, DenseElementsAttr elements) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMArrayType::get(elements.getElementType(),
                                       elements.getNumElements());
  return LLVM::GlobalOp::create(
      b, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
      (name + "." + Twine(counter++)).str(),
      elements.reshape(RankedTensorType::get({elements.getNumElements()},
                                             elements.getElementType())),
      /*alignment=*/64);
}

LLVM::GlobalOp Describer::text(StringRef string) {
  LLVM::GlobalOp &global = texts[string];
  if (global)
    return global;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  std::string bytes = string.str() + '\0';
  return global = LLVM::GlobalOp::create(
             b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
             /*isConstant=*/true, LLVM::Linkage::Internal,
             ("weir.name." + Twine(counter++)).str(), b.getStringAttr(bytes));
}

LLVM::GlobalOp Describer::dims(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return {};
  SmallVector<int64_t> extents;
  for (int64_t extent : shape)
    extents.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  return data("weir.dims",
              DenseElementsAttr::get(
                  RankedTensorType::get({static_cast<int64_t>(extents.size())},
                                        b.getI64Type()),
                  ArrayRef(extents)));
}

LLVM::GlobalOp Describer::tensors(ArrayRef<DescribedTensor> list) {
  SmallVector<std::pair<LLVM::GlobalOp, LLVM::GlobalOp>> parts;
  for (const DescribedTensor &tensor : list) {
    auto ranked = dyn_cast<RankedTensorType>(tensor.type);
    parts.push_back({text(tensor.name),
                     ranked ? dims(ranked.getShape()) : LLVM::GlobalOp()});
  }
  return array("weir.tensors", tensorDesc, list.size(), [&](size_t i) {
    Type type = list[i].type;
    int64_t rank = isa<UnrankedTensorType>(type) ? -1 : 0;
    if (auto ranked = dyn_cast<RankedTensorType>(type))
      rank = ranked.getRank();
    int64_t dtype = isa<ResourceType>(type)
                        ? WEIR_RESOURCE
                        : dtypeOf(getElementTypeOrSelf(type));
    return pack(tensorDesc, {address(parts[i].first), address(parts[i].second),
                             number(rank), number(dtype)});
  });
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// The size of the parts of a long array: a power of the longest run.
static size_t partOf(size_t count) {
  size_t part = longestRun;
  while (part * longestRun < count)
    part *= longestRun;
  return part;
}

Type Describer::arrayType(Type element, size_t count) {
  if (count <= longestRun)
    return LLVM::LLVMArrayType::get(element, count);
  size_t part = partOf(count), whole = count / part, rest = count % part;
  SmallVector<Type> fields{
      LLVM::LLVMArrayType::get(arrayType(element, part), whole)};
  if (rest != 0)
    fields.push_back(arrayType(element, rest));
  return structOf(fields);
}

Value Describer::packArray(Type element, size_t first, size_t count,
                           function_ref<Value(size_t)> make) {
  Type type = arrayType(element, count);
  SmallVector<Value> fields;
  if (count <= longestRun) {
    for (size_t i = 0; i < count; ++i)
      fields.push_back(make(first + i));
    return pack(type, fields);
  }
  size_t part = partOf(count), whole = count / part, rest = count % part;
  for (size_t i = 0; i < whole; ++i)
    fields.push_back(packArray(element, first + i * part, part, make));
  SmallVector<Value> halves{
      pack(LLVM::LLVMArrayType::get(arrayType(element, part), whole), fields)};
  if (rest != 0)
    halves.push_back(packArray(element, first + whole * part, rest, make));
  return pack(type, halves);
}

LLVM::GlobalOp Describer::array(StringRef name, Type element, size_t count,
                                function_ref<Value(size_t)> make) {
  if (count == 0)
    return {};
  return constant(name, arrayType(element, count), LLVM::Linkage::Internal,
                  [&] { return packArray(element, 0, count, make); });
}

SmallVector<DescribedTensor> Describer::parse(ArrayAttr list) {
  SmallVector<DescribedTensor> result;
  for (auto entry : list.getAsRange<DictionaryAttr>())
    result.push_back({cast<StringAttr>(entry.get("name")).str(),
                      cast<TypeAttr>(entry.get("type")).getValue()});
  return result;
}

} // namespace weir
