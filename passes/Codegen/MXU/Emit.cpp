//===- Emit.cpp - Instructions of the accelerator -------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/MXU/Emit.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

using namespace llvm;
using namespace weir;
using mxu::Decoded;
using mxu::Opcode;

/// Rows that one transfer moves: few enough for the next unit to begin soon.
static constexpr int64_t transferRows = 512;
/// Each product takes three rows of parameters.
static constexpr int64_t paramSlot = 3;

static Decoded make(Opcode opcode) {
  Decoded op = {};
  op.opcode = opcode;
  op.queue = mxu::formatOf(opcode).queue;
  return op;
}

static Decoded makeNop(mxu::Queue queue, unsigned waits, unsigned signals) {
  Decoded op = make(Opcode::nop);
  op.queue = queue;
  op.waits = static_cast<uint8_t>(waits);
  op.signals = static_cast<uint8_t>(signals);
  return op;
}

int64_t weir::mxuScratchOf(const MxuPlan &plan, int64_t images) {
  int64_t bytes = 0;
  for (const MxuItem &item : plan.items)
    if (item.kind == MxuItem::store && item.space == mxu::scratchSpace)
      bytes += alignTo(
          static_cast<uint64_t>(
              plan.buffers[static_cast<size_t>(item.buffer)].shape.bytes() *
              images),
          mxu::scratchPiece);
  return bytes;
}

namespace {
class Emitter {
public:
  Emitter(const MxuNetwork &network, const MxuPlan &plan,
          const mxu::Machine &machine, int64_t images,
          std::vector<mxu::Window> &windows)
      : network(network), plan(plan), machine(machine), array(machine.array),
        images(images), windows(windows), begins(plan.place(machine, images)) {}

  MxuCode run();

private:
  const MxuBuffer &bufferOf(int64_t buffer) const {
    return plan.buffers[static_cast<size_t>(buffer)];
  }
  int64_t beginOf(int64_t buffer) const {
    return begins[static_cast<size_t>(buffer)];
  }
  /// Where a load or store of an item begins in its space.
  int64_t offsetOf(const MxuItem &item);
  void load(const MxuItem &item);
  void store(const MxuItem &item);
  void multiply(const MxuItem &item, const MxuLayer &layer);
  /// Sums that are made at once, and the rows of the result that they become:
  /// by a window over them where it is pooled.
  struct Piece {
    int64_t first, rows, resultFirst, resultRows, window;
  };
  std::vector<Piece> piecesOf(const MxuLayer &layer);
  void activate(const MxuItem &item, const MxuLayer &layer, int64_t n,
                const Piece &piece, int64_t sums);
  void pool(const MxuItem &item, const MxuLayer &layer);
  /// How many rows of sums are best made at once; of so many, in equal parts.
  int64_t sumsAtOnce() const;
  int64_t pieceOf(int64_t rows) const;
  /// The window over so many images.
  int64_t windowNumber(mxu::Window window, int64_t count);
  void bringWeights(Decoded &product, const MxuLayer &layer, int64_t k,
                    int64_t n, int64_t depth);
  /// Appends an instruction, behind the loads that it reads from.
  void push(const Decoded &op);

  /// Loads wait here until something reads from them, so that in the queue of
  /// loads what is needed first comes first.
  struct Pending {
    Decoded op;
    int64_t buffer;
  };

  const MxuNetwork &network;
  const MxuPlan &plan;
  const mxu::Machine &machine;
  const int64_t array, images;
  std::vector<mxu::Window> &windows;
  const std::vector<int64_t> begins;
  MxuCode code;
  std::vector<Pending> pending;
  /// By the offset in one image, the place in scratch.
  std::vector<std::pair<int64_t, int64_t>> scratchPlaces;
  int64_t scratchEnd = 0, nextParam = 0, nextHalf = 0;
  /// The tile in the array: space, offset, lanes and rows of its ldw.
  using TileKey = std::array<int64_t, 4>;
  std::optional<TileKey> tile;
};
} // namespace

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

void Emitter::push(const Decoded &op) {
  mxu::forEachAccess(
      op, windows.data(), array,
      [&](mxu::Memory memory, int64_t begin, int64_t end, bool isWrite) {
        if (memory != mxu::Memory::ub || isWrite)
          return;
        auto isRead = [&](const Pending &load) {
          return load.op.ub < end && begin < load.op.ub + load.op.rows;
        };
        for (const Pending &load : pending)
          if (isRead(load))
            code.push_back(load.op);
        llvm::erase_if(pending, isRead);
      });
  code.push_back(op);
}

int64_t Emitter::offsetOf(const MxuItem &item) {
  if (item.space != mxu::scratchSpace)
    return 0;
  for (auto [offset, place] : scratchPlaces)
    if (offset == item.offset)
      return place;
  scratchPlaces.push_back({item.offset, scratchEnd});
  int64_t bytes = bufferOf(item.buffer).shape.bytes() * images;
  scratchEnd += static_cast<int64_t>(
      alignTo(static_cast<uint64_t>(bytes), mxu::scratchPiece));
  return scratchPlaces.back().second;
}

void Emitter::load(const MxuItem &item) {
  const MxuShape &shape = bufferOf(item.buffer).shape;
  int64_t rows = shape.places * images, offset = offsetOf(item);
  for (int64_t plane = 0; plane < shape.planes(array); ++plane)
    for (int64_t first = 0; first < rows; first += transferRows) {
      Decoded op = make(Opcode::lda);
      op.space = item.space;
      op.offset = offset + first * shape.channels + plane * array;
      op.stride = shape.channels;
      op.lanes = std::min(array, shape.channels - plane * array);
      op.rows = std::min(transferRows, rows - first);
      op.ub = beginOf(item.buffer) + plane * rows + first;
      // What comes back from scratch has to be behind its store in the text,
      // which it is.
      pending.push_back({op, item.buffer});
    }
}

void Emitter::store(const MxuItem &item) {
  const MxuShape &shape = bufferOf(item.buffer).shape;
  int64_t rows = shape.places * images, offset = offsetOf(item);
  // In the order in which they are made.
  int64_t piece = pieceOf(rows);
  for (int64_t made = 0; made < rows; made += piece)
    for (int64_t plane = 0; plane < shape.planes(array); ++plane)
      for (int64_t first = made; first < std::min(made + piece, rows);
           first += transferRows) {
        Decoded op = make(Opcode::sta);
        op.space = item.space;
        op.offset = offset + first * shape.channels + plane * array;
        op.stride = shape.channels;
        op.lanes = std::min(array, shape.channels - plane * array);
        op.rows = std::min({transferRows, made + piece - first, rows - first});
        op.ub = beginOf(item.buffer) + plane * rows + first;
        push(op);
      }
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

int64_t Emitter::windowNumber(mxu::Window window, int64_t count) {
  window.images = static_cast<uint32_t>(count);
  for (size_t i = 0; i < windows.size(); ++i)
    if (std::memcmp(&windows[i], &window, sizeof(window)) == 0)
      return static_cast<int64_t>(i);
  windows.push_back(window);
  return static_cast<int64_t>(windows.size()) - 1;
}

void Emitter::bringWeights(Decoded &product, const MxuLayer &layer, int64_t k,
                           int64_t n, int64_t depth) {
  Decoded load = make(Opcode::ldw);
  load.space = layer.weights.space;
  load.offset = layer.weights.offset + k * array * layer.columns + n * array;
  load.stride = layer.columns;
  load.lanes = std::min(array, layer.columns - n * array);
  load.rows = std::min(array, depth - k * array);
  TileKey key{load.space, load.offset, load.lanes, load.rows};
  if (tile == key)
    return;
  tile = key;
  push(load);
  push(make(Opcode::mxw));
  product.swap = 1;
}

void Emitter::multiply(const MxuItem &item, const MxuLayer &layer) {
  const MxuShape &shape = bufferOf(item.buffer).shape;
  mxu::Window window = layer.window;
  if (layer.isRow) {
    // The row lies in places: a window as large as the row.
    window.width = window.kernelWidth = static_cast<uint32_t>(shape.places);
    window.channels = static_cast<uint32_t>(shape.channels);
  }
  bool isPlain = window.kernelHeight == 1 && window.kernelWidth == 1 &&
                 window.strideHeight == 1 && window.strideWidth == 1 &&
                 window.padTop == 0 && window.padLeft == 0 &&
                 window.outHeight == window.height &&
                 window.outWidth == window.width;
  Decoded product = make(isPlain ? Opcode::mm : Opcode::mmc);
  if (!isPlain)
    product.window = windowNumber(window, images);
  product.zero = layer.inputZero;
  std::vector<Piece> pieces = piecesOf(layer);
  int64_t largest = 0;
  for (const Piece &piece : pieces)
    largest = std::max(largest, piece.rows);
  int64_t depth = window.depth(), rows = window.positions() * images,
          columns = divideCeil(layer.columns, array),
          half = machine.accRows / 2, group = half / largest,
          input = beginOf(item.buffer);
  // One half of the accumulators is read while the other is filled: with the
  // sums of several columns of tiles, so that rows that have just been loaded
  // are used more than once.
  for (const Piece &piece : pieces)
    for (int64_t begin = 0; begin < columns; begin += group) {
      int64_t end = std::min(begin + group, columns), sums = nextHalf * half;
      nextHalf ^= 1;
      product.rows = piece.rows;
      for (int64_t k = 0; k * array < depth; ++k)
        for (int64_t n = begin; n < end; ++n) {
          product.swap = 0;
          bringWeights(product, layer, k, n, depth);
          product.accumulate = k > 0;
          product.acc = sums + (n - begin) * largest;
          product.ub = isPlain ? input + k * rows + piece.first : input;
          if (!isPlain) {
            product.first = piece.first;
            product.tile = k;
          }
          push(product);
        }
      for (int64_t n = begin; n < end; ++n)
        activate(item, layer, n, piece, sums + (n - begin) * largest);
    }
}

void Emitter::activate(const MxuItem &item, const MxuLayer &layer, int64_t n,
                       const Piece &piece, int64_t sums) {
  Decoded act = make(layer.pooling ? Opcode::actp : Opcode::act);
  const mxu::Window &last = layer.pooling.value_or(layer.window);
  act.param = nextParam;
  nextParam += paramSlot;
  if (nextParam + paramSlot > machine.paramRows)
    nextParam = 0;
  const MxuSource *sources[] = {&layer.bias, &layer.multipliers, &layer.shifts};
  for (int64_t i = 0; i < paramSlot; ++i) {
    Decoded load = make(Opcode::ldp);
    load.space = sources[i]->space;
    load.offset = sources[i]->offset + n * array * 4;
    load.lanes = std::min(array, layer.columns - n * array);
    load.param = act.param + i;
    push(load);
  }
  act.acc = sums;
  act.ub =
      beginOf(item.output) + n * last.positions() * images + piece.resultFirst;
  act.rows = piece.resultRows;
  act.window = piece.window;
  act.zero = layer.outputZero;
  act.min = layer.min;
  act.max = layer.max;
  push(act);
}

int64_t Emitter::sumsAtOnce() const {
  // As many rows as it takes to load the next tile, if that many fit; else few
  // enough for two columns of tiles at a time.
  int64_t tileCycles = array * array * 10 / machine.dramRate,
          half = machine.accRows / 2;
  return tileCycles > half / 2 ? half : half / 2;
}

/// Parts of `count`, as equal as they get, of at most `most` or 1.
static int64_t equalParts(int64_t count, int64_t most) {
  return divideCeil(count, divideCeil(count, std::max<int64_t>(most, 1)));
}

int64_t Emitter::pieceOf(int64_t rows) const {
  return equalParts(rows, sumsAtOnce());
}

std::vector<Emitter::Piece> Emitter::piecesOf(const MxuLayer &layer) {
  std::vector<Piece> pieces;
  int64_t perImage = layer.window.positions(), rows = perImage * images;
  if (!layer.pooling) {
    int64_t piece = pieceOf(rows);
    for (int64_t first = 0; first < rows; first += piece) {
      int64_t count = std::min(piece, rows - first);
      pieces.push_back({first, count, first, count, 0});
    }
    return pieces;
  }
  mxu::Window pool = *layer.pooling;
  int64_t perResult = pool.positions();
  if (perImage <= machine.accRows / 2) {
    // Whole images; the window slides over those of the largest piece.
    int64_t count = equalParts(images, sumsAtOnce() / perImage),
            window = windowNumber(pool, count);
    for (int64_t first = 0; first < images; first += count) {
      int64_t here = std::min(count, images - first);
      pieces.push_back({first * perImage, here * perImage, first * perResult,
                        here * perResult, window});
    }
    return pieces;
  }
  // Lines of one image, as many as some lines of the result are made of.
  int64_t width = pool.width, outHeight = pool.outHeight,
          outWidth = pool.outWidth, stride = pool.strideHeight,
          kernel = pool.kernelHeight, height = pool.height,
          lines = equalParts(outHeight,
                             (sumsAtOnce() / width - kernel) / stride + 1);
  for (int64_t image = 0; image < images; ++image)
    for (int64_t first = 0; first < outHeight; first += lines) {
      int64_t count = std::min(lines, outHeight - first),
              here = std::min((count - 1) * stride + kernel,
                              height - first * stride);
      pool.outHeight = static_cast<uint32_t>(count);
      pool.height = static_cast<uint32_t>(here);
      pieces.push_back({image * perImage + first * stride * width, here * width,
                        image * perResult + first * outWidth, count * outWidth,
                        windowNumber(pool, 1)});
    }
  return pieces;
}

void Emitter::pool(const MxuItem &item, const MxuLayer &layer) {
  Decoded op = make(Opcode::pool);
  op.window = windowNumber(layer.window, images);
  int64_t rows = layer.window.positions() * images,
          plane = layer.window.plane() * images, piece = pieceOf(rows);
  for (int64_t first = 0; first < rows; first += piece)
    for (int64_t c = 0; c < bufferOf(item.buffer).shape.planes(array); ++c) {
      op.source = beginOf(item.buffer) + c * plane;
      op.ub = beginOf(item.output) + c * rows + first;
      op.rows = std::min(piece, rows - first);
      op.first = first;
      push(op);
    }
}

MxuCode Emitter::run() {
  for (auto [i, item] : llvm::enumerate(plan.items)) {
    switch (item.kind) {
    case MxuItem::load:
      load(item);
      break;
    case MxuItem::store:
      store(item);
      break;
    case MxuItem::compute: {
      const MxuLayer &layer = network.layers[static_cast<size_t>(item.layer)];
      if (layer.kind == MxuLayer::pool)
        pool(item, layer);
      else
        multiply(item, layer);
      break;
    }
    }
    // Lines that no window reaches are never loaded.
    llvm::erase_if(pending, [&](const Pending &load) {
      return bufferOf(load.buffer).end == static_cast<int64_t>(i);
    });
  }
  return std::move(code);
}

MxuCode weir::emitMxuBlock(const MxuNetwork &network, const MxuPlan &plan,
                           const mxu::Machine &machine, int64_t images,
                           std::vector<mxu::Window> &windows) {
  return Emitter(network, plan, machine, images, windows).run();
}

MxuCode weir::mxuBarrier() {
  constexpr unsigned ld = 1, others = 2 | 4 | 8;
  MxuCode code;
  for (mxu::Queue queue : {mxu::Queue::mx, mxu::Queue::vx, mxu::Queue::st})
    code.push_back(makeNop(queue, 0, ld));
  code.push_back(makeNop(mxu::Queue::ld, others, others));
  for (mxu::Queue queue : {mxu::Queue::mx, mxu::Queue::vx, mxu::Queue::st})
    code.push_back(makeNop(queue, ld, 0));
  return code;
}
