//===- InputTestUtil.h - What tests of the input share ----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_RUNTIME_INPUT_INPUTTESTUTIL_H
#define WEIR_TEST_UNIT_RUNTIME_INPUT_INPUTTESTUTIL_H

#include "runtime/input/Decode.h"
#include "test/unit/runtime/state/QueueTestUtil.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::rt::test {

/// A decoder that takes any bytes.
using Decoder = std::function<void(std::string_view)>;

/// Gives `decode` the bytes cut short at every length, and with each byte
/// changed in three ways. Each time they are copied into memory of exactly
/// their size, so that a sanitizer sees a read behind them.
inline void damageEveryWay(std::string_view bytes, const Decoder &decode) {
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::vector<char> part(bytes.begin(), bytes.begin() + size);
    decode({part.data(), part.size()});
  }
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int change : {0xff, 0x01, 0x80}) {
      std::vector<char> changed(bytes.begin(), bytes.end());
      changed[i] = static_cast<char>(changed[i] ^ change);
      decode({changed.data(), changed.size()});
    }
}

/// The bytes of the elements.
inline std::string_view bytesOf(const TensorRef &tensor) {
  return {static_cast<const char *>(tensor.get()->data),
          static_cast<size_t>(viewBytes(tensor.view()))};
}

/// A view of text that owns what it shows.
class Strings {
public:
  explicit Strings(std::vector<std::string> values)
      : tensor(strings({static_cast<int64_t>(values.size())}, values)) {}
  WeirView view() const { return tensor.view(); }

private:
  TensorRef tensor;
};

} // namespace weir::rt::test

#endif // WEIR_TEST_UNIT_RUNTIME_INPUT_INPUTTESTUTIL_H
