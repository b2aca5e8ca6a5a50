//===- ConditionalAccumulator.h - Means of gradients ------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds up gradients of many workers and hands out their mean (or sum) once
// enough of them are there: with a queue of tokens, what synchronous training
// is built from. Each gradient tells for which step it was computed; one that
// comes too late, of a step before the accumulator's own, is dropped.
//
// Takers wait in order of arrival, without a thread; their `done` is called as
// that of a queue's operation is (runtime/state/Queue.h), and a cancelled taker
// takes nothing away. All functions may be called from any thread; the caller
// keeps the accumulator alive during a call, and a token until `done` is
// called. One that is destroyed ends its takers with WEIR_CANCELLED.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_CONDITIONALACCUMULATOR_H
#define WEIR_RUNTIME_STATE_CONDITIONALACCUMULATOR_H

#include "runtime/core/Cancellation.h"
#include "runtime/state/Queue.h"

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace weir::rt {

enum class Reduction : uint8_t { Mean, Sum };

struct AccumulatorSpec {
  std::string name;
  /// f32, f64, f16 or bf16.
  WeirDType dtype = WEIR_F32;
  /// False: each take begins anew with the shape of the next gradient.
  bool hasShape = false;
  /// Extents; -1 is one that the next gradient decides on.
  std::vector<int64_t> dims;
  Reduction reduction = Reduction::Mean;
};

class ConditionalAccumulator final
    : public Resource,
      public std::enable_shared_from_this<ConditionalAccumulator> {
public:
  /// INVALID_ARGUMENT [WEIR0348] for an element type that is not a float or an
  /// extent below -1.
  static Status create(AccumulatorSpec spec,
                       std::shared_ptr<ConditionalAccumulator> &result);
  ~ConditionalAccumulator() override;
  ConditionalAccumulator(const ConditionalAccumulator &) = delete;
  ConditionalAccumulator &operator=(const ConditionalAccumulator &) = delete;

  /// Adds a gradient that was computed for step `localStep`; drops it, without
  /// an error or a look at its shape, when that is before the accumulator's
  /// step. Never waits. INVALID_ARGUMENT [WEIR0349] for another element type or
  /// shape, RESOURCE_EXHAUSTED when there is no memory; then nothing is added.
  Status apply(int64_t localStep, const TensorRef &gradient);

  /// Waits until at least `required` gradients are in; gives the mean (or the
  /// sum) of all that are, starts anew and goes to the next step.
  /// INVALID_ARGUMENT [WEIR0349] unless `required` is positive.
  void take(int64_t required, QueueDone done,
            CancellationToken *token = nullptr);

  /// Sets the step that gradients must have reached; what is in stays in.
  void setStep(int64_t newStep);
  int64_t step() const;
  /// How many gradients are in.
  int64_t accumulated() const;

  const AccumulatorSpec &spec() const { return declaration; }

  std::string describe() const override;
  /// Ends all takers with CANCELLED [WEIR0342].
  void abandon() override;

private:
  struct Taker {
    int64_t required = 0;
    QueueDone done;
    CancellationToken *token = nullptr;
    CancellationToken::Id id = 0;
    /// Names it for its cancellation.
    uint64_t number = 0;
    Status status;
    TensorRef sum;
    int64_t count = 0;
  };

  explicit ConditionalAccumulator(AccumulatorSpec spec)
      : declaration(std::move(spec)) {}

  Status checkGradient(const WeirView &gradient) const;
  void cancel(uint64_t number);
  Status cancelledError(const Taker &taker) const;
  /// With the lock held: serves the takers at the head of the list.
  void serve(std::list<Taker> &finished);
  /// Without it.
  void deliver(std::list<Taker> &finished);

  const AccumulatorSpec declaration;
  mutable std::mutex mutex;
  int64_t currentStep = 0;
  int64_t counter = 0;
  /// The sum of `counter` gradients; null when that is 0.
  TensorRef sum;
  uint64_t lastNumber = 0;
  std::list<Taker> takers;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_CONDITIONALACCUMULATOR_H
