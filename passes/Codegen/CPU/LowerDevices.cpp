//===- LowerDevices.cpp - Ops of devices become calls ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/CPU/LowerRuntime.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {

std::string gpuModuleName(StringRef symbol) {
  return ("weir.gpu." + symbol).str();
}

LLVM::LLVMStructType gpuModuleType(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context),
       i32 = IntegerType::get(context, 32);
  return LLVM::LLVMStructType::getLiteral(
      context, {pointer, pointer, pointer, pointer, i32, i32});
}

static int64_t bytesOf(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

Value RuntimeLowering::elementOf(Location loc, Value buffer,
                                 ValueRange indices) {
  SmallVector<Value> places;
  for (Value index : indices)
    places.push_back(asI64(loc, index));
  return LLVM::getStridedElementPtr(b, loc, converter,
                                    cast<MemRefType>(buffer.getType()),
                                    descriptorOf(loc, buffer), places);
}

void RuntimeLowering::lowerLaunch(rt::GpuLaunchOp launch) {
  Location loc = launch.getLoc();
  SmallVector<Value> values;
  for (Value argument : launch.getArgs()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) {
      values.push_back(argument.getType().isIndex() ? asI64(loc, argument)
                                                    : argument);
      continue;
    }
    values.push_back(dataOf(loc, argument));
    MemRefDescriptor descriptor(descriptorOf(loc, argument));
    for (auto [i, extent] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(extent))
        values.push_back(descriptor.size(b, loc, i));
    for (auto [i, stride] : llvm::enumerate(type.getStridesAndOffset().first))
      if (ShapedType::isDynamic(stride))
        values.push_back(descriptor.stride(b, loc, i));
  }
  Value addresses = frame(loc, 8 * values.size());
  for (auto [i, value] : llvm::enumerate(values)) {
    Value place = frame(loc, 8);
    LLVM::StoreOp::create(b, loc, value, place);
    LLVM::StoreOp::create(b, loc, place, field(loc, addresses, 8 * i));
  }
  auto three = [&](ValueRange extents) {
    Value place = frame(loc, 24);
    for (auto [i, extent] : llvm::enumerate(extents))
      LLVM::StoreOp::create(b, loc, asI64(loc, extent),
                            field(loc, place, 8 * i));
    return place;
  };
  auto code =
      function->getParentOfType<ModuleOp>().lookupSymbol<rt::GpuModuleOp>(
          launch.getKernel().getRootReference());
  StringAttr kernel = launch.getKernel().getLeafReference();
  int64_t number =
      llvm::find(code.getKernels().getAsRange<StringAttr>(), kernel) -
      code.getKernels().getAsRange<StringAttr>().begin();
  Value module = LLVM::AddressOfOp::create(b, loc, pointer,
                                           gpuModuleName(code.getSymName()));
  leaveIfNotOk(loc,
               call(loc, "weir_rt_gpu_launch", b.getI32Type(),
                    {step, module, i32(loc, number), three(launch.getBlocks()),
                     three(launch.getThreads()), i64(loc, launch.getShared()),
                     addresses, text(loc, launch.getNode())}));
}

void RuntimeLowering::lowerMxuRun(rt::MxuRunOp run) {
  Location loc = run.getLoc();
  auto elements = cast<DenseElementsAttr>(run.getImage());
  ArrayRef<char> raw = elements.getRawData();
  std::string bytes = elements.isSplat()
                          ? std::string(elements.getNumElements(), raw.front())
                          : std::string(raw.begin(), raw.end());
  auto module = function->getParentOfType<ModuleOp>();
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  std::string name;
  for (int i = 0; name.empty() || module.lookupSymbol(name); ++i)
    name = "weir.mxu." + std::to_string(i);
  auto image = LLVM::GlobalOp::create(
      top, loc, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, name,
      top.getStringAttr(bytes), /*alignment=*/16);
  auto count = [&](ValueRange buffers) {
    return i32(loc, static_cast<int64_t>(buffers.size()));
  };
  leaveIfNotOk(loc,
               call(loc, "weir_rt_mxu_run", b.getI32Type(),
                    {step, text(loc, run.getNode()),
                     LLVM::AddressOfOp::create(b, loc, image),
                     i64(loc, static_cast<int64_t>(bytes.size())),
                     count(run.getInputs()), viewsOf(run, run.getInputs()),
                     count(run.getOutputs()), viewsOf(run, run.getOutputs())}));
}

LogicalResult RuntimeLowering::lowerDevice(Operation *op) {
  Location loc = op->getLoc();
  auto checked = [&](StringRef name, ValueRange arguments) {
    leaveIfNotOk(loc, call(loc, name, b.getI32Type(), arguments));
  };
  auto whole = [&](Type buffer) {
    auto type = cast<MemRefType>(buffer);
    return i64(loc, type.getNumElements() * bytesOf(type.getElementType()));
  };
  auto number = [&](rt::Stream stream) {
    return i32(loc, static_cast<int64_t>(stream));
  };
  auto asNumber = [&](Value event) {
    return UnrealizedConversionCastOp::create(b, loc, b.getI64Type(), event)
        .getResult(0);
  };
  if (auto alloc = dyn_cast<rt::DeviceAllocOp>(op)) {
    FailureOr<Value> memory =
        allocate(op, cast<MemRefType>(alloc.getType()), alloc.getExtents());
    if (failed(memory))
      return failure();
    alloc.replaceAllUsesWith(*memory);
  } else if (auto release = dyn_cast<rt::DeviceFreeOp>(op)) {
    call(loc, "weir_rt_free", Type(), {step, dataOf(loc, release.getMemory())});
  } else if (auto alloc = dyn_cast<rt::HostAllocOp>(op)) {
    Value memory = call(loc, "weir_rt_host_alloc", pointer,
                        {step, whole(alloc.getType())});
    leaveIfNull(loc, memory, WEIR_RESOURCE_EXHAUSTED);
    alloc.replaceAllUsesWith(
        memrefOver(loc, cast<MemRefType>(alloc.getType()), memory, {}));
  } else if (auto release = dyn_cast<rt::HostFreeOp>(op)) {
    call(loc, "weir_rt_host_free", Type(),
         {step, dataOf(loc, release.getMemory())});
  } else if (auto in = dyn_cast<rt::CopyToDeviceOp>(op)) {
    checked("weir_rt_enqueue_to_device",
            {step, number(in.getStream()), dataOf(loc, in.getTarget()),
             dataOf(loc, in.getSource()), whole(in.getSource().getType())});
  } else if (auto out = dyn_cast<rt::CopyToHostOp>(op)) {
    checked("weir_rt_enqueue_to_host",
            {step, number(out.getStream()), dataOf(loc, out.getTarget()),
             dataOf(loc, out.getSource()), whole(out.getSource().getType())});
  } else if (auto write = dyn_cast<rt::DeviceWriteOp>(op)) {
    Value place = frame(loc, 8);
    LLVM::StoreOp::create(b, loc, write.getValue(), place);
    checked("weir_rt_enqueue_write",
            {step, elementOf(loc, write.getMemory(), write.getIndices()), place,
             i64(loc, bytesOf(write.getValue().getType()))});
  } else if (auto record = dyn_cast<rt::EventRecordOp>(op)) {
    Value place = frame(loc, 8);
    checked("weir_rt_event_record", {step, number(record.getStream()), place});
    Value event = LLVM::LoadOp::create(b, loc, b.getI64Type(), place);
    record.replaceAllUsesWith(
        UnrealizedConversionCastOp::create(b, loc, record.getType(), event)
            .getResult(0));
  } else if (auto wait = dyn_cast<rt::EventWaitOp>(op)) {
    checked("weir_rt_event_wait",
            {step, asNumber(wait.getEvent()), number(wait.getStream())});
  } else if (auto wait = dyn_cast<rt::EventSynchronizeOp>(op)) {
    checked("weir_rt_event_synchronize", {step, asNumber(wait.getEvent())});
  } else if (auto record = dyn_cast<rt::CheckRecordOp>(op)) {
    Value memory = call(loc, "weir_rt_check_record", pointer, {step});
    leaveIfNull(loc, memory, WEIR_RESOURCE_EXHAUSTED);
    record.replaceAllUsesWith(
        memrefOver(loc, cast<MemRefType>(record.getType()), memory, {}));
  } else if (auto site = dyn_cast<rt::CheckSiteOp>(op)) {
    site.replaceAllUsesWith(
        call(loc, "weir_rt_check_site", b.getI64Type(),
             {step, i32(loc, site.getCode()), text(loc, site.getNode()),
              text(loc, site.getFormat())}));
  } else if (auto launch = dyn_cast<rt::GpuLaunchOp>(op)) {
    lowerLaunch(launch);
  } else if (auto run = dyn_cast<rt::MxuRunOp>(op)) {
    lowerMxuRun(run);
  } else {
    return success();
  }
  op->erase();
  return success();
}

} // namespace weir
