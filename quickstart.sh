#!/usr/bin/env bash
# From a fresh machine to a trained network, compiled ahead of time.
#
#   ./quickstart.sh [options]
#
#   --quick       a fifth of the training; the networks end less accurate
#   --no-install  install no system packages
#   --help        show this
#
# Installs what is missing, builds Weir, and then for an MLP and a CNN that read
# handwritten digits (docs/examples/digits):
#
#   1. compiles the graph to an executable and trains it, with no Python and no
#      compiler in the process;
#   2. compiles the entry points `restore` and `predict` alone to a second
#      executable, which reads the checkpoint of the first and predicts;
#   3. does the training again from Python, compiled in memory, and checks that
#      it started from and ended with the same bits.
#
# What it makes is in build/quickstart.
set -euo pipefail
cd "$(dirname "$0")"

install=1 mlp_epochs=25 cnn_epochs=15 floor=97
while [ $# -gt 0 ]; do
  case $1 in
    --quick) mlp_epochs=5 cnn_epochs=3 floor=90 ;;
    --no-install) install= ;;
    -h | --help) sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "error: there is no option $1 (./quickstart.sh --help)" >&2; exit 1 ;;
  esac
  shift
done

bin=build/release/bin out=build/quickstart digits=docs/examples/digits
python=build/python/bin/python
mkdir -p "$out"
begin_all=$SECONDS

title() { printf '\n== %s\n' "$*"; }

# timed VARIABLE COMMAND...: runs it and sets VARIABLE to its seconds.
timed() {
  local variable=$1 begin=$EPOCHREALTIME
  shift
  "$@"
  printf -v "$variable" '%s' "$(awk "BEGIN { printf \"%.2f\", $EPOCHREALTIME - $begin }")"
}

# logged FILE COMMAND...: keeps what it prints, and shows it too.
logged() {
  local file=$1
  shift
  "$@" | tee "$file"
}

# The size of files, together.
kib() { stat -c %s "$@" | awk '{ bytes += $1 } END { printf "%d", (bytes + 1023) / 1024 }'; }

if [ -n "$install" ]; then
  title "1/5  What Weir is built with"
  scripts/install_dependencies.sh
fi
scripts/python_environment.sh build/python test/requirements-python.txt

title "2/5  Building Weir (minutes the first time)"
cmake --preset release >"$out/configure.log" 2>&1 || { cat "$out/configure.log" >&2; exit 1; }
cmake --build --preset release
$digits/make_data.py "$out"
train_set=x=$out/x_train.npy,y=$out/y_train.npy
test_set=x=$out/x_test.npy,y=$out/y_test.npy

declare -A row
# The number after the word accuracy in a log, in percent.
accuracy() { awk '{ for (i = 1; i < NF; ++i) if ($i == "accuracy") a = $(i + 1) } END { printf "%.2f", a * 100 }' "$1"; }

reached() { # MODEL WHAT PERCENT
  if awk "BEGIN { exit !($3 < $floor) }"; then
    echo "error: the $1 reached $3 % $2, less than the $floor % it should" >&2
    exit 1
  fi
}

ahead_of_time() { # MODEL EPOCHS
  local model=$1 epochs=$2 compile_s train_s predict_s
  title "$3/5  $model, ahead of time: compile, train $epochs epochs, predict with a second executable"
  timed compile_s $bin/weir-compile "$digits/$model.mlir" -o "$out/$model"
  $bin/weir-compile "$digits/$model.mlir" -o "$out/$model-predict" --entries=restore,predict
  "$out/$model" run init --save "$out/$model-init" >/dev/null
  timed train_s logged "$out/$model.log" "$out/$model" train --data "$train_set" --test "$test_set" \
    --epochs "$epochs" --batch 32 --seed 1 --save "$out/$model-model"
  timed predict_s logged "$out/$model-predict.log" \
    "$out/$model-predict" predict --restore "$out/$model-model" --data "$test_set"
  row[$model.compile]="$compile_s s"
  row[$model.size]="$(kib "$out/$model") KiB"
  row[$model.train]="$train_s s"
  row[$model.accuracy]="$(accuracy "$out/$model.log") %"
  row[$model.predict_size]="$(kib "$out/$model-predict") KiB"
  row[$model.predict]="$predict_s s"
  row[$model.restored]="$(accuracy "$out/$model-predict.log") %"
  row[$model.checkpoint]="$(kib "$out/$model-model".*) KiB"
  reached "$model" "ahead of time" "$(accuracy "$out/$model.log")"
  reached "$model" "after restoring" "$(accuracy "$out/$model-predict.log")"
}

same_bits() { # MODEL WHAT: compares what both ways saved
  if ! cmp -s "$out/$1-$2.data-00000-of-00001" "$out/$1-python-$2.data-00000-of-00001"; then
    echo "error: the $1 trained ahead of time and from Python differ ($2); they should be equal bit for bit" >&2
    exit 1
  fi
}

just_in_time() { # MODEL EPOCHS
  local model=$1 epochs=$2 seconds
  timed seconds logged "$out/$model-python.log" \
    env PYTHONPATH=build/release/python "$python" $digits/train.py "$digits/$model.mlir" --data "$out" \
    --epochs "$epochs" --batch 32 --seed 1 --save-init "$out/$model-python-init" --save "$out/$model-python-model"
  row[$model.python]="$seconds s"
  row[$model.python_accuracy]="$(accuracy "$out/$model-python.log") %"
  same_bits "$model" init
  same_bits "$model" model
  row[$model.same]="equal"
}

ahead_of_time mlp "$mlp_epochs" 3
ahead_of_time cnn "$cnn_epochs" 4
title "5/5  The same from Python, compiled in memory"
just_in_time mlp "$mlp_epochs"
just_in_time cnn "$cnn_epochs"

title "Result"
line() { printf '%-44s %14s %14s\n' "$1" "$2" "$3"; }
show() { line "$1" "${row[mlp.$2]}" "${row[cnn.$2]}"; }
line "" MLP CNN
show "compile to an executable" compile
show "executable that trains" size
show "training, whole process" train
show "  accuracy on the held-out fifth" accuracy
show "checkpoint" checkpoint
show "executable that predicts" predict_size
show "restore and predict 359 digits, whole process" predict
show "  accuracy" restored
show "Python: compile, train, whole process" python
show "  accuracy" python_accuracy
show "  variables, first and last, to ahead of time" same
printf '\nAll of it took %d:%02d minutes. Try: %s/mlp --help\n' \
  $(((SECONDS - begin_all) / 60)) $(((SECONDS - begin_all) % 60)) "$out"
