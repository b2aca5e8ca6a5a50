#!/usr/bin/env bash
# Trains a small convolutional network on the CPU, and with its input on the CPU
# and all else on a GPU that the CPU emulates; then does it on int8 on the
# accelerator's simulator. Each time it compares with the interpreter.
#
#   docs/examples/devices/digits.sh [FOLDER]
#
# FOLDER gets the data and the checkpoints (default: one that goes away).
# WEIR_BUILD is the build tree (default: build/release, else build/dev).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)

build=${WEIR_BUILD:-$root/build/release}
[ -n "${WEIR_BUILD:-}" ] || [ -x "$build/bin/weir-worker" ] || build=$root/build/dev
run=$build/bin/weir-run
[ -x "$run" ] || { echo "error: there is no $run; build Weir, or set WEIR_BUILD" >&2; exit 1; }

# A command that hangs ends after so many seconds.
limit=600
# run ARGUMENT...: weir-run.
run() {
  local code=0
  timeout --foreground -k 10 "$limit" "$run" "$@" || code=$?
  [ $code -ne 124 ] || echo "error: weir-run has not ended within $limit s: $*" >&2
  return $code
}

trap '[ -z "${temporary:-}" ] || rm -rf "$temporary"' EXIT
if [ $# -gt 0 ]; then
  work=$1
  mkdir -p "$work"
else
  temporary=$(mktemp -d "${TMPDIR:-/tmp}/weir-digits-XXXXXX")
  work=$temporary
fi
"$root/docs/examples/digits/make_data.py" "$work"
"$here/make_samples.py" "$work/x_train.npy" 359 "$work/samples.npz"
placements=0
# The tensors are small: more threads would wait for each other.
export OMP_NUM_THREADS=1

# module DEVICE: the example with #net on DEVICE.
module() {
  sed "s|^#net = .*|#net = \"/device:$1\"|" "$here/digits.mlir" >"$work/$1.mlir"
  echo "$work/$1.mlir"
}

# train MODULE OPTION... --save=PREFIX
train() {
  run "$@" --init --entry=load --feed x="$work/x_train.npy" --feed y="$work/y_train.npy" --entry=train --runner=fill --steps=200
}

# predict FOLDER MODULE OPTION...: FOLDER gets what the network says of each digit.
predict() {
  local folder=$1
  shift
  mkdir -p "$folder"
  run "$@" --entry=predict --feed x="$work/x_test.npy" --output logits="$folder/logits.npy" --output class="$folder/class.npy"
}

# report NAME FOLDER JUDGE BOUND [NOTE]: compares two predictions.
report() {
  local accuracy difference others
  read -r accuracy difference others < <("$here/compare.py" "$2" "$3" "$work/y_test.npy")
  printf '%-8s accuracy %s, largest difference from the interpreter %s%s\n' "$1" "$accuracy" "$difference" "${5:-}"
  awk -v a="$accuracy" -v d="$difference" -v b="$4" -v o="$others" 'BEGIN { exit !(a >= 0.95 && d <= b && o == 0) }' ||
    { echo "error: $1: accuracy below 0.95, a difference above $4, or $others digits read as others" >&2; exit 1; }
  placements=$((placements + 1))
}

echo "== trained and served on the CPU"
cpu=$(module CPU:0)
train "$cpu" --save="$work/cpu"
predict "$work/cpu-judge" "$cpu" --interpret --restore="$work/cpu"
predict "$work/cpu-made" "$cpu" --restore="$work/cpu"
report CPU "$work/cpu-made" "$work/cpu-judge" 1e-4

echo "== input on the CPU, trained on a second one"
two=$(module CPU:1)
train "$two" --devices=CPU:0,CPU:1 --save="$work/two"
predict "$work/two-judge" "$two" --interpret --restore="$work/two"
predict "$work/two-made" "$two" --devices=CPU:0,CPU:1 --restore="$work/two"
report CPU+CPU "$work/two-made" "$work/two-judge" 1e-4

echo "== input on the CPU, trained on an emulated GPU"
gpu=$(module GPU:0)
train "$gpu" --devices=CPU:0,GPU:0 --emulate-gpu --save="$work/gpu"
predict "$work/gpu-judge" "$gpu" --interpret --restore="$work/gpu"
predict "$work/gpu-made" "$gpu" --devices=CPU:0,GPU:0 --emulate-gpu --restore="$work/gpu"
report CPU+GPU "$work/gpu-made" "$work/gpu-judge" 1e-4

echo "== what the GPU learned, on int8 on the accelerator"
mxu=$(module MXU:0)
quantize=(--restore="$work/gpu" --quantize="$work/samples.npz")
predict "$work/mxu-judge" "$mxu" --interpret "${quantize[@]}"
predict "$work/mxu-made" "$mxu" --devices=CPU:0,MXU:0 --soft-placement "${quantize[@]}" --profile-summary >"$work/summary.txt"
# The cycle model's share of multiplications that the array could have done.
utilisation=$(grep -o '[0-9.]* % of [0-9]* cycles' "$work/summary.txt")
report MXU "$work/mxu-made" "$work/mxu-judge" 0 ", utilisation $utilisation"

echo "same results on $placements placements"
