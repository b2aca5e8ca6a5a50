//===- PassNames.cpp - The names of passes, for help and for slips --------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Pipeline/PassNames.h"

#include "mlir/Pass/PassRegistry.h"
#include "runtime/base/Format.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"

#include <cctype>
#include <map>

using namespace weir;

static const mlir::PassRegistryEntry *findPass(llvm::StringRef name) {
  if (const mlir::PassInfo *pass = mlir::PassInfo::lookup(name))
    return pass;
  return mlir::PassPipelineInfo::lookup(name);
}

/// The registry of passes cannot be walked, but each pass is a flag.
static std::map<std::string_view, const mlir::PassRegistryEntry *> passFlags() {
  std::map<std::string_view, const mlir::PassRegistryEntry *> result;
  for (const auto &flag : llvm::cl::getRegisteredOptions())
    if (const mlir::PassRegistryEntry *pass = findPass(flag.first))
      result.emplace(flag.first, pass);
  return result;
}

std::string weir::weirPassList() {
  std::string result;
  for (const auto &[name, pass] : passFlags())
    if (name.substr(0, 5) == "weir-")
      result += llvm::formatv("  --{0,-40} {1}\n", llvm::StringRef(name),
                              pass->getPassDescription())
                    .str();
  return result;
}

static bool isNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ||
         c == '.';
}

std::string weir::unknownPassIn(std::string_view pipeline) {
  int depth = 0;
  for (size_t i = 0; i < pipeline.size();) {
    char c = pipeline[i];
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth > 0 || !isNameCharacter(c)) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < pipeline.size() && isNameCharacter(pipeline[end]))
      ++end;
    std::string_view name = pipeline.substr(i, end - i);
    // What is before '(' names an operation, not a pass.
    bool isAnchor = end < pipeline.size() && pipeline[end] == '(';
    if (!isAnchor && !findPass(name)) {
      std::vector<std::string_view> known;
      for (const auto &[flag, pass] : passFlags())
        known.push_back(flag);
      return rt::str("there is no pass '", name, "'",
                     rt::didYouMean(name, known));
    }
    i = end;
  }
  return "";
}
