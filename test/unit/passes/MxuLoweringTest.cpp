//===- MxuLoweringTest.cpp - Kernels on the accelerator, bit by bit -------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random kernels are lowered, assembled and run on the simulated machine, and
// give what their nodes are defined to give.
//
//===----------------------------------------------------------------------===//

#include "dialects/Mxu/Mxu.h"
#include "dialects/Rt/Rt.h"
#include "dialects/Weir/Weir.h"
#include "lib/Analysis/MxuFeasible.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Codegen/MXU/Passes.h"
#include "runtime/device/mxu/MxuDevice.h"
#include "test/unit/runtime/device/mxu/Assemble.h"
#include "gtest/gtest.h"

#include <map>
#include <sstream>

using namespace weir;
using mxu::test::Convolution;
using mxu::test::Random;
using mxu::test::Requantize;

namespace {

struct Tensor {
  std::vector<int64_t> dims;
  std::vector<int8_t> data;
};

/// A tensor of the kernel: its text, and what it has to be.
struct Value {
  std::string name;
  Tensor tensor;
};

class KernelBuilder {
public:
  /// Large images are more than the accumulators hold the sums of.
  KernelBuilder(unsigned seed, int64_t array, bool hasLargeImages)
      : random(seed), array(array), isLarge(hasLargeImages) {
    rows = random.in(0, 3) ? random.in(1, 20) : random.in(0, 90);
    isDynamic = random.in(0, 1);
    bool isMatrix = !isLarge && random.in(0, 3) == 0;
    std::vector<int64_t> dims{rows, random.in(1, 9), random.in(1, 9),
                              random.in(0, 3) ? random.in(1, 6)
                                              : random.in(1, array + 20)};
    if (isLarge) {
      rows = random.in(1, 2);
      dims = {rows, random.in(40, 80), random.in(40, 80), random.in(1, 3)};
    }
    if (isMatrix)
      dims = {rows, random.in(1, 2 * array + 9)};
    values.push_back({feed(make(dims), isDynamic), {}});
    values[0].tensor = feeds[0];
    for (int64_t i = random.in(1, 6); i > 0; --i)
      addNode();
    fetch(values.back());
    for (const Value &value : values)
      if (random.in(0, 4) == 0)
        fetch(value);
  }

  std::string text() const;

  std::vector<Tensor> feeds;
  std::vector<Value> fetches;
  int64_t rows;
  bool isDynamic;

private:
  Tensor make(const std::vector<int64_t> &dims) {
    int64_t count = 1;
    for (int64_t dim : dims)
      count *= dim;
    return {dims, random.bytes(count)};
  }
  std::string type(const std::vector<int64_t> &dims, const char *element,
                   bool hasRows) const {
    std::ostringstream out;
    out << "tensor<";
    for (size_t i = 0; i < dims.size(); ++i)
      if (i == 0 && hasRows && isDynamic)
        out << "?x";
      else
        out << dims[i] << 'x';
    out << element << '>';
    return out.str();
  }
  std::string feed(Tensor tensor, bool) {
    std::string name = "%f" + std::to_string(feeds.size());
    head << "    " << name << " = rt.feed " << feeds.size() << " : "
         << type(tensor.dims, "i8", feeds.empty()) << "\n";
    feeds.push_back(std::move(tensor));
    return name;
  }
  template <typename T>
  std::string constant(const std::vector<T> &numbers, const std::string &type) {
    static const char digits[] = "0123456789ABCDEF";
    std::string name = "%c" + std::to_string(next++);
    body << "      " << name << " = weir.constant dense<\"0x";
    const auto *bytes = reinterpret_cast<const uint8_t *>(numbers.data());
    for (size_t i = 0; i < numbers.size() * sizeof(T); ++i)
      body << digits[bytes[i] >> 4] << digits[bytes[i] & 15];
    body << "\"> : " << type << "\n";
    return name;
  }
  static std::string list(const std::vector<int32_t> &numbers) {
    std::ostringstream out;
    out << "array<i32: ";
    for (size_t i = 0; i < numbers.size(); ++i)
      out << (i ? ", " : "") << numbers[i];
    out << '>';
    return out.str();
  }

  void addNode();
  void addMatmul(const Value &input);
  void addWindows(const Value &input, bool isPool);
  void addReshape(const Value &input);
  std::string requantizeText(const Requantize &r) const {
    std::ostringstream out;
    out << "input_zero = " << r.inputZero
        << " : i32, multipliers = " << list(r.multipliers)
        << ", shifts = " << list(r.shifts) << ", output_zero = " << r.outputZero
        << " : i32, min = " << r.min << " : i32, max = " << r.max << " : i32";
    return out.str();
  }
  Requantize requantize(int64_t columns) {
    Requantize r = random.requantize(columns);
    // One for all columns is written once.
    if (random.in(0, 2) == 0) {
      r.multipliers.assign(size_t(columns), r.multipliers[0]);
      r.shifts.assign(size_t(columns), r.shifts[0]);
    }
    return r;
  }
  void fetch(const Value &value) {
    tail << "    rt.fetch " << fetches.size() << ", %g#" << fetches.size()
         << " : " << type(value.tensor.dims, "i8", true) << "\n";
    fetches.push_back(value);
  }

  Random random;
  const int64_t array;
  const bool isLarge;
  int next = 0;
  std::vector<Value> values;
  std::ostringstream head, body, tail;
};

void KernelBuilder::addMatmul(const Value &input) {
  int64_t depth = input.tensor.dims[1], columns = random.in(0, 2)
                                                      ? random.in(1, 20)
                                                      : random.in(1, 2 * array);
  auto convolution = Convolution::matrix(1, depth, columns);
  Requantize r = requantize(columns);
  Tensor weights = make({depth, columns});
  std::string weightType = type(weights.dims, "i8", false);
  std::string w = random.in(0, 3) ? constant(weights.data, weightType)
                                  : feed(weights, false);
  std::string biasType = "tensor<" + std::to_string(columns) + "xi32>";
  std::string b = constant(r.bias, biasType);
  Value result{"%v" + std::to_string(next++),
               {{rows, columns},
                convolution.compute(input.tensor.data, rows, weights.data, r)}};
  body << "      " << result.name << " = weir.quantized_matmul " << input.name
       << ", " << w << ", " << b << " {" << requantizeText(r) << "} : ("
       << type(input.tensor.dims, "i8", true) << ", " << weightType << ", "
       << biasType << ") -> " << type(result.tensor.dims, "i8", true) << "\n";
  values.push_back(std::move(result));
}

void KernelBuilder::addWindows(const Value &input, bool isPool) {
  mxu::Window w = {};
  const auto &dims = input.tensor.dims;
  int64_t kernel[2], stride[2], dilation[2], low[2], high[2], out[2];
  int64_t padding = random.in(0, 2);
  for (int i = 0; i < 2; ++i) {
    int64_t in = dims[size_t(i) + 1];
    kernel[i] = random.in(1, 3);
    stride[i] = random.in(1, 2);
    dilation[i] = isPool ? 1 : random.in(1, 2);
    int64_t span = (kernel[i] - 1) * dilation[i] + 1;
    low[i] = high[i] = 0;
    if (padding == 0) {
      int64_t places = (in + stride[i] - 1) / stride[i],
              pads = std::max<int64_t>((places - 1) * stride[i] + span - in, 0);
      low[i] = pads / 2;
      high[i] = pads - low[i];
    } else if (padding == 1) {
      low[i] = random.in(0, kernel[i] - 1);
      high[i] = random.in(0, kernel[i] - 1);
    }
    if (in + low[i] + high[i] < span)
      return;
    out[i] = (in + low[i] + high[i] - span) / stride[i] + 1;
  }
  w.images = 1;
  w.height = uint32_t(dims[1]), w.width = uint32_t(dims[2]);
  w.channels = uint32_t(dims[3]);
  w.outHeight = uint32_t(out[0]), w.outWidth = uint32_t(out[1]);
  w.kernelHeight = uint32_t(kernel[0]), w.kernelWidth = uint32_t(kernel[1]);
  w.strideHeight = uint32_t(stride[0]), w.strideWidth = uint32_t(stride[1]);
  w.dilationHeight = uint32_t(dilation[0]);
  w.dilationWidth = uint32_t(dilation[1]);
  w.padTop = uint32_t(low[0]), w.padLeft = uint32_t(low[1]);

  std::ostringstream windows;
  windows << "strides = array<i64: " << stride[0] << ", " << stride[1]
          << ">, padding = #weir.padding<"
          << (padding == 0   ? "SAME"
              : padding == 1 ? "EXPLICIT"
                             : "VALID")
          << '>';
  if (padding == 1)
    windows << ", pads = array<i64: " << low[0] << ", " << high[0] << ", "
            << low[1] << ", " << high[1] << '>';
  std::string name = "%v" + std::to_string(next++);
  if (isPool) {
    Value result{name, {{rows, out[0], out[1], dims[3]}, {}}};
    for (int64_t n = 0; n < rows; ++n)
      for (int64_t y = 0; y < out[0]; ++y)
        for (int64_t x = 0; x < out[1]; ++x)
          for (int64_t c = 0; c < dims[3]; ++c) {
            int8_t largest = -128;
            for (int64_t a = 0; a < kernel[0]; ++a)
              for (int64_t b = 0; b < kernel[1]; ++b) {
                int64_t line = y * stride[0] + a - low[0],
                        column = x * stride[1] + b - low[1];
                if (line >= 0 && line < dims[1] && column >= 0 &&
                    column < dims[2])
                  largest = std::max(
                      largest,
                      input.tensor.data[size_t(
                          ((n * dims[1] + line) * dims[2] + column) * dims[3] +
                          c)]);
              }
            result.tensor.data.push_back(largest);
          }
    body << "      " << name << " = weir.quantized_max_pool " << input.name
         << " {window = array<i64: " << kernel[0] << ", " << kernel[1] << ">, "
         << windows.str() << "} : (" << type(dims, "i8", true) << ") -> "
         << type(result.tensor.dims, "i8", true) << "\n";
    values.push_back(std::move(result));
    return;
  }
  int64_t outputs =
      isLarge || random.in(0, 2) ? random.in(1, 12) : random.in(1, array + 9);
  Requantize r = requantize(outputs);
  Tensor filter = make({kernel[0], kernel[1], dims[3], outputs});
  std::string filterType = type(filter.dims, "i8", false),
              biasType = "tensor<" + std::to_string(outputs) + "xi32>";
  std::string k =
      random.in(0, 3) ? constant(filter.data, filterType) : feed(filter, false);
  std::string b = constant(r.bias, biasType);
  Value result{name,
               {{rows, out[0], out[1], outputs},
                Convolution{w, outputs}.compute(input.tensor.data, rows,
                                                filter.data, r)}};
  body << "      " << name << " = weir.quantized_conv2d " << input.name << ", "
       << k << ", " << b << " {" << requantizeText(r)
       << ", dilations = array<i64: " << dilation[0] << ", " << dilation[1]
       << ">, " << windows.str() << "} : (" << type(dims, "i8", true) << ", "
       << filterType << ", " << biasType << ") -> "
       << type(result.tensor.dims, "i8", true) << "\n";
  values.push_back(std::move(result));
}

void KernelBuilder::addReshape(const Value &input) {
  int64_t count = 1;
  for (size_t i = 1; i < input.tensor.dims.size(); ++i)
    count *= input.tensor.dims[i];
  std::vector<int64_t> dims{rows, count};
  if (random.in(0, 1)) {
    int64_t channels = random.in(1, 8), width = random.in(1, 4);
    if (count % (channels * width))
      return;
    dims = {rows, count / channels / width, width, channels};
  }
  Value result{"%v" + std::to_string(next++), {dims, input.tensor.data}};
  body << "      " << result.name << " = weir.reshape " << input.name
       << " {shape = array<i64: ";
  for (size_t i = 0; i < dims.size(); ++i)
    body << (i ? ", " : "") << (i || !isDynamic ? dims[i] : -1);
  body << ">} : (" << type(input.tensor.dims, "i8", true) << ") -> "
       << type(dims, "i8", true) << "\n";
  values.push_back(std::move(result));
}

void KernelBuilder::addNode() {
  // Most of the time behind the last node, sometimes beside it.
  Value input = random.in(0, 3)
                    ? values.back()
                    : values[size_t(random.in(0, int64_t(values.size()) - 1))];
  // Matrices of a whole image would be large.
  int64_t kind = random.in(isLarge ? 2 : 0, 9);
  if (kind < 2)
    addReshape(input);
  else if (input.tensor.dims.size() == 2)
    addMatmul(input);
  else
    addWindows(input, kind < (isLarge ? 6 : 5));
}

std::string KernelBuilder::text() const {
  std::ostringstream out;
  out << "module attributes {rt.mxu = \"" << array << 'x' << array << "\"} {\n"
      << "  func.func @k(%step: !llvm.ptr) -> i32 attributes {rt.device = "
         "\"/job:localhost/replica:0/task:0/device:MXU:0\"} {\n"
      << head.str()
      << "    %ok = arith.constant 0 : i32\n    %g:" << fetches.size()
      << " = weir.group \"random\" -> ";
  for (size_t i = 0; i < fetches.size(); ++i)
    out << (i ? ", " : "") << type(fetches[i].tensor.dims, "i8", true);
  out << " {\n" << body.str() << "      weir.yield ";
  for (size_t i = 0; i < fetches.size(); ++i)
    out << (i ? ", " : "") << fetches[i].name;
  out << " : ";
  for (size_t i = 0; i < fetches.size(); ++i)
    out << (i ? ", " : "") << type(fetches[i].tensor.dims, "i8", true);
  out << "\n    }\n" << tail.str() << "    return %ok : i32\n  }\n}\n";
  return out.str();
}

class MxuLoweringTest : public testing::TestWithParam<int64_t> {
protected:
  MxuLoweringTest() : device("mxu", mxu::findMachine(GetParam())) {
    mlir::DialectRegistry registry;
    registry.insert<mxu::MxuDialect, rt::RtDialect, WeirDialect,
                    mlir::arith::ArithDialect, mlir::func::FuncDialect,
                    mlir::memref::MemRefDialect, mlir::LLVM::LLVMDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.disableMultithreading();
  }

  /// Lowers `text` and runs it; what it fetches is compared.
  void check(const std::string &text, std::vector<Tensor> feeds,
             const std::vector<Value> &fetches) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    mlir::PassManager manager(&context);
    manager.addPass(createMxuLowerKernels());
    manager.addPass(createMxuAssemble());
    ASSERT_TRUE(mlir::succeeded(manager.run(*module)));
    std::vector<std::vector<int8_t>> results;
    for (const Value &value : fetches)
      results.emplace_back(value.tensor.data.size());
    module->walk([&](rt::MxuRunOp run) {
      auto image = llvm::cast<mlir::DenseElementsAttr>(run.getImage());
      std::vector<WeirView> ins, outs;
      std::vector<std::unique_ptr<Tensor>> seen;
      auto view = [&](std::vector<int8_t> &data,
                      const std::vector<int64_t> &dims, bool isI32 = false) {
        return WeirView{data.data(), dims.data(), int32_t(dims.size()),
                        isI32 ? WEIR_I32 : WEIR_I8};
      };
      for (mlir::Value input : run.getInputs()) {
        auto feed = input.getDefiningOp<rt::FeedBufferOp>();
        Tensor &tensor = feeds[feed.getIndex()];
        ins.push_back(view(tensor.data, tensor.dims));
      }
      for (mlir::Value output : run.getOutputs()) {
        auto fetch = output.getDefiningOp<rt::OutputBufferOp>();
        outs.push_back(view(results[fetch.getIndex()],
                            fetches[fetch.getIndex()].tensor.dims));
      }
      mxu::Program program;
      EXPECT_TRUE(readProgram(image.getRawData().data(),
                              int64_t(image.getRawData().size()), program)
                      .ok());
      for (const mxu::Decoded &op : program.ops)
        ++instructions[op.opcode];
      WeirMxuFigures figures;
      rt::Status status = device.run(
          image.getRawData().data(), int64_t(image.getRawData().size()), ins,
          outs, [] { return true; }, figures);
      EXPECT_TRUE(status.ok()) << status.message();
    });
    for (size_t i = 0; i < fetches.size(); ++i)
      ASSERT_EQ(results[i], fetches[i].tensor.data) << "fetch " << i;
  }

  void checkRandom(unsigned count, bool hasLargeImages) {
    for (unsigned seed = 0; seed < count; ++seed) {
      SCOPED_TRACE(seed);
      KernelBuilder kernel(seed, GetParam(), hasLargeImages);
      check(kernel.text(), kernel.feeds, kernel.fetches);
      if (HasFatalFailure() || HasNonfatalFailure()) {
        std::fputs(kernel.text().substr(0, 20000).c_str(), stderr);
        return;
      }
    }
  }

  mlir::MLIRContext context;
  mxu::MxuDevice device;
  /// How many there were of each.
  std::map<mxu::Opcode, int> instructions;
};

TEST_P(MxuLoweringTest, RandomKernels) {
  checkRandom(60, /*hasLargeImages=*/false);
  // Every kind of instruction computed something.
  for (const mxu::Format &format : mxu::formats)
    EXPECT_GT(instructions[format.opcode], 5) << format.name;
}

TEST_P(MxuLoweringTest, LargeImages) {
  checkRandom(20, /*hasLargeImages=*/true);
  EXPECT_GT(instructions[mxu::Opcode::actp], 20);
}

INSTANTIATE_TEST_SUITE_P(Arrays, MxuLoweringTest,
                         testing::Values(32, 128, 256));

} // namespace
