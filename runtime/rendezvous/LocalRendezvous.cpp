//===- LocalRendezvous.cpp - Where the parts of a step meet ---------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/rendezvous/Rendezvous.h"

#include <cinttypes>
#include <cstdio>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

using namespace weir::rt;

std::string RendezvousKey::text() const {
  char number[20];
  snprintf(number, sizeof(number), "%" PRIx64, incarnation);
  return str(source, ";", number, ";", destination, ";", tensor);
}

Status RendezvousKey::parse(std::string_view text, RendezvousKey &key) {
  auto bad = [&](const std::string &why) {
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0370] '", text.substr(0, 200),
                      "' is no rendezvous "
                      "key (source;incarnation;destination;tensor): ",
                      why));
  };
  std::string_view parts[4], rest = text;
  for (int i = 0; i < 3; ++i) {
    const size_t end = rest.find(';');
    if (end == std::string_view::npos)
      return bad(str("it has ", i + 1, " parts"));
    parts[i] = rest.substr(0, end);
    rest.remove_prefix(end + 1);
  }
  // What is left is the tensor: its name may have any character.
  parts[3] = rest;
  if (parts[0].empty() || parts[2].empty() || parts[3].empty())
    return bad("a part is empty");
  if (parts[1].empty() || parts[1].size() > 16)
    return bad("the incarnation is no number of 64 bits");
  uint64_t incarnation = 0;
  for (char c : parts[1]) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                             : -1;
    if (digit < 0)
      return bad("the incarnation is not hexadecimal");
    incarnation = incarnation << 4 | static_cast<uint64_t>(digit);
  }
  key = {std::string(parts[3]), std::string(parts[0]), std::string(parts[2]),
         incarnation};
  return Status();
}

namespace {

/// The incarnation is no part of the name: it is checked when both are there.
struct KeyHash {
  size_t operator()(const RendezvousKey &key) const {
    std::hash<std::string> hash;
    return (hash(key.tensor) * 31 + hash(key.source)) * 31 +
           hash(key.destination);
  }
};
struct SameKey {
  bool operator()(const RendezvousKey &a, const RendezvousKey &b) const {
    return a.tensor == b.tensor && a.destination == b.destination &&
           a.source == b.source;
  }
};

class LocalRendezvous final : public Rendezvous {
public:
  Status send(const RendezvousKey &key, TensorRef value, bool isDead) override;
  void receive(const RendezvousKey &key, Receiver receiver) override;
  void abort(Status status) override;
  void sourceEnded(const std::string &source) override;

private:
  /// Kept when both have come, so that a third is noticed.
  struct Meeting {
    bool isSent = false, isReceived = false, isDead = false;
    uint64_t senderIncarnation = 0, receiverIncarnation = 0;
    TensorRef value;
    Receiver receiver;
  };

  static Status twice(const RendezvousKey &key, const char *what) {
    return Status(WEIR_INTERNAL,
                  str("[WEIR0371] tensor '", key.tensor, "' from ", key.source,
                      " to ", key.destination, " is ", what,
                      " twice in one step; this is a fault of the compiler, "
                      "please report it"));
  }
  static Status neverSent(const RendezvousKey &key) {
    return Status(WEIR_FAILED_PRECONDITION,
                  str("[WEIR0375] tensor '", key.tensor,
                      "' is never sent: ", key.source,
                      " has ended its part of the step, and ", key.destination,
                      " waits for it; this is a fault of the "
                      "compiler, please report it"));
  }
  /// OK where the receiver means the process that sent.
  static Status checkIncarnation(const RendezvousKey &key,
                                 const Meeting &meeting);

  std::mutex mutex;
  std::unordered_map<RendezvousKey, Meeting, KeyHash, SameKey> meetings;
  std::unordered_set<std::string> endedSources;
  /// Not OK once aborted.
  Status aborted;
};

} // namespace

Status LocalRendezvous::checkIncarnation(const RendezvousKey &key,
                                         const Meeting &meeting) {
  const uint64_t there = meeting.senderIncarnation,
                 wanted = meeting.receiverIncarnation;
  if (there == 0 || wanted == 0 || there == wanted)
    return Status();
  return Status(WEIR_ABORTED,
                str("[WEIR0372] tensor '", key.tensor, "' was to come from ",
                    key.source,
                    ", whose process has started again since; run "
                    "the step again"));
}

Status LocalRendezvous::send(const RendezvousKey &key, TensorRef value,
                             bool isDead) {
  Receiver receiver;
  Status checked;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!aborted.ok())
      return aborted.copy();
    Meeting &meeting = meetings[key];
    if (meeting.isSent)
      return twice(key, "sent");
    meeting.isSent = true;
    meeting.isDead = isDead;
    meeting.senderIncarnation = key.incarnation;
    if (!meeting.isReceived) {
      meeting.value = std::move(value);
      return Status();
    }
    checked = checkIncarnation(key, meeting);
    receiver = std::exchange(meeting.receiver, nullptr);
  }
  if (!checked.ok())
    value = TensorRef();
  receiver(std::move(checked), std::move(value), isDead);
  return Status();
}

void LocalRendezvous::receive(const RendezvousKey &key, Receiver receiver) {
  Status status;
  TensorRef value;
  bool isDead = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!aborted.ok()) {
      status = aborted.copy();
    } else {
      Meeting &meeting = meetings[key];
      if (meeting.isReceived) {
        status = twice(key, "received");
      } else {
        meeting.isReceived = true;
        meeting.receiverIncarnation = key.incarnation;
        const bool isEnded =
            !meeting.isSent && endedSources.count(key.source) > 0;
        if (!meeting.isSent && !isEnded) {
          meeting.receiver = std::move(receiver);
          return;
        }
        status = isEnded ? neverSent(key) : checkIncarnation(key, meeting);
        value = std::move(meeting.value);
        isDead = meeting.isDead;
      }
    }
  }
  if (!status.ok()) {
    value = TensorRef();
    isDead = false;
  }
  receiver(std::move(status), std::move(value), isDead);
}

void LocalRendezvous::sourceEnded(const std::string &source) {
  std::vector<std::pair<RendezvousKey, Receiver>> ended;
  {
    std::lock_guard<std::mutex> lock(mutex);
    endedSources.insert(source);
    for (auto &[key, meeting] : meetings)
      if (meeting.receiver && key.source == source)
        ended.emplace_back(key, std::exchange(meeting.receiver, nullptr));
  }
  for (auto &[key, receiver] : ended)
    receiver(neverSent(key), TensorRef(), false);
}

void LocalRendezvous::abort(Status status) {
  // What the table holds is given up outside the lock.
  decltype(meetings) ended;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!aborted.ok())
      return;
    aborted = status.copy();
    ended.swap(meetings);
  }
  for (auto &entry : ended)
    if (entry.second.receiver)
      entry.second.receiver(status.copy(), TensorRef(), false);
}

std::shared_ptr<Rendezvous> weir::rt::makeLocalRendezvous() {
  return std::make_shared<LocalRendezvous>();
}
