//===- FuzzTest.cpp - Programs that somebody has damaged ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the bytes are, a run either is refused or stays within its buffers.
// Those of this test have exactly the size that the program may touch: every
// other round with guards around, which any build sees the damage of, else with
// nothing, where address sanitizers do. WEIR_FUZZ_ROUNDS in the environment
// makes it as many rounds.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/mxu/MxuDevice.h"

#include "test/unit/runtime/device/mxu/Assemble.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>

using namespace weir::mxu;
using namespace weir::mxu::test;

namespace {

constexpr uint8_t guardByte = 0xa5;

/// A valid program of one input and one output.
struct Subject {
  ImageParts parts;
  std::vector<int64_t> inDims, outDims;
};

/// Every instruction there is, on rows of one lane in a loop: through the array
/// by both ways, pooled, and through scratch.
std::vector<Instruction> everyInstruction(int64_t positions) {
  return {
      make(Opcode::lda,
           {{"space", 2}, {"stride", 1}, {"lanes", 1}, {"rows", positions}}),
      make(Opcode::ldp, {{"space", 0}, {"lanes", 3}}),
      make(Opcode::ldp, {{"space", 0}, {"lanes", 3}, {"param", 1}}),
      make(Opcode::ldp, {{"space", 0}, {"lanes", 3}, {"param", 2}}),
      make(Opcode::ldw,
           {{"space", 0}, {"stride", 2}, {"lanes", 2}, {"rows", 3}}),
      make(Opcode::mxw),
      make(Opcode::mm, {{"rows", positions}, {"swap", 1}, {"zero", -7}}),
      make(Opcode::ldw,
           {{"space", 0}, {"stride", 2}, {"lanes", 2}, {"rows", 1}}),
      make(Opcode::mxw),
      make(Opcode::mmc, {{"rows", positions}, {"swap", 1}, {"accumulate", 1}}),
      make(Opcode::act,
           {{"rows", positions}, {"ub", 200}, {"min", -128}, {"max", 127}}),
      make(Opcode::pool, {{"rows", positions}, {"source", 200}, {"ub", 400}}),
      make(Opcode::actp,
           {{"rows", positions}, {"ub", 400}, {"min", -128}, {"max", 127}}),
      make(Opcode::sta, {{"space", 1},
                         {"stride", 1},
                         {"lanes", 1},
                         {"rows", positions},
                         {"ub", 400}}),
      make(Opcode::lda, {{"space", 1},
                         {"stride", 1},
                         {"lanes", 1},
                         {"rows", positions},
                         {"ub", 600}}),
      make(Opcode::sta, {{"space", 3},
                         {"stride", 1},
                         {"lanes", 1},
                         {"rows", positions},
                         {"ub", 600}})};
}

Subject randomSubject(Random &random, int64_t array) {
  Convolution convolution = Convolution::random(random, array);
  Window &w = convolution.window;
  Subject subject;
  if (random.in(0, 1)) {
    subject.parts = convolution.program(
        array, random.bytes(w.depth() * convolution.outputs),
        random.requantize(convolution.outputs));
    subject.parts.scratchBytes = random.in(0, 1) * 5000;
  } else {
    // The same places come out as go in.
    w.channels = 1;
    convolution.outputs = 1;
    w.height = w.outHeight;
    w.width = w.outWidth;
    subject.parts.array = array;
    subject.parts.windows.push_back(w);
    int64_t row = int64_t(w.height) * w.width;
    subject.parts.entries = {tensor(false, 1, row, true, dynamicRows),
                             tensor(true, 1, row, true, dynamicRows)};
    subject.parts.weights.assign(64, 3);
    subject.parts.scratchBytes = w.positions();
    subject.parts.instructions =
        inLoop(w.images, everyInstruction(w.positions()));
  }
  subject.inDims = {w.images, w.height, w.width, w.channels};
  subject.outDims = {w.images, w.outHeight, w.outWidth, convolution.outputs};
  return subject;
}

/// A small number, one at an end, any.
int64_t anyNumber(Random &random, int64_t low, int64_t high) {
  switch (random.in(0, 3)) {
  case 0:
    return std::clamp<int64_t>(random.in(-2, 70), low, high);
  case 1:
    return high - std::min<int64_t>(random.in(0, 2), high - low);
  case 2:
    return low;
  default:
    return random.in(low, high);
  }
}

/// Damage that knows where numbers are: most of these programs are well formed.
void damageParts(Random &random, ImageParts &parts) {
  auto pick = [&](auto &list) -> auto & {
    return list[static_cast<size_t>(
        random.in(0, int64_t(std::size(list)) - 1))];
  };
  switch (random.in(0, 7)) {
  case 0: {
    const auto &field = pick(windowFields);
    pick(parts.windows).*field.field =
        static_cast<uint32_t>(anyNumber(random, 0, 65536));
    break;
  }
  case 1: {
    Entry &entry = pick(parts.entries);
    if (random.in(0, 1))
      entry.rowBytes =
          static_cast<uint64_t>(anyNumber(random, 0, (int64_t(1) << 32) + 1));
    else
      entry.rows = anyNumber(random, -2, (int64_t(1) << 32) + 1);
    break;
  }
  case 2: {
    // In the place of another, or in none.
    auto &code = parts.instructions;
    Instruction &place = pick(code);
    if (random.in(0, 1))
      place = pick(code);
    else
      code.erase(code.begin() + (&place - code.data()));
    break;
  }
  case 3:
    parts.weights.resize(static_cast<size_t>(random.in(0, 200)));
    break;
  default: {
    Instruction &instruction = pick(parts.instructions);
    const Format &format = formatOf(instruction.opcode());
    if (format.fieldCount == 0)
      break;
    const Field &field = format.fields[random.in(0, format.fieldCount - 1)];
    instruction.set(field, anyNumber(random, field.low(), field.high()));
  }
  }
}

/// Damage that does not.
void damageBytes(Random &random, std::vector<uint8_t> &image) {
  const auto *header = reinterpret_cast<const Header *>(image.data());
  Layout layout = layoutOf(*header);
  for (int64_t i = random.in(1, 3); i > 0; --i) {
    // Half to the instructions, the counts of the header, some anywhere.
    int64_t begin = 0, end = int64_t(image.size());
    if (random.in(0, 1))
      begin = int64_t(layout.instructions), end = int64_t(layout.weights);
    else if (random.in(0, 1))
      begin = 8, end = sizeof(Header);
    auto at = static_cast<size_t>(random.in(begin, end - 1));
    if (at < image.size())
      image[at] = random.in(0, 1) ? uint8_t(random.in(0, 255))
                                  : uint8_t(image[at] ^ 1u << random.in(0, 7));
  }
  if (random.in(0, 9) == 0)
    image.resize(static_cast<size_t>(random.in(0, int64_t(image.size()))));
}

/// Puts a sum over the damage where it belongs, so that the checks behind it
/// are reached.
void seal(std::vector<uint8_t> &image) {
  if (image.size() < sizeof(Header))
    return;
  uint64_t size = image.size(), checksum = 0;
  std::memcpy(image.data() + offsetof(Header, totalBytes), &size, 8);
  checksum = imageChecksum(image.data(), image.size());
  std::memcpy(image.data() + offsetof(Header, checksum), &checksum, 8);
}

class GuardedTensor {
public:
  GuardedTensor(std::vector<int64_t> extents, size_t guard)
      : dims(std::move(extents)), guard(guard) {
    for (int64_t extent : dims)
      size *= static_cast<size_t>(extent);
    bytes = std::make_unique<uint8_t[]>(size + 2 * guard);
    std::fill_n(bytes.get(), size + 2 * guard, guardByte);
  }
  WeirView view() {
    return {bytes.get() + guard, dims.data(), static_cast<int32_t>(dims.size()),
            WEIR_I8};
  }
  bool isUntouched(size_t begin, size_t end) const {
    return std::all_of(bytes.get() + begin, bytes.get() + end,
                       [](uint8_t byte) { return byte == guardByte; });
  }
  bool hasGuards() const {
    return isUntouched(0, guard) && isUntouched(guard + size, size + 2 * guard);
  }
  bool isUntouched() const { return isUntouched(0, size + 2 * guard); }

private:
  std::vector<int64_t> dims;
  size_t guard, size = 1;
  std::unique_ptr<uint8_t[]> bytes;
};

TEST(FuzzTest, DamagedProgramsStayWithinTheirBuffers) {
  const char *wanted = std::getenv("WEIR_FUZZ_ROUNDS");
  const int rounds = wanted ? std::atoi(wanted) : 8000;
  Random random(7);
  std::vector<std::unique_ptr<MxuDevice>> devices;
  for (const Machine &machine : machines)
    devices.push_back(std::make_unique<MxuDevice>("mxu", &machine));
  int refused = 0, ran = 0, ended = 0;
  for (int round = 0; round < rounds; ++round) {
    // The large machines take long to check.
    auto number = static_cast<size_t>(random.in(0, 19) ? 0 : random.in(1, 2));
    Subject subject = randomSubject(random, machines[number].array);
    bool isWhole = random.in(0, 49) == 0, knowsPlaces = random.in(0, 2) != 0;
    for (int64_t i = random.in(1, random.in(1, 3));
         i > 0 && knowsPlaces && !isWhole; --i)
      damageParts(random, subject.parts);
    std::vector<uint8_t> image = buildImage(subject.parts);
    if (!knowsPlaces && !isWhole) {
      damageBytes(random, image);
      if (random.in(0, 9) != 0)
        seal(image);
    }
    image.shrink_to_fit();
    size_t guard = round % 2 ? 0 : 256;
    GuardedTensor in(subject.inDims, guard), out(subject.outDims, guard);
    // Some would take hours.
    int asked = 0;
    WeirMxuFigures figures;
    weir::rt::Status status = devices[number]->run(
        image.data(), int64_t(image.size()), {in.view()}, {out.view()},
        [&] { return ++asked < 20; }, figures);
    ++(status.ok() ? ran : status.code() == WEIR_CANCELLED ? ended : refused);
    if (isWhole)
      EXPECT_TRUE(status.ok()) << status.message();
    if (!status.ok() && status.code() != WEIR_CANCELLED)
      EXPECT_EQ(std::string(status.message()).substr(0, 7), "[WEIR04");
    EXPECT_TRUE(in.isUntouched());
    EXPECT_TRUE(out.hasGuards());
    EXPECT_EQ(devices[number]->bytesInUse(), 0);
  }
  std::printf("%d refused, %d ran, %d were ended\n", refused, ran, ended);
  // Both ways were taken.
  EXPECT_GT(refused, rounds / 20);
  EXPECT_GT(ran, rounds / 20);
}

} // namespace
