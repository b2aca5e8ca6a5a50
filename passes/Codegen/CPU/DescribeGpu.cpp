//===- DescribeGpu.cpp - Code of GPU kernels as constants -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/CPU/Describer.h"
#include "passes/Codegen/CPU/LowerRuntime.h"

using namespace mlir;

namespace weir {

GpuDescriber::GpuDescriber(ModuleOp module, unsigned &counter)
    : Describer(module, counter),
      imageDesc(structOf({i32, i32, pointer, b.getI64Type()})),
      kernelDesc(structOf({pointer, pointer})) {}

/// Data as it is, with no 0 at its end.
LLVM::GlobalOp GpuDescriber::bytes(StringRef name, StringRef data) {
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  return LLVM::GlobalOp::create(
      top, loc, LLVM::LLVMArrayType::get(b.getI8Type(), data.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, name,
      top.getStringAttr(data), /*alignment=*/16);
}

void GpuDescriber::describe(rt::GpuModuleOp gpu) {
  std::string name = gpuModuleName(gpu.getSymName());
  struct Image {
    int64_t architecture, specific, size;
    LLVM::GlobalOp data;
  };
  SmallVector<Image> images;
  for (auto image : gpu.getImages().getAsRange<DictionaryAttr>()) {
    int64_t architecture = image.getAs<IntegerAttr>("architecture").getInt();
    StringRef data = image.getAs<StringAttr>("data").getValue();
    images.push_back(
        {architecture, image.getAs<BoolAttr>("specific").getValue(),
         static_cast<int64_t>(data.size()),
         bytes(name + ".sm_" + std::to_string(architecture), data)});
  }
  SmallVector<std::pair<LLVM::GlobalOp, LLVM::LLVMFuncOp>> kernels;
  for (StringRef kernel : gpu.getKernels().getAsValueRange<StringAttr>()) {
    LLVM::LLVMFuncOp emulated;
    if (gpu.getEmulated()) {
      emulated =
          module.lookupSymbol<LLVM::LLVMFuncOp>((kernel + ".emulated").str());
      emulated.setLinkage(LLVM::Linkage::Internal);
    }
    kernels.emplace_back(text(kernel), emulated);
  }
  LLVM::GlobalOp imageTable =
      array(name + ".images", imageDesc, images.size(), [&](size_t i) {
        Value size = LLVM::ConstantOp::create(
            b, loc, b.getI64Type(), b.getI64IntegerAttr(images[i].size));
        return pack(imageDesc,
                    {number(images[i].architecture), number(images[i].specific),
                     address(images[i].data), size});
      });
  LLVM::GlobalOp kernelTable =
      array(name + ".kernels", kernelDesc, kernels.size(), [&](size_t i) {
        auto [kernelName, emulated] = kernels[i];
        Value function =
            emulated ? LLVM::AddressOfOp::create(b, loc, emulated).getResult()
                     : null();
        return pack(kernelDesc, {address(kernelName), function});
      });
  LLVM::GlobalOp moduleName = text(gpu.getSymName()), ptx;
  if (auto code = gpu.getPtx())
    ptx = text(*code);
  auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
  if (global) {
    OpBuilder::InsertionGuard guard(b);
    global.setLinkage(LLVM::Linkage::Internal);
    b.createBlock(&global.getInitializerRegion());
    LLVM::ReturnOp::create(
        b, loc,
        pack(global.getType(),
             {address(moduleName), address(imageTable), address(ptx),
              address(kernelTable), number(images.size()),
              number(kernels.size())}));
  }
  gpu.erase();
}

} // namespace weir
