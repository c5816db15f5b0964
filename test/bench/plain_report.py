"""A plain report script: PyYAML's C loader, json and statistics on the raw files of a run
(or on SESSIONS.md, LOG.md and the artifacts of a workspace), and a Markdown table.

It is the yardstick of collect-report.bench.ts: it reads the same files and finds the same rates, without hashing,
sealing, checking cells, CSV, JUnit or recomputation.
"""

import json
import math
import os
import resource
import statistics
import sys
import time

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return yaml.load(file, Loader=LOADER)


def load_json(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def wilson(k, n, z=1.959963985):
    if n == 0:
        return None
    p = k / n
    scale = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / scale
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / scale
    return centre - half, centre + half


def load_block(path):
    """The YAML between the fences of a runtime document."""
    with open(path, encoding="utf-8") as file:
        return yaml.load(file.read().split("```yaml\n")[1].split("\n```")[0], Loader=LOADER)


def read_raw(bundle):
    raw = os.path.join(bundle, "raw")
    for name in sorted(os.listdir(raw)):
        folder = os.path.join(raw, name)
        session = load_yaml(os.path.join(folder, "session.yaml"))[0]
        log = load_yaml(os.path.join(folder, "log.yaml"))
        yield row_of(name, session, log and log[name], load_json(os.path.join(folder, "episode.json")))


def read_workspace(workspace):
    logs = load_block(os.path.join(workspace, "LOG.md"))["sessions"]
    for session in load_block(os.path.join(workspace, "SESSIONS.md"))["sessions"]:
        name = session["session_id"]
        episode = load_json(os.path.join(workspace, "artifacts", "runtime", name, "episode.json"))
        yield row_of(name, session, logs.get(name), episode)


def row_of(session_id, session, log, episode):
    benchmark = (episode or {}).get("benchmark")
    status = session["status"]
    if log is not None and log["status"] == "timed_out":
        status = "timed_out"
    return {
        "session_id": session_id,
        "status": status,
        "task": benchmark and benchmark["task_id"],
        "success": benchmark and benchmark["success"],
        "steps": benchmark and benchmark["target_step_index"],
        "return": benchmark and benchmark["total_reward"],
        "latency": ((episode or {}).get("policy_latency_ms") or {}).get("mean"),
        "code": session["result"].get("error_code"),
    }


def main(kind, folder, out):
    started = time.perf_counter()
    rows = list(read_raw(folder) if kind == "raw" else read_workspace(folder))
    done = [row for row in rows if row["success"] is not None]
    tasks = {}
    for row in done:
        tasks.setdefault(row["task"], []).append(row)
    lines = ["# Report", "", "| task | success | 95 % | steps | return |", "| --- | --- | --- | --- | --- |"]
    for task, members in sorted(tasks.items()):
        good = [row for row in members if row["success"]]
        low, high = wilson(len(good), len(members))
        steps = statistics.median(row["steps"] for row in good) if good else None
        returns = statistics.mean(row["return"] for row in members)
        lines.append(f"| {task} | {len(good)}/{len(members)} | {low:.3f}-{high:.3f} | {steps} | {returns:.3f} |")
    good = sum(1 for row in done if row["success"])
    lines.append(f"| all | {good}/{len(done)} | {wilson(good, len(done))} | {statistics.mean(row['steps'] for row in done):.1f} | |")
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "report.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    with open(os.path.join(out, "episodes.jsonl"), "w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")
    seconds = time.perf_counter() - started
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu = used.ru_utime + used.ru_stime
    answer = f"{good}/{len(done)}"
    print(json.dumps({"answer": answer, "seconds": seconds, "cpuSeconds": cpu, "peakMb": used.ru_maxrss / 1024}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3])
