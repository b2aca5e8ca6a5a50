//===- Wire.cpp - Messages between tasks ----------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/Wire.h"
#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/base/WireFormat.h"

#include <cstring>
#include <google/protobuf/io/coded_stream.h>
#include <grpcpp/support/proto_buffer_reader.h>

using namespace weir::rt;

namespace distributed = weir::distributed;
using distributed::TensorHeader;

void weir::rt::setError(distributed::Error *error, const Status &status,
                        Cause cause) {
  error->set_code(status.code());
  error->set_message(status.message());
  error->set_cause(cause);
}

Status weir::rt::errorOf(const distributed::Error &error) {
  if (error.code() == WEIR_OK)
    return Status();
  bool isKnown = error.code() > 0 && error.code() <= WEIR_DATA_LOSS;
  return Status(isKnown ? static_cast<WeirCode>(error.code()) : WEIR_UNKNOWN,
                error.message());
}

std::string_view weir::rt::plainText(const Status &status) {
  std::string_view text = status.message();
  if (text.substr(0, 5) == "[WEIR")
    text.remove_prefix(std::min(text.size(), sizeof("[WEIRnnnn]")));
  return text;
}

Status weir::rt::checkProtocol(uint32_t protocol, std::string_view peer) {
  if (protocol == kProtocolVersion)
    return Status();
  return Status(WEIR_FAILED_PRECONDITION,
                str("[WEIR0386] ", peer, " speaks version ", protocol,
                    " of the cluster's protocol, and this side version ",
                    kProtocolVersion,
                    "; run the same version of Weir everywhere"));
}

Status weir::rt::transportError(const grpc::Status &status,
                                const std::string &peer, const char *call) {
  const std::string &said = status.error_message();
  switch (status.error_code()) {
  case grpc::StatusCode::OK:
    return Status();
  case grpc::StatusCode::DEADLINE_EXCEEDED:
    return Status(WEIR_UNAVAILABLE,
                  str("[WEIR0387] ", peer, " does not answer (", call, ")"));
  case grpc::StatusCode::RESOURCE_EXHAUSTED:
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  str("[WEIR0392] ", call, " at ", peer,
                      ": a message was too large: ", said));
  case grpc::StatusCode::UNIMPLEMENTED:
    return Status(WEIR_FAILED_PRECONDITION,
                  str("[WEIR0386] ", peer, " does not know the call ", call,
                      " of version ", kProtocolVersion,
                      " of the cluster's protocol; is it a weir-worker?"));
  case grpc::StatusCode::CANCELLED:
    return Status(WEIR_CANCELLED,
                  str("[WEIR0393] ", call, " at ", peer, " was cancelled"));
  default:
    return Status(
        WEIR_UNAVAILABLE,
        str("[WEIR0387] ", peer, " cannot be reached (", call, "): ", said));
  }
}

static Status malformed(const std::string &what) {
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0396] a message with a tensor is malformed: ", what));
}

Status weir::rt::makeHeader(const WeirTensor *tensor, bool isDead,
                            TensorHeader &header) {
  header.set_is_dead(isDead);
  header.set_is_empty(!tensor);
  if (!tensor)
    return Status();
  if (tensor->dtype == WEIR_RESOURCE)
    return Status(WEIR_INVALID_ARGUMENT,
                  "[WEIR0396] a handle of a resource cannot go to another "
                  "task; put the nodes that use it where the resource is");
  WeirView view = weir_tensor_view(tensor);
  header.set_dtype(view.dtype);
  for (int32_t i = 0; i < view.rank; ++i)
    header.add_dims(view.dims[i]);
  int64_t size = viewBytes(view);
  if (view.dtype == WEIR_STRING) {
    const WeirString *strings = static_cast<const WeirString *>(view.data);
    int64_t count = size / static_cast<int64_t>(sizeof(WeirString));
    size = count * 8;
    for (int64_t i = 0; i < count; ++i)
      size += strings[i].size;
  }
  header.set_size(size);
  return Status();
}

std::string_view weir::rt::tensorBytes(const WeirTensor &tensor,
                                       std::string &storage) {
  WeirView view = weir_tensor_view(&tensor);
  int64_t size = viewBytes(view);
  if (view.dtype != WEIR_STRING)
    return {static_cast<const char *>(view.data), static_cast<size_t>(size)};
  const WeirString *strings = static_cast<const WeirString *>(view.data);
  int64_t count = size / static_cast<int64_t>(sizeof(WeirString));
  for (int64_t i = 0; i < count; ++i) {
    uint64_t length = static_cast<uint64_t>(strings[i].size);
    for (int shift = 0; shift < 64; shift += 8)
      storage += static_cast<char>(length >> shift);
  }
  for (int64_t i = 0; i < count; ++i)
    storage.append(strings[i].data, static_cast<size_t>(strings[i].size));
  return storage;
}

Status TensorAssembler::begin(const TensorHeader &header) {
  if (begun)
    return malformed("it has two headers");
  begun = true;
  dead = header.is_dead();
  empty = header.is_empty();
  if (empty) {
    if (header.size() != 0)
      return malformed("bytes for no tensor");
    return Status();
  }
  const DTypeInfo *info = dtypeInfo(header.dtype());
  if (!info || header.dtype() == WEIR_RESOURCE)
    return malformed(str("element type ", header.dtype()));
  if (header.dims_size() > WEIR_MAX_RANK)
    return malformed(str("rank ", header.dims_size()));
  dtype = header.dtype();
  dims.assign(header.dims().begin(), header.dims().end());
  size = header.size();
  int32_t rank = static_cast<int32_t>(dims.size());
  int64_t count, bytes;
  if (!checkedCount(dims.data(), rank, count) ||
      !checkedBytes(dims.data(), rank, info->size, bytes))
    return malformed(
        str(typeText(dtype, dims.data(), rank), " is no possible tensor"));
  if (dtype == WEIR_STRING) {
    if (size < 0 || size > kMaxBytes || count > size / 8)
      return malformed(str(count, " strings in ", size, " bytes"));
    return Status();
  }
  if (bytes != size)
    return malformed(str(typeText(dtype, dims.data(), rank), " has ", bytes,
                         " bytes, the message speaks of ", size));
  return createTensor(dtype, rank, dims.data(), tensor);
}

Status TensorAssembler::next(int64_t more, char *&place) {
  if (!begun)
    return malformed("its bytes come before its header");
  if (more < 0 || more > size - filled)
    return malformed(str("more than the ", size, " bytes it speaks of"));
  if (dtype == WEIR_STRING) {
    // Grows by what has come, not by what a header promises.
    text.resize(static_cast<size_t>(filled + more));
    place = text.data() + filled;
  } else {
    place = more ? static_cast<char *>(tensor.get()->data) + filled : nullptr;
  }
  filled += more;
  return Status();
}

Status TensorAssembler::append(std::string_view bytes) {
  char *place = nullptr;
  WEIR_RETURN_IF_ERROR(next(static_cast<int64_t>(bytes.size()), place));
  if (!bytes.empty())
    std::memcpy(place, bytes.data(), bytes.size());
  return Status();
}

Status TensorAssembler::finish(TensorRef &result) {
  if (!begun || filled != size)
    return Status(WEIR_DATA_LOSS, str("[WEIR0396] a tensor ended after ",
                                      filled, " of ", size, " bytes"));
  if (empty || dtype != WEIR_STRING) {
    result = std::move(tensor);
    return Status();
  }
  int32_t rank = static_cast<int32_t>(dims.size());
  int64_t count;
  if (!checkedCount(dims.data(), rank, count))
    return malformed("its extents");
  std::vector<WeirString> strings;
  std::string_view rest =
      std::string_view(text).substr(static_cast<size_t>(count) * 8);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t length = 0;
    for (int k = 7; k >= 0; --k)
      length = length << 8 |
               static_cast<unsigned char>(text[static_cast<size_t>(i * 8 + k)]);
    if (length > rest.size())
      return malformed("a string is longer than the message");
    strings.push_back({rest.data(), static_cast<int64_t>(length)});
    rest.remove_prefix(length);
  }
  if (!rest.empty())
    return malformed("its strings do not fill it");
  return createStringTensor(rank, dims.data(), strings.data(), result);
}

Status weir::rt::encodeInline(const WeirTensor *tensor, bool isDead,
                              int64_t &room,
                              distributed::InlineTensor &message) {
  TensorHeader &header = *message.mutable_header();
  WEIR_RETURN_IF_ERROR(makeHeader(tensor, isDead, header));
  if (header.size() > std::min(kInlineBytes, room)) {
    message.set_by_stream(true);
    return Status();
  }
  room -= header.size();
  std::string storage;
  std::string_view bytes;
  if (tensor)
    bytes = tensorBytes(*tensor, storage);
  message.set_data(bytes.data(), bytes.size());
  return Status();
}

Status weir::rt::decodeInline(const distributed::InlineTensor &message,
                              TensorRef &result) {
  TensorAssembler assembler;
  WEIR_RETURN_IF_ERROR(assembler.begin(message.header()));
  WEIR_RETURN_IF_ERROR(assembler.append(message.data()));
  return assembler.finish(result);
}

// ---- TensorChunk: fields 1 (error), 2 (header) and 3 (data), all of them of
// ---- the wire type "bytes".

static void putField(std::string &out, uint32_t number,
                     const std::string &bytes) {
  putVarint(out, number << 3 | WireField::Bytes);
  putVarint(out, bytes.size());
  out += bytes;
}

grpc::ByteBuffer weir::rt::encodeChunk(const TensorHeader *header,
                                       std::string_view bytes,
                                       const TensorRef &owner) {
  std::string front;
  if (header)
    putField(front, 2, header->SerializeAsString());
  if (bytes.empty()) {
    grpc::Slice slice(front);
    return grpc::ByteBuffer(&slice, 1);
  }
  putVarint(front, 3 << 3 | WireField::Bytes);
  putVarint(front, bytes.size());
  // Small ones are cheaper to copy than to keep.
  if (bytes.size() <= 1024 || !owner) {
    front += bytes;
    grpc::Slice slice(front);
    return grpc::ByteBuffer(&slice, 1);
  }
  WeirTensor *tensor = owner.get();
  weir_tensor_retain(tensor);
  grpc::Slice slices[2] = {grpc::Slice(front),
                           grpc::Slice(
                               const_cast<char *>(bytes.data()), bytes.size(),
                               [](void *held) {
                                 weir_tensor_release(
                                     static_cast<WeirTensor *>(held));
                               },
                               tensor)};
  return grpc::ByteBuffer(slices, 2);
}

grpc::ByteBuffer weir::rt::encodeError(const Status &status, Cause cause) {
  distributed::Error error;
  setError(&error, status, cause);
  std::string front;
  putField(front, 1, error.SerializeAsString());
  grpc::Slice slice(front);
  return grpc::ByteBuffer(&slice, 1);
}

Status weir::rt::decodeChunk(const grpc::ByteBuffer &chunk,
                             TensorAssembler &assembler, Failure &failure) {
  grpc::ByteBuffer copy(chunk); // Shares the bytes; the reader wants to own.
  grpc::ProtoBufferReader reader(&copy);
  google::protobuf::io::CodedInputStream stream(&reader);
  std::string bytes;
  while (uint32_t tag = stream.ReadTag()) {
    uint32_t size;
    if ((tag & 7) != WireField::Bytes || !stream.ReadVarint32(&size) ||
        size > kMaxMessageBytes)
      return malformed("no field of a chunk");
    if (tag >> 3 == 3) {
      char *place = nullptr;
      WEIR_RETURN_IF_ERROR(assembler.next(size, place));
      if (size > 0 && !stream.ReadRaw(place, static_cast<int>(size)))
        return malformed("a chunk is cut short");
      continue;
    }
    if (!stream.ReadString(&bytes, static_cast<int>(size)))
      return malformed("a chunk is cut short");
    if (tag >> 3 == 2) {
      TensorHeader header;
      if (!header.ParseFromString(bytes))
        return malformed("its header");
      WEIR_RETURN_IF_ERROR(assembler.begin(header));
    } else if (tag >> 3 == 1) {
      distributed::Error error;
      if (!error.ParseFromString(bytes))
        return malformed("its error");
      failure = {errorOf(error), error.cause()};
    }
  }
  return stream.ConsumedEntireMessage() ? Status()
                                        : malformed("a chunk is cut short");
}
