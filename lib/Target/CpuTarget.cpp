//===- CpuTarget.cpp - The CPU that code is made for ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Target/CpuTarget.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <thread>

using namespace mlir;
using namespace weir;

bool CpuTarget::hasFeature(llvm::StringRef feature) const {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(features).split(parts, ',', -1, false);
  return llvm::any_of(parts, [&](llvm::StringRef part) {
    return part.consume_front("+") && part == feature;
  });
}

bool CpuTarget::hasFma() const {
  return hasFeature("fma") || hasFeature("avx512f") || hasFeature("neon") ||
         (features.empty() && vectorBytes >= 32);
}

bool CpuTarget::hasMaskedMemory() const { return vectorBytes >= 32; }

FailureOr<CpuTarget> CpuTarget::fromModule(ModuleOp module) {
  CpuTarget target;
  Attribute attribute = module->getAttr(attributeName);
  if (!attribute)
    return target;
  auto fail = [&](const llvm::Twine &what) -> FailureOr<CpuTarget> {
    return module.emitError() << "[WEIR0150] the module's attribute '"
                              << attributeName << "' " << what
                              << "; write it as {cpu = \"...\", features = "
                                 "\"...\", vector_bytes = 32, "
                                 "vector_registers = 16, threads = 1}";
  };
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  if (!dictionary)
    return fail("is not a dictionary");
  for (auto [key, field] : {std::pair{"cpu", &target.cpu},
                            std::pair{"features", &target.features}}) {
    Attribute value = dictionary.get(key);
    if (!value)
      continue;
    auto text = dyn_cast<StringAttr>(value);
    if (!text)
      return fail("has '" + llvm::Twine(key) + "', which is not a string");
    *field = text.str();
  }
  for (auto [key, field] :
       {std::pair{"vector_bytes", &target.vectorBytes},
        std::pair{"vector_registers", &target.vectorRegisters},
        std::pair{"threads", &target.threads}}) {
    Attribute value = dictionary.get(key);
    if (!value)
      continue;
    auto number = dyn_cast<IntegerAttr>(value);
    if (!number || number.getValue().getSignificantBits() > 32 ||
        number.getInt() < 1)
      return fail("has '" + llvm::Twine(key) +
                  "', which is not a positive integer");
    *field = number.getInt();
  }
  if (target.vectorBytes < 16 || target.vectorBytes > 256 ||
      (target.vectorBytes & (target.vectorBytes - 1)))
    return fail("has 'vector_bytes' = " + llvm::Twine(target.vectorBytes) +
                ", which is not a power of two from 16 to 256");
  if (target.vectorRegisters < 8)
    return fail("has 'vector_registers' = " +
                llvm::Twine(target.vectorRegisters) + ", which is below 8");
  return target;
}

DictionaryAttr CpuTarget::toAttribute(MLIRContext *context) const {
  Builder b(context);
  return b.getDictionaryAttr({
      b.getNamedAttr("cpu", b.getStringAttr(cpu)),
      b.getNamedAttr("features", b.getStringAttr(features)),
      b.getNamedAttr("vector_bytes", b.getI64IntegerAttr(vectorBytes)),
      b.getNamedAttr("vector_registers", b.getI64IntegerAttr(vectorRegisters)),
      b.getNamedAttr("threads", b.getI64IntegerAttr(threads)),
  });
}

void CpuTarget::attachTo(ModuleOp module) const {
  module->setAttr(attributeName, toAttribute(module.getContext()));
}

/// Derives the register file from the features.
static void setVectorShape(CpuTarget &target) {
  target.vectorBytes = 16;
  target.vectorRegisters = 16;
  if (target.hasFeature("neon")) {
    target.vectorRegisters = 32;
  } else if (target.hasFeature("avx512f") && target.hasFeature("avx512vl")) {
    // Some CPUs run slower with full vectors; they still have all registers.
    target.vectorBytes = target.hasFeature("prefer-256-bit") ? 32 : 64;
    target.vectorRegisters = 32;
  } else if (target.hasFeature("avx2")) {
    target.vectorBytes = 32;
  }
}

static void setThreads(CpuTarget &target) {
  target.threads = std::max(1u, std::thread::hardware_concurrency());
}

CpuTarget CpuTarget::host() {
  CpuTarget target;
  target.cpu = llvm::sys::getHostCPUName().str();
  llvm::SmallVector<std::string> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(features);
  target.features = llvm::join(features, ",");
  setVectorShape(target);
  setThreads(target);
  return target;
}

FailureOr<CpuTarget> CpuTarget::named(llvm::StringRef name,
                                      std::string &error) {
  if (name == "native")
    return host();
  llvm::InitializeNativeTarget();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  const llvm::Target *llvmTarget =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!llvmTarget)
    return failure();
  if (name.empty() || name == "generic")
    name = triple.isX86() ? "x86-64" : "generic";
  CpuTarget target;
  target.cpu = name.str();
  // Asked about first: making the description of an unknown CPU prints a
  // warning.
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      llvmTarget->createMCSubtargetInfo(triple, "", ""));
  if (!info || !info->isCPUStringValid(name)) {
    error = ("there is no CPU named '" + name + "' for " + triple.str() +
             "; `llc -mcpu=help` lists the names, 'native' is this machine")
                .str();
    return failure();
  }
  info.reset(llvmTarget->createMCSubtargetInfo(triple, name, ""));
  // All that the CPU has, implied features spelled out.
  llvm::SmallVector<std::string> signedFeatures;
  for (const llvm::SubtargetFeatureKV &feature :
       info->getEnabledProcessorFeatures())
    if (llvm::StringRef(feature.Key) != "64bit-mode")
      signedFeatures.push_back(std::string("+") + feature.Key);
  llvm::sort(signedFeatures);
  target.features = llvm::join(signedFeatures, ",");
  setVectorShape(target);
  setThreads(target);
  return target;
}
