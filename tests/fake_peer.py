"""A peer that misbehaves on demand: `python fake_peer.py FAULT QUESTION [PIDFILE]`.

It does SHA-256 as the path `fake`, like a good peer, until QUESTION comes; then it does FAULT. With
a PIDFILE it first starts a child of its own, and writes both process numbers into it. It shares no
code with the suite: it is written after docs/peers.md.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

RUBBISH = {
    "prose": "I would rather not",
    "number": "17",
    "list": '[{"ns": 1}]',
    "half": '{"ns": ',
    "empty": "",
    "nothing": "{}",
    "binary": "\x00\x01",
    "nested": "[" * 60_000,
    "true-ns": '{"ns": true}',
    "negative-ns": '{"ns": -1}',
    "fraction-ns": '{"ns": 1.5}',
    "huge-ns": '{"ns": 4000000000000000000}',
    "bad-extras": '{"ns": 1, "extras": {"page faults": 1}}',
    "list-extras": '{"ns": 1, "extras": {"page_faults": [1]}}',
    "infinite-extras": '{"ns": 1, "extras": {"page_faults": Infinity}}',
    "short-hex": '{"ok": {"first8": "00", "last16": "00", "sha256": "00"}}',
    "text-ok": '{"ok": "yes"}',
    "no-name": '{"name": "", "version": "1", "arch": "none", "paths": []}',
    "no-paths": '{"name": "fake", "version": "1", "arch": "none", "paths": "fake/new"}',
    "bad-path": '{"name": "fake", "version": "1", "arch": "none", "paths": ["fake/sideways"]}',
}


class Good:
    """Answers as it should."""

    def __init__(self) -> None:
        self.message = b""
        self.digest = b""

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        if "hello" in question:
            offers = ["fake/new"]
            return {"name": "fake", "version": "1", "arch": "none", "paths": offers}
        if "prepare" in question:
            return self.prepare(question["prepare"])
        if "run" in question:
            start = time.perf_counter_ns()
            for _ in range(question["run"]):
                self.digest = hashlib.sha256(self.message).digest()
            return {"ns": time.perf_counter_ns() - start, "extras": {"rest": 0}}
        return self.fingerprint()

    def prepare(self, cell: dict[str, Any]) -> dict[str, Any]:
        name, _, size = cell["case"].split("/")
        if name != "sha256" or cell["placement"] != "new":
            return {"unsupported": f"no {name} {cell['placement']}"}
        self.message = random_message(1024 if size == "1KiB" else int(size.removesuffix("B")))
        self.digest = hashlib.sha256(self.message).digest()
        return self.fingerprint() | {"details": {"statement": "sha256"}}

    def fingerprint(self) -> dict[str, Any]:
        found = {
            "first8": self.digest[:8].hex(),
            "last16": self.digest[-16:].hex(),
            "sha256": hashlib.sha256(self.digest).hexdigest(),
        }
        return {"ok": found}


def random_message(size: int) -> bytes:
    state, out = 1123581321, bytearray()
    for _ in range(64 + size):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        out.append(state & 0xFF)
    return bytes(out[64:])


def misbehave(fault: str, answer: dict[str, Any]) -> str:
    """Do it; the result is printed as the answer."""
    if fault == "die":
        sys.exit("out of luck")
    if fault == "crash":
        os.abort()
    if fault == "hang":
        time.sleep(600)
    if fault == "close":
        os.close(1)
        time.sleep(600)
    if fault == "endless":
        while True:
            sys.stdout.write("x" * 65536)
    if fault == "error":
        return '{"error": "no luck today"}'
    if fault.startswith("wrong-"):
        field = fault.removeprefix("wrong-")
        answer["ok"][field] = answer["ok"][field][::-1]
    if fault == "twice":
        return json.dumps(answer) + "\n" + json.dumps(answer)
    return RUBBISH.get(fault, json.dumps(answer))


def main() -> None:
    """Serve."""
    fault, moment, *rest = sys.argv[1:]
    if rest:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(rest[0]).write_text(f"{os.getpid()} {child.pid}", encoding="ascii")
    peer = Good()
    for line in sys.stdin:
        question = json.loads(line)
        [word] = question
        if word == "quit" and moment != "quit":
            return
        answer = {} if word == "quit" else peer.answer(question)
        print(misbehave(fault, answer) if word == moment else json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
