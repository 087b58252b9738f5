"""Timed loops around a Python statement, made the way `timeit` makes them.

The names of the statement are local variables of the loop and the loop is unrolled, so that
its own cost is below a nanosecond a call. A closure around every call would cost 30.
"""

from __future__ import annotations

from functools import cache
from itertools import repeat
from time import perf_counter_ns
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_UNROLL = 16
_TEMPLATE = """\
def loop({parameters}):
    out = None
    _many, _few = divmod(_loops, {unroll})
    _start = _clock()
    for _ in _repeat(None, _many):
        {many}
    for _ in _repeat(None, _few):
        {few}
    return _clock() - _start, out
"""


@cache
def compile_loop(
    statement: str, names: tuple[str, ...]
) -> Callable[[int, Mapping[str, object]], tuple[int, object]]:
    """Make a loop over `statement`: expressions joined by `; `, the last one gives the output.

    Each output but the last is released inside the clock, as it would be in a program.
    """
    *before, last = statement.split("; ")
    few = "; ".join([*before, f"out = {last}"])
    many = "; ".join([few] * _UNROLL)
    parameters = ", ".join(["_loops", "_clock", "_repeat", *names])
    scope: dict[str, Callable[..., tuple[int, object]]] = {}
    source = _TEMPLATE.format(parameters=parameters, unroll=_UNROLL, many=many, few=few)
    exec(source, {}, scope)  # our own text, never a user's
    compiled = scope["loop"]

    def loop(loops: int, values: Mapping[str, object]) -> tuple[int, object]:
        return compiled(loops, perf_counter_ns, repeat, **values)

    return loop


def evaluate(expression: str, names: Mapping[str, object]) -> object:
    """Make the object that an expression of a statement makes, outside the clock."""
    result: object = eval(expression, {}, dict(names))
    return result
