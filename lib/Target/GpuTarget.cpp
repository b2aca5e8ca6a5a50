//===- GpuTarget.cpp - Which GPUs code is made for ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Target/GpuTarget.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weir;

FailureOr<GpuTarget> GpuTarget::fromModule(ModuleOp module) {
  GpuTarget target;
  Attribute attribute = module->getAttr(attributeName);
  if (!attribute)
    return target;
  auto fail = [&](const llvm::Twine &what) -> FailureOr<GpuTarget> {
    return module.emitError()
           << "[WEIR0155] the module's attribute '" << attributeName << "' "
           << what
           << "; write it as {architectures = [80, 90, 100], emulate, ptxas = "
              "\"/usr/local/cuda/bin/ptxas\"}";
  };
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  if (!dictionary)
    return fail("is not a dictionary");
  if (Attribute value = dictionary.get("architectures")) {
    auto list = dyn_cast<ArrayAttr>(value);
    if (!list)
      return fail("has 'architectures', which is not a list");
    target.architectures.clear();
    for (Attribute element : list) {
      auto number = dyn_cast<IntegerAttr>(element);
      // Matrix instructions of bf16 begin with 80; ptxas says what is too new.
      if (!number || number.getValue().getSignificantBits() > 32 ||
          number.getInt() < 80)
        return fail("has an architecture that is no number from 80 on");
      target.architectures.push_back(static_cast<int32_t>(number.getInt()));
    }
  }
  for (auto [key, field] : {std::pair{"emulate", &target.emulate},
                            std::pair{"tf32", &target.tf32}}) {
    Attribute value = dictionary.get(key);
    auto boolean = dyn_cast_or_null<BoolAttr>(value);
    if (value && !boolean && !isa<UnitAttr>(value))
      return fail("has '" + llvm::Twine(key) + "', which is not a boolean");
    *field = value && (!boolean || boolean.getValue());
  }
  if (Attribute value = dictionary.get("ptxas")) {
    auto text = dyn_cast<StringAttr>(value);
    if (!text)
      return fail("has 'ptxas', which is not a string");
    target.ptxas = text.str();
  }
  return target;
}

DictionaryAttr GpuTarget::toAttribute(MLIRContext *context) const {
  Builder b(context);
  SmallVector<Attribute> list;
  for (int32_t architecture : architectures)
    list.push_back(b.getI64IntegerAttr(architecture));
  NamedAttrList attributes;
  attributes.append("architectures", b.getArrayAttr(list));
  if (emulate)
    attributes.append("emulate", b.getUnitAttr());
  if (tf32)
    attributes.append("tf32", b.getUnitAttr());
  if (!ptxas.empty())
    attributes.append("ptxas", b.getStringAttr(ptxas));
  return attributes.getDictionary(context);
}

std::string weir::architectureName(int32_t architecture, bool &isSpecific) {
  // Only Hopper's own instructions are behind an "a" that its successors lack.
  isSpecific = architecture == 90;
  return "sm_" + std::to_string(architecture) + (isSpecific ? "a" : "");
}
