//===- mxu_benchmark.cpp - The accelerator's figures ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles workloads for each size of the array, prints what the cycle model
// counts, and how many multiplications a second the functional simulator does.
//
//===----------------------------------------------------------------------===//

#include "dialects/Mxu/Mxu.h"
#include "dialects/Rt/Rt.h"
#include "dialects/Weir/Weir.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Codegen/MXU/Passes.h"
#include "runtime/device/mxu/MxuDevice.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace weir;

namespace {

struct Workload {
  const char *name;
  std::vector<int64_t> input, output;
  std::string nodes;
};

const char requantize[] =
    "input_zero = -3 : i32, multipliers = array<i32: 1518500250>, shifts = "
    "array<i32: 40>, output_zero = -128 : i32, min = -128 : i32";

std::string dims(const std::vector<int64_t> &extents) {
  std::string text;
  for (int64_t extent : extents)
    text += std::to_string(extent) + "x";
  return text;
}

std::string tensor(const std::vector<int64_t> &extents) {
  return "tensor<" + dims(extents) + "i8>";
}

/// A network as text, node by node.
class Network {
public:
  explicit Network(std::vector<int64_t> input) : shape(std::move(input)) {}

  Network &conv(int64_t kernel, int64_t channels) {
    std::vector<int64_t> filter{kernel, kernel, shape[3], channels},
        next{shape[0], shape[1], shape[2], channels};
    return product("quantized_conv2d", filter, next,
                   ", strides = array<i64: 1, 1>, dilations = array<i64: 1, "
                   "1>, padding = #weir.padding<SAME>");
  }
  Network &pool() {
    std::vector<int64_t> next{shape[0], shape[1] / 2, shape[2] / 2, shape[3]};
    return append("weir.quantized_max_pool " + value +
                      " {window = array<i64: 2, 2>, strides = array<i64: 2, "
                      "2>, padding = #weir.padding<VALID>} : (" +
                      tensor(shape) + ")",
                  next);
  }
  Network &flatten() {
    std::vector<int64_t> next{shape[0], shape[1] * shape[2] * shape[3]};
    return append("weir.reshape " + value +
                      " {shape = array<i64: " + std::to_string(next[0]) + ", " +
                      std::to_string(next[1]) + ">} : (" + tensor(shape) + ")",
                  next);
  }
  Network &dense(int64_t columns) {
    return product("quantized_matmul", {shape[1], columns}, {shape[0], columns},
                   "");
  }

  std::string text, value = "%x";
  std::vector<int64_t> shape;

private:
  Network &append(const std::string &op, std::vector<int64_t> next) {
    std::string name = "%" + std::to_string(count++);
    text += name + " = " + op + " -> " + tensor(next) + "\n";
    value = name;
    shape = std::move(next);
    return *this;
  }
  Network &product(const std::string &op, const std::vector<int64_t> &weights,
                   std::vector<int64_t> next, const char *attributes) {
    std::string number = std::to_string(count),
                bias = "tensor<" + std::to_string(weights.back()) + "xi32>";
    text += "%w" + number + " = weir.constant dense<3> : " + tensor(weights) +
            "\n%b" + number + " = weir.constant dense<9> : " + bias + "\n";
    return append("weir." + op + " " + value + ", %w" + number + ", %b" +
                      number + " {" + requantize + attributes + "} : (" +
                      tensor(shape) + ", " + tensor(weights) + ", " + bias +
                      ")",
                  std::move(next));
  }
  int count = 0;
};

Workload workload(const char *name, std::vector<int64_t> input,
                  Network &network) {
  return {name, std::move(input), network.shape,
          network.text + "weir.yield " + network.value + " : " +
              tensor(network.shape) + "\n"};
}

bool run(mlir::MLIRContext &context, const Workload &w, int64_t array) {
  std::string size = std::to_string(array), out = tensor(w.output);
  std::string text =
      "module attributes {rt.mxu = \"" + size + "x" + size +
      "\"} {\nfunc.func @k(%step: !llvm.ptr) -> i32 attributes {rt.device = "
      "\"/job:localhost/replica:0/task:0/device:MXU:0\"} {\n%ok = "
      "arith.constant 0 : i32\n%x = rt.feed 0 : " +
      tensor(w.input) + "\n%g = weir.group \"k\" -> " + out + " {\n" + w.nodes +
      "}\nrt.fetch 0, %g : " + out + "\nreturn %ok : i32\n}\n}\n";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  mlir::PassManager manager(&context);
  manager.addPass(createMxuLowerKernels());
  manager.addPass(createMxuAssemble());
  if (!module || mlir::failed(manager.run(*module)))
    return false;
  mxu::MxuDevice device("mxu", mxu::findMachine(array));
  WeirMxuFigures figures = {};
  double best = 0;
  module->walk([&](rt::MxuRunOp op) {
    auto image = llvm::cast<mlir::DenseElementsAttr>(op.getImage());
    auto size = [](const std::vector<int64_t> &extents) {
      size_t count = 1;
      for (int64_t extent : extents)
        count *= static_cast<size_t>(extent);
      return count;
    };
    std::vector<int8_t> in(size(w.input), 7), result(size(w.output));
    for (int i = 0; i < 5; ++i) {
      auto begin = std::chrono::steady_clock::now();
      rt::Status status = device.run(
          image.getRawData().data(),
          static_cast<int64_t>(image.getRawData().size()),
          {{in.data(), w.input.data(), int32_t(w.input.size()), WEIR_I8}},
          {{result.data(), w.output.data(), int32_t(w.output.size()), WEIR_I8}},
          [] { return true; }, figures);
      std::chrono::duration<double> time =
          std::chrono::steady_clock::now() - begin;
      if (!status.ok())
        std::fprintf(stderr, "error: %s\n", status.message());
      best = std::max(best, static_cast<double>(figures.macs) / time.count());
    }
  });
  std::printf("%s: simulator %.2f GMAC/s\n%s\n", w.name, best / 1e9,
              mxu::figuresText(figures).c_str());
  return true;
}

} // namespace

int main() {
  mlir::DialectRegistry registry;
  registry.insert<mxu::MxuDialect, rt::RtDialect, WeirDialect,
                  mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::memref::MemRefDialect, mlir::LLVM::LLVMDialect>();
  mlir::MLIRContext context(registry);
  std::vector<int64_t> matrix{1024, 1024}, digits{256, 8, 8, 1},
      images{32, 28, 28, 1}, large{4, 56, 56, 64};
  Network product(matrix), small(digits), mnist(images), block(large);
  product.dense(1024);
  small.conv(3, 16).pool().conv(3, 32).pool().flatten().dense(10);
  mnist.conv(3, 32).pool().conv(3, 64).pool().flatten().dense(128).dense(10);
  block.conv(3, 64).conv(3, 128);
  const Workload workloads[] = {
      workload("1024 x 1024 x 1024", matrix, product),
      workload("small CNN, 256 images of 8x8", digits, small),
      workload("CNN, 32 images of 28x28", images, mnist),
      workload("two convolutions, 4 images of 56x56x64", large, block)};
  for (const Workload &w : workloads)
    for (const mxu::Machine &machine : mxu::machines)
      if (!run(context, w, machine.array))
        return 1;
  return 0;
}
