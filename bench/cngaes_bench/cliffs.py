"""Find where one more byte costs too much, at every size from 0 to 4,096 bytes.

A cliff is a step of more than 25 % between neighbours that is no border of the mode's blocks: the
first byte of a block, its last one, or for SHA-256 the byte for which padding needs a block more.
What looks like one is measured again, both neighbours in turn, before it is believed.
"""

from __future__ import annotations

import random
import statistics
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import cngaes
from cngaes import AESCBC, AESCTR, AESECB, AESGCM

from .document import Document, Section, Table, to_markdown
from .machine import cpu_name, load_warning
from .report.markup import Markup, join, raw, tag
from .report.palette import LIGHT
from .report.scales import Linear
from .targets import table_options, table_parser

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST = 4096
STEP = 1.25
TAG, BLOCK, SHA_BLOCK = 16, 16, 64
_LEAST = 20e-6  # seconds a value


@dataclass(frozen=True, slots=True)
class Mode:
    """A call at any size."""

    name: str
    prepare: Callable[[bytes], Callable[[], object]]
    every: int = 1  # sizes are multiples of it
    block: int = BLOCK
    border: int = 0  # a block more from this size on, modulo `block`

    def is_border(self, size: int) -> bool:
        """Whether the step from the size before to this one is one of the mode's own."""
        return self.every > 1 or (size - self.border) % self.block in (0, 1)


def _gcm_decrypt(aead: AESGCM, data: bytes) -> Callable[[], object]:
    sealed = aead.encrypt(bytes(12), data, None)
    return partial(aead.decrypt, bytes(12), sealed, None)


def _cbc_decrypt(cbc: AESCBC, data: bytes) -> Callable[[], object]:
    return partial(cbc.decrypt, bytes(16), cbc.encrypt(bytes(16), data))


def modes() -> list[Mode]:
    """One-shot calls of every mode; AES-256."""
    key, iv = bytes(range(32)), bytes(16)
    gcm, ctr, ecb, cbc = AESGCM(key), AESCTR(key), AESECB(key), AESCBC(key)
    return [
        Mode("GCM encrypt", lambda data: partial(gcm.encrypt, bytes(12), data, None)),
        Mode("GCM decrypt", partial(_gcm_decrypt, gcm)),
        Mode("CTR", lambda data: partial(ctr.encrypt, iv, data)),
        Mode("ECB encrypt", lambda data: partial(ecb.encrypt, data), every=BLOCK),
        Mode("ECB decrypt", lambda data: partial(ecb.decrypt, data), every=BLOCK),
        Mode("CBC encrypt", lambda data: partial(cbc.encrypt, iv, data)),
        Mode("CBC decrypt", partial(_cbc_decrypt, cbc)),
        # 0x80 and eight bytes of length must fit behind the message (FIPS 180-4 section 5.1.1).
        Mode("SHA-256", lambda data: partial(cngaes.sha256_digest, data), block=SHA_BLOCK,
             border=SHA_BLOCK - 9),
        Mode("HMAC-SHA-256", lambda data: partial(cngaes.hmac_sha256, key, data), block=SHA_BLOCK,
             border=SHA_BLOCK - 9),
    ]  # fmt: skip


def value(call: Callable[[], object], loops: int) -> float:
    """Seconds a call."""
    times = range(loops)
    begun = perf_counter()
    for _ in times:
        call()
    return (perf_counter() - begun) / loops


def loops_for(call: Callable[[], object]) -> int:
    """Choose how many calls take long enough for the clock."""
    return max(1, round(_LEAST / max(1e-9, min(value(call, 1) for _ in range(3)))))


def measure(mode: Mode, most: int, rounds: int) -> dict[int, float]:
    """Seconds at every size, the best of the rounds; sizes in another order in each."""
    data = random.Random(3).randbytes(most)
    sizes = list(range(0, most + 1, mode.every))
    calls = {size: mode.prepare(data[:size]) for size in sizes}
    loops = {size: loops_for(call) for size, call in calls.items()}
    best = dict.fromkeys(sizes, float("inf"))
    chance = random.Random(4)
    for _ in range(rounds):
        for size in chance.sample(sizes, len(sizes)):
            best[size] = min(best[size], value(calls[size], loops[size]))
    return best


def again(mode: Mode, size: int, rounds: int) -> float:
    """Measure a step once more: both neighbours in turn, the median of their ratios."""
    data = random.Random(3).randbytes(size)
    below, above = mode.prepare(data[: size - 1]), mode.prepare(data)
    loops = 4 * loops_for(above)
    return statistics.median(
        value(above, loops) / value(below, loops) for _ in range(8 * rounds + 1)
    )


def cliffs(
    mode: Mode, seconds: dict[int, float], check: Callable[[Mode, int], float]
) -> list[tuple[int, float]]:
    """Sizes whose step from their neighbour, up or down, is too high, with its ratio."""
    found = []
    for size in sorted(seconds):
        if size == 0 or mode.is_border(size) or size - 1 not in seconds:
            continue
        step = seconds[size] / seconds[size - 1]
        if max(step, 1 / step) > STEP:
            step = check(mode, size)
            if max(step, 1 / step) > STEP:
                found.append((size, step))
    return found


def plot(measured: dict[str, dict[int, float]]) -> Markup:
    """Draw nanoseconds over the size, a panel for each mode, as a file of its own."""
    width, height, left, foot = 760, 190, 60, 34
    panels = []
    for row, (name, seconds) in enumerate(measured.items()):
        top = row * height
        x = Linear.over(seconds, left, width - 10)
        y = Linear.over([t * 1e9 for t in seconds.values()], top + height - foot, top + 24)
        points = " ".join(f"{x(n):.1f},{y(t * 1e9):.1f}" for n, t in sorted(seconds.items()))
        lines = [
            join(tag("line", x1=left, x2=width - 10, y1=y(v), y2=y(v), stroke=LIGHT["rule"]),
                 tag("text", text, x=left - 6, y=y(v) + 4, text_anchor="end", fill=LIGHT["quiet"]))
            for v, text in y.ticks()
        ]  # fmt: skip
        marks = [
            tag("text", text, x=x(v), y=top + height - foot + 16, text_anchor="middle",
                fill=LIGHT["quiet"])
            for v, text in x.ticks()
        ]  # fmt: skip
        panels.append(
            join(
                tag("text", f"{name}, ns a call", x=left, y=top + 14, fill=LIGHT["ink"]),
                *lines,
                *marks,
                tag("polyline", points=points, fill="none", stroke=LIGHT["series-1"]),
            )
        )
    tall = height * len(measured)
    return tag("svg", tag("rect", width=width, height=tall, fill=LIGHT["paper"]), *panels,
               xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {tall}",
               font_family="sans-serif", font_size=11)  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the cliffs, draw the curves; 1 if there is a cliff."""
    parser = table_parser(__doc__, quick="sizes to 300 bytes, one round")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw the curves there")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    given = table_options(parser, argv)
    if given.svg is not None and given.svg.exists() and not given.force:
        parser.error(f"{given.svg} exists already; --force replaces it")
    warning = load_warning()
    most, rounds = (300, 1) if given.quick else (MOST, given.rounds)
    rows, measured, total = [], {}, 0
    for mode in modes():
        seconds = measured[mode.name] = measure(mode, most, rounds)
        found = cliffs(mode, seconds, lambda m, n: again(m, n, rounds))
        total += len(found)
        text = ", ".join(f"{n - 1} to {n}: {step:.2f}" for n, step in found) or "none"
        ends = (f"{seconds[n] * 1e9:.0f}" for n in (0, 16, 256, max(seconds) // 256 * 256))
        rows.append((mode.name, str(len(seconds)), *ends, text))
    columns = ("call", "sizes", "0 B, ns", "16 B", "256 B", f"{most // 256 * 256} B", "cliffs")
    note = (
        f"{cpu_name()}; AES-256 by {AESGCM(bytes(32)).kernel}, SHA-256 by "
        f"{cngaes.sha256().kernel}. A cliff: more than {STEP - 1:.0%} between neighbours, "
        f"both ways, but for borders of blocks; the best of {rounds} rounds, measured again."
    )
    table = Table(columns, rows, words=1)
    text = to_markdown(Document("Every size", [Section("Cliffs", table, [note])]))
    sys.stdout.write(text)
    if given.md:
        given.md.write_text(text, encoding="utf-8", newline="\n")
    if given.svg:
        given.svg.write_text(plot(measured) + raw("\n"), encoding="utf-8", newline="\n")
    if warning:
        print(f"CAUTION: {warning}", file=sys.stderr)
    return 0 if total == 0 or given.quick else 1
