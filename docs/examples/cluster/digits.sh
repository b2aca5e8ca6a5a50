#!/usr/bin/env bash
# Trains the digits on two parameter servers and two workers, each a process of
# its own on this machine: asynchronously, synchronously, and synchronously with
# a worker that is killed half way.
#
#   docs/examples/cluster/digits.sh [FOLDER]
#
# FOLDER gets the data and the checkpoints (default: one that goes away).
# WEIR_BUILD is the build tree (default: build/release, else build/dev).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)

build=${WEIR_BUILD:-$root/build/release}
[ -n "${WEIR_BUILD:-}" ] || [ -x "$build/bin/weir-worker" ] || build=$root/build/dev
for tool in weir-run weir-worker weir-compile; do
  [ -x "$build/bin/$tool" ] || { echo "error: there is no $build/bin/$tool; build Weir, or set WEIR_BUILD" >&2; exit 1; }
done

# A command that hangs ends after so many seconds.
limit=600
# run ARGUMENT...: weir-run.
run() {
  local code=0
  timeout --foreground -k 10 "$limit" "$build/bin/weir-run" "$@" || code=$?
  [ $code -ne 124 ] || echo "error: weir-run has not ended within $limit s: $*" >&2
  return $code
}
# await WHAT COMMAND...: waits until COMMAND succeeds.
await() {
  local what=$1 end=$((SECONDS + limit))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || { echo "error: $what took more than $limit s" >&2; exit 1; }
    sleep 0.01
  done
}

# The workers end with the weir-run that started them, however that ends.
started=
cleanup() {
  if [ -n "$started" ]; then
    kill -KILL "$started" 2>/dev/null || true
    wait "$started" 2>/dev/null || true
  fi
  [ -z "${temporary:-}" ] || rm -rf "$temporary"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
if [ $# -gt 0 ]; then
  work=$1
  mkdir -p "$work"
  rm -f "$work"/{async,sync,single,resumed}*.{index,data-*} "$work"/checkpoint
else
  temporary=$(mktemp -d "${TMPDIR:-/tmp}/weir-digits-XXXXXX")
  work=$temporary
fi
"$root/docs/examples/digits/make_data.py" "$work"

# A batch is small: more threads than that would wait for each other.
export OMP_NUM_THREADS=1
module=$here/digits.mlir
cluster=("--local-cluster=ps=2,worker=2")
train=(--feed x="$work/x_train.npy" --feed y="$work/y_train.npy")
test=(--feed x="$work/x_test.npy" --feed y="$work/y_test.npy")
synchronous=(--init --entry=load --entry=start --entry=update --runner=sync0 --runner=sync1 "${train[@]}")

# The same module as a program for one process: its devices are not there, so
# all nodes go to the CPU that is. It looks into checkpoints.
"$build/bin/weir-compile" "$module" --soft-placement -o "$work/digits"

# accuracy PREFIX: of the variables in a checkpoint, on digits never seen.
accuracy() {
  "$work/digits" run eval --restore="$1" "${test[@]}" | sed -n 's/^accuracy = //p'
}
# at_least NUMBER NAME: NUMBER is at least 0.97.
at_least() {
  awk -v a="$1" 'BEGIN { exit !(a >= 0.97) }' || { echo "error: $2 read only $1 of the digits" >&2; exit 1; }
}
# variables PREFIX: a file with all bits of a checkpoint's variables.
variables() {
  local name outputs=()
  for name in w1 b1 w2 b2 w1_velocity b1_velocity w2_velocity b2_velocity step row; do
    outputs+=(--output "$name=$work/$name.npy")
  done
  "$work/digits" run model --restore="$1" "${outputs[@]}"
  (cd "$work" && cat {w1,b1,w2,b2}{,_velocity}.npy step.npy row.npy) >"$1.variables"
}
# same_bits A B: two checkpoints have the same variables.
same_bits() {
  variables "$1" && variables "$2"
  cmp "$1.variables" "$2.variables" >&2 || { echo "error: $1 and $2 differ" >&2; exit 1; }
}

echo "== asynchronous: two workers, each at its own pace"
run "$module" "${cluster[@]}" --init --entry=load --entry=async0 --runner=async1:800 --steps=800 "${train[@]}" \
  --save="$work/async"
async=$(accuracy "$work/async")
at_least "$async" "asynchronous training"

echo "== synchronous: the mean of both workers' gradients, 400 times"
run "$module" "${cluster[@]}" "${synchronous[@]}" --steps=400 --save="$work/sync"
sync=$(accuracy "$work/sync")
at_least "$sync" "synchronous training"

echo "== the same in one process, where each task is a CPU of its own"
sed -e 's|^#worker0 = .*|#worker0 = "/device:CPU:0"|; s|^#ps0 = .*|#ps0 = "/device:CPU:1"|' \
  -e 's|^#ps1 = .*|#ps1 = "/device:CPU:2"|; s|^#worker1 = .*|#worker1 = "/device:CPU:3"|' "$module" >"$work/one-process.mlir"
run "$work/one-process.mlir" --devices=CPU:0,CPU:1,CPU:2,CPU:3 "${synchronous[@]}" --steps=400 --save="$work/single"
same_bits "$work/sync" "$work/single"
echo "all variables are equal, bit for bit"

echo "== again, with a checkpoint every 50 steps; after some, worker 1 is killed"
resumable=("${synchronous[@]}" --save="$work/resumed" --save-every=50 --restore-latest="$work/resumed")
has_ended() { ! kill -0 "$started" 2>/dev/null; }
# Without an end of its own, and so not over before it is disturbed.
"$build/bin/weir-run" "$module" "${cluster[@]}" "${resumable[@]}" --steps=1000000 --keep=1000000 2>"$work/killed.log" &
started=$!
has_come_far() { [ -e "$work/resumed-150.index" ] || has_ended; }
await "training 150 steps" has_come_far
# It is not to get much further while its worker is looked for.
kill -STOP "$started" 2>/dev/null || { cat "$work/killed.log" >&2; exit 1; }
victim=
for child in $(cat "/proc/$started/task/"*/children); do
  [[ $(tr '\0' ' ' <"/proc/$child/cmdline") != *" --job=worker --task=1 "* ]] || victim=$child
done
[ -n "$victim" ] || { echo "error: there is no worker 1" >&2; exit 1; }
kill -KILL "$victim"
kill -CONT "$started"
await "training without a worker" has_ended
if wait "$started"; then
  echo "error: training went on without its worker" >&2
  exit 1
fi
started=
grep '^error: ' "$work/killed.log"
grep -q '/job:worker.*/task:1' "$work/killed.log"

echo "== started again: it goes on from the newest checkpoint"
run "$module" "${cluster[@]}" "${resumable[@]}" --steps=400
same_bits "$work/sync" "$work/resumed-400"
echo "all variables are equal to those of the training that nobody disturbed"

echo "== what two servers saved, on one"
sed 's|^#ps1 = .*|#ps1 = "/job:ps/task:0"|' "$module" >"$work/one-server.mlir"
one=$(run "$work/one-server.mlir" --local-cluster=ps=1,worker=2 --restore="$work/sync" --entry=eval "${test[@]}" |
  sed -n 's/^accuracy = //p')
[ "$one" = "$sync" ] || { echo "error: one server has accuracy $one, two had $sync" >&2; exit 1; }

printf 'accuracy: asynchronous %.4f, synchronous %.4f, in one process %.4f, restarted %.4f, on one server %.4f\n' \
  "$async" "$sync" "$(accuracy "$work/single")" "$(accuracy "$work/resumed-400")" "$one"
