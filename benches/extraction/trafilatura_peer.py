"""Reads {"id","url","html"} lines, writes {"id","text"} lines: Python trafilatura with its defaults."""
import json
import sys

import trafilatura

for line in sys.stdin:
    page = json.loads(line)
    text = trafilatura.extract(page["html"], url=page["url"] or None) or ""
    print(json.dumps({"id": page["id"], "text": text}), flush=True)
