//===- shard_tool.cpp - Shards and slices for tests of formats ------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   weir_shard_tool write PREFIX           a checkpoint of two shards:
//                                          a = [0.5, 1.5], b = 7 (i64),
//                                          w = 3x4 of 0, 1, 2..., in two slices
//   weir_shard_tool read PREFIX NAME [SLICE]    prints the elements (f32)
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/Shards.h"
#include "runtime/checkpoint/Slices.h"

#include <cstdio>
#include <cstring>

using namespace weir::rt;

static int fail(const Status &status) {
  fprintf(stderr, "error: %s\n", status.message());
  return 1;
}

static int write(const std::string &prefix) {
  float a[] = {0.5f, 1.5f}, w[12];
  int64_t b = 7, aDims[] = {2}, top[] = {1, 4}, bottom[] = {2, 4};
  for (int i = 0; i < 12; ++i)
    w[i] = static_cast<float>(i);
  std::string receipts[2];
  Status status = writeShard(Env::posix(), prefix, 0, 2,
                             {{"a", {a, aDims, 1, WEIR_F32}, ""},
                              {"w", {w, top, 2, WEIR_F32}, "3 4 0,1:-"}},
                             receipts[0]);
  if (status.ok())
    status = writeShard(Env::posix(), prefix, 1, 2,
                        {{"b", {&b, nullptr, 0, WEIR_I64}, ""},
                         {"w", {w + 4, bottom, 2, WEIR_F32}, "3 4 1,2:-"}},
                        receipts[1]);
  if (status.ok())
    status = commitShards(Env::posix(), prefix, {receipts[0], receipts[1]});
  return status.ok() ? 0 : fail(status);
}

static int read(const std::string &prefix, const std::string &name,
                const char *slice) {
  std::unique_ptr<CheckpointReader> reader;
  const BundleEntry *entry = nullptr;
  Status status = CheckpointReader::open(Env::posix(), prefix, reader);
  if (status.ok())
    status = reader->find(name, entry);
  if (!status.ok())
    return fail(status);
  std::vector<int64_t> shape = entry->shape;
  TensorSlice wanted(shape.size()), resolved;
  if (slice)
    status = parseShapeAndSlice(slice, shape, wanted);
  if (!status.ok())
    return fail(status);
  resolveSlice(shape, wanted, resolved);
  size_t count = 1;
  for (int64_t extent : sliceShape(resolved))
    count *= static_cast<size_t>(extent);
  std::vector<float> values(count);
  status = reader->readSlice(name, *entry, resolved, values.data());
  if (!status.ok())
    return fail(status);
  for (float value : values)
    printf("%g ", value);
  printf("\n");
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "write"))
    return write(argv[2]);
  if ((argc == 4 || argc == 5) && !strcmp(argv[1], "read"))
    return read(argv[2], argv[3], argc == 5 ? argv[4] : nullptr);
  fprintf(stderr, "usage: write PREFIX | read PREFIX NAME [SLICE]\n");
  return 1;
}
