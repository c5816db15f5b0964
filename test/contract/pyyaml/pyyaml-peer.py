"""The runtime's YAML reader as an oracle: a JSON list of texts in each line, a JSON list of answers out.

An answer is {"value": tagged} or {"refused": message, "line": n, "column": n}; line and column start at 1 and are null
when the error carries none (a ValueError of a date, a KeyError of a boolean, an exhausted call stack).
"""

import datetime
import json
import re
import sys

import yaml

BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


class Tagger:
    """Values as JSON that keeps kinds apart; a container that was seen before is its number."""

    def __init__(self):
        self.seen = {}

    def tagged(self, value):
        if value is None:
            return "null"
        if isinstance(value, bool):
            return f"bool {str(value).lower()}"
        if isinstance(value, int):
            return f"int {value:x}"
        if isinstance(value, float):
            return f"float {value.hex()}"
        if isinstance(value, str):
            return f"str {value}"
        if isinstance(value, datetime.date):
            return f"time {value.isoformat()}"
        if isinstance(value, bytes):
            return f"bytes {value.hex()}"
        if id(value) in self.seen and not isinstance(value, tuple):
            return f"seen {self.seen[id(value)]}"
        self.seen[id(value)] = len(self.seen)
        if isinstance(value, dict):
            return {"map": [[self.tagged(key), self.tagged(item)] for key, item in value.items()]}
        if isinstance(value, set):
            return {"set": sorted(self.tagged(item) for item in value)}
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [self.tagged(item) for item in value]}


def message_of(error):
    parts = [error.context, error.problem]
    return ": ".join(part for part in parts if part is not None)


def answer(text):
    try:
        return {"value": Tagger().tagged(yaml.safe_load(text))}
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        return {"refused": message_of(error), "line": mark.line + 1, "column": mark.column + 1}
    except yaml.reader.ReaderError as error:
        line = 1 + len([each for each in BREAK.finditer(text) if each.end() <= error.position])
        return {"refused": "unprintable", "line": line, "column": None}
    except Exception as error:
        return {"refused": f"{type(error).__name__}: {error}", "line": None, "column": None}


print(json.dumps({"version": yaml.__version__}), flush=True)
for request in sys.stdin:
    print(json.dumps([answer(text) for text in json.loads(request)]), flush=True)
