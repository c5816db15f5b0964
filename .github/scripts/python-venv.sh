#!/usr/bin/env bash
# python-venv.sh NAME PACKAGE...: a virtual environment with these packages, kept under ~/.cache/rollout-bench; prints its python.
# Made anew when the list of packages is another one; half-made ones are never used.
set -euo pipefail
name=$1
shift
python=${PYTHON:-python3}
key=$(printf '%s\n' "$("$python" --version)" "$@" | sha256sum | cut -c1-12)
folder="${XDG_CACHE_HOME:-$HOME/.cache}/rollout-bench/$name-$key"
if [[ ! -e $folder/complete ]]; then
  rm -rf "$folder"
  "$python" -m venv "$folder" >&2
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@" >&2
  touch "$folder/complete"
fi
echo "$folder/bin/python"
