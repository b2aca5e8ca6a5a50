//===- Wire.h - Messages between tasks --------------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What worker.proto's messages hold, as the runtime's types. Whatever comes in
// was written by somebody else: everything is checked before it is used.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_WIRE_H
#define WEIR_RUNTIME_DISTRIBUTED_WIRE_H

#include "runtime/base/Status.h"
#include "runtime/core/Tensor.h"

#include "worker.pb.h"

#include <cstdint>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>
#include <string>
#include <string_view>

namespace weir::rt {

/// Changes whenever worker.proto changes in a way that older tasks would
/// misread.
constexpr uint32_t kProtocolVersion = 2;

/// A tensor up to this is part of its message; a larger one goes in chunks.
constexpr int64_t kInlineBytes = 256 << 10;
constexpr int64_t kChunkBytes = 2 << 20;
/// The tensors of a step in one message, together.
constexpr int64_t kInlineStepBytes = 4 << 20;
/// No message is larger.
constexpr int64_t kMaxMessageBytes = 16 << 20;

using Cause = distributed::Error::Cause;

/// An error, and whose it is.
struct Failure {
  Status status;
  Cause cause = distributed::Error::OWN;
};

void setError(distributed::Error *error, const Status &status,
              Cause cause = distributed::Error::OWN);
/// The error of a reply; OK for none.
Status errorOf(const distributed::Error &error);

/// The message of an error without its "[WEIRnnnn] ".
std::string_view plainText(const Status &status);

/// FAILED_PRECONDITION [WEIR0386] with both versions for another one than ours.
Status checkProtocol(uint32_t protocol, std::string_view peer);

/// What a call that did not come back with a reply means. `peer` names the
/// other side ("task /job:ps/task:0 (host:port)"), `call` what was asked of it.
/// UNAVAILABLE where it cannot be reached, [WEIR0392] for a message that is too
/// large.
Status transportError(const grpc::Status &status, const std::string &peer,
                      const char *call);

/// Describes a tensor (null: there is none). Handles do not leave their task:
/// INVALID_ARGUMENT [WEIR0396].
Status makeHeader(const WeirTensor *tensor, bool isDead,
                  distributed::TensorHeader &header);

/// The bytes of a tensor as the protocol has them: those of the tensor itself,
/// or for strings, `storage`.
std::string_view tensorBytes(const WeirTensor &tensor, std::string &storage);

/// Puts a tensor together from its header and its bytes, which come in order.
class TensorAssembler {
public:
  /// INVALID_ARGUMENT [WEIR0396] for a header that describes no tensor,
  /// RESOURCE_EXHAUSTED for one that there is no memory for.
  Status begin(const distributed::TensorHeader &header);
  bool hasBegun() const { return begun; }
  /// Where the next bytes go; `size` of them must still be missing.
  Status next(int64_t size, char *&place);
  Status append(std::string_view bytes);
  /// DATA_LOSS [WEIR0396] where bytes are missing. `result` may become null.
  Status finish(TensorRef &result);
  bool isDead() const { return dead; }
  /// Nothing is missing.
  bool isComplete() const { return begun && filled == size; }

private:
  bool begun = false, dead = false, empty = false;
  int64_t size = 0, filled = 0;
  int32_t dtype = 0;
  std::vector<int64_t> dims;
  TensorRef tensor;
  /// Of strings.
  std::string text;
};

/// Describes a tensor, with its bytes where they are few and `room` has place
/// for them, which is then less. Otherwise the message says that they go by
/// stream.
Status encodeInline(const WeirTensor *tensor, bool isDead, int64_t &room,
                    distributed::InlineTensor &message);
Status decodeInline(const distributed::InlineTensor &message,
                    TensorRef &result);

// ---- TensorChunk, without a copy.

/// The first chunk of an answer: the header, and `size` bytes at `offset` of
/// `bytes`, which belong to `owner` (kept alive until they are sent).
grpc::ByteBuffer encodeChunk(const distributed::TensorHeader *header,
                             std::string_view bytes, const TensorRef &owner);
grpc::ByteBuffer encodeError(const Status &status, Cause cause);

/// Takes a chunk in; its bytes go straight to their place. `failure` is the
/// error that the chunk holds, if it does.
Status decodeChunk(const grpc::ByteBuffer &chunk, TensorAssembler &assembler,
                   Failure &failure);

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_WIRE_H
