//===- Random.cpp - Random numbers ----------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Kernels.h"

#include "llvm/ADT/TypeSwitch.h"
#include <array>
#include <numbers>

using namespace mlir;

namespace weir {

using Group = std::array<uint32_t, 4>;

/// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw 2011).
static Group philox(Group counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t even = uint64_t(0xD2511F53) * counter[0],
             odd = uint64_t(0xCD9E8D57) * counter[2];
    counter = {static_cast<uint32_t>(odd >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(odd),
               static_cast<uint32_t>(even >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(even)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// The stream of a seed: words, and numbers made of them, by their place. See
/// docs/spec/random.md.
class Stream {
public:
  explicit Stream(const Tensor &seed)
      : key(static_cast<uint64_t>(seed.read<int64_t>()[0])),
        high(static_cast<uint64_t>(seed.read<int64_t>()[1])) {}

  uint32_t word(int64_t i) const {
    uint64_t group = static_cast<uint64_t>(i) / 4;
    Group counter{
        static_cast<uint32_t>(group), static_cast<uint32_t>(group >> 32),
        static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)};
    return philox(counter, {static_cast<uint32_t>(key),
                            static_cast<uint32_t>(key >> 32)})[i % 4];
  }

  /// In 0 <= u < 1, a multiple of 2^-24 or 2^-53. A double takes two words.
  template <typename T> T uniform(int64_t i) const { return unit<T>(i, 0); }

  /// Of uniform numbers u in 0 < u <= 1 and v in 0 <= v < 1 come two normal
  /// ones (Box and Muller): with the cosine, then with the sine.
  template <typename T> T normal(int64_t i) const {
    int64_t first = i & ~int64_t(1);
    T u = unit<T>(first, 1), v = unit<T>(first + 1, 0);
    T radius = std::sqrt(T(-2) * std::log(u));
    T angle = T(2 * std::numbers::pi) * v;
    return radius * (i == first ? std::cos(angle) : std::sin(angle));
  }

private:
  template <typename T> T unit(int64_t i, uint64_t offset) const {
    if constexpr (std::same_as<T, float>)
      return std::ldexp(static_cast<float>((word(i) >> 8) + offset), -24);
    uint64_t bits = uint64_t(word(2 * i)) << 32 | word(2 * i + 1);
    return static_cast<T>(
        std::ldexp(static_cast<double>((bits >> 11) + offset), -53));
  }

  uint64_t key, high;
};

template <typename Number>
static llvm::Expected<Tensor> generate(Operation *op, Type type,
                                       Number number) {
  auto tensorType = cast<RankedTensorType>(type);
  auto result = resultTensor(op, dtypeOf(tensorType.getElementType()),
                             tensorType.getShape());
  if (!result)
    return result;
  auto fill = [&](auto zero) {
    for (int64_t i = 0; i < result->size(); ++i)
      result->write<decltype(zero)>()[i] = number(zero, i);
  };
  if (result->getDType() == WEIR_F32)
    fill(float());
  else
    fill(double());
  return result;
}

std::optional<llvm::Expected<Tensor>> evaluateRandom(Operation *op,
                                                     Operands x) {
  using Case = std::optional<llvm::Expected<Tensor>>;
  return llvm::TypeSwitch<Operation *, Case>(op)
      .Case([&](RandomUniformOp node) -> Case {
        return generate(op, node.getType(), [&](auto zero, int64_t i) {
          return Stream(x[0]).uniform<decltype(zero)>(i);
        });
      })
      .Case([&](RandomNormalOp node) -> Case {
        return generate(op, node.getType(), [&](auto zero, int64_t i) {
          return Stream(x[0]).normal<decltype(zero)>(i);
        });
      })
      .Default([](Operation *) -> Case { return std::nullopt; });
}

} // namespace weir
