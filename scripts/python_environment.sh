#!/usr/bin/env bash
# Makes a Python environment, or reuses it when its requirements are the same.
#
#   scripts/python_environment.sh DIRECTORY REQUIREMENTS.txt
set -euo pipefail
if [ $# -ne 2 ]; then
  sed -n '2,4s/^# \{0,1\}//p' "$0" >&2
  exit 1
fi
directory=$1 requirements=$2
python=${WEIR_PYTHON:-/usr/bin/python3}
mkdir -p "$(dirname "$directory")"
# One at a time: test.sh and quickstart.sh may run side by side.
exec 9>"$directory.lock"
flock 9
stamp=$({ "$python" --version; cat "$requirements"; } | sha256sum | cut -d' ' -f1)
if [ -x "$directory/bin/python" ] && [ "$(cat "$directory/.requirements" 2>/dev/null)" = "$stamp" ]; then
  echo "python: $directory is there"
  exit 0
fi
echo "python: making $directory ($(grep -vc '^#' "$requirements") packages and what they need)"
"$python" -m venv --clear "$directory"
# The index may be away for a moment.
for pause in 5 20 60 0; do
  "$directory/bin/python" -m pip install --quiet --disable-pip-version-check --retries 5 -r "$requirements" && break
  [ "$pause" != 0 ] || { echo "error: pip could not install $requirements; the lines above say why" >&2; exit 1; }
  echo "python: pip failed; again in $pause s"
  sleep "$pause"
done
echo "$stamp" >"$directory/.requirements"
