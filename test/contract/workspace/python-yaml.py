"""The runtime's side of the YAML tests: reads requests as JSON lines, answers with JSON lines.

Values travel as tagged text so that nothing is lost on the way: see `tagged`.
"""

import datetime
import json
import random
import sys

import yaml

sys.stdin.reconfigure(encoding="utf-8", errors="surrogatepass")
sys.stdout.reconfigure(encoding="utf-8", errors="surrogatepass")


def tagged(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"bool {str(value).lower()}"
    if isinstance(value, int):
        return f"int {value}"
    if isinstance(value, float):
        return f"float {value.hex()}"
    if isinstance(value, str):
        return f"str {value}"
    if isinstance(value, (datetime.date, datetime.datetime)):
        return "time"
    if isinstance(value, list):
        return [tagged(item) for item in value]
    if isinstance(value, dict):
        return {"map": [[tagged(key), tagged(item)] for key, item in value.items()]}
    return type(value).__name__


def read(text):
    try:
        return tagged(yaml.safe_load(text))
    except (yaml.YAMLError, ValueError):
        return "refused"


def written(value):
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True)


def random_value(chooser, texts, depth):
    kind = chooser.randrange(9 if depth > 0 else 6)
    if kind < 3:
        return chooser.choice(texts)
    if kind == 3:
        return chooser.randrange(-(10**6), 10**6)
    if kind == 4:
        return chooser.choice([None, True, False])
    if kind == 5:
        return chooser.uniform(-1, 1) * 10 ** chooser.randrange(-20, 25)
    if kind < 8:
        return {chooser.choice(texts): random_value(chooser, texts, depth - 1) for _ in range(chooser.randrange(4))}
    return [random_value(chooser, texts, depth - 1) for _ in range(chooser.randrange(4))]


def documents(seed, count, texts):
    """SESSIONS.md texts as the runtime writes them, with the ids and states they hold."""
    chooser = random.Random(seed)
    states = ["pending", "running", "succeeded", "preflight_checking", "failed"]
    for _ in range(count):
        sessions = []
        for index in range(chooser.randrange(5)):
            sessions.append(
                {
                    "session_id": chooser.choice([f"s_{index}", f"{index}", f"a b:{index}", f"rb-x-t0{index}", "yes" * (index + 1)]),
                    "task_description": chooser.choice(texts),
                    "status": chooser.choice(states),
                    "routing": {"adapter_overrides": {"x": random_value(chooser, texts, 2)}},
                    "result": {"status": chooser.choice(states), "metadata": random_value(chooser, texts, 3)},
                }
            )
        body = written({"version": "runtime_sessions_v1", "sessions": sessions})
        yield {
            "text": f"# Runtime Sessions\n\n```yaml\n{body}```\n",
            "sessions": [[each["session_id"], each["status"]] for each in sessions],
        }


for line in sys.stdin:
    request = json.loads(line)
    if "read" in request:
        answer = [read(text) for text in request["read"]]
    elif "write" in request:
        bodies = [written({"k": text, "l": [text], "m": {text: 1}}) for text in request["write"]]
        # What it reads back is not always what it wrote: U+0085 comes back as a blank.
        answer = [[body, read(body)] for body in bodies]
    else:
        answer = list(documents(request["seed"], request["documents"], request["texts"]))
    print(json.dumps(answer), flush=True)
