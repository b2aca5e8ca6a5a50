//===- RandomOps.td - Random numbers -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RANDOM_OPS_TD
#define WEIR_RANDOM_OPS_TD

include "dialects/Weir/WeirBase.td"

class Weir_RandomNode<string mnemonic, string what> : Weir_PureNode<mnemonic,
    (ins RankedTensorOf<[I64]>:$seed, TypeAttrOf<RankedTensorOf<[F32, F64]>>:$type)> {
  let summary = what;
  let description = [{
    A function of the seed (two integers) and the place of an element alone:
    Philox 4x32-10 (Salmon 2011) with the seed as key and the number of the
    group of four elements as counter; docs/spec/random.md has the bits.

    - (C1) `seed` is tensor<2xi64>.
    - (C2) `type` has static extents.

    Example:
    ```mlir
    %r = weir.}] # mnemonic # [{ %seed {type = tensor<4xf32>} : (tensor<2xi64>) -> tensor<4xf32>
    ```
  }];
  let results = (outs RankedTensorOf<[F32, F64]>:$result);
}
def Weir_RandomUniformOp : Weir_RandomNode<"random_uniform", "uniform in 0 <= x < 1">;
def Weir_RandomNormalOp : Weir_RandomNode<"random_normal", "normal, mean 0 and deviation 1 (Box and Muller)">;

#endif // WEIR_RANDOM_OPS_TD
