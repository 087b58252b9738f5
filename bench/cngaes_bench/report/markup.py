"""HTML and SVG as text in which everything that is not markup has been escaped."""

from __future__ import annotations

from html import escape

_VOID = frozenset({"meta", "link", "br", "hr", "input", "circle", "line", "path", "rect"})

Attribute = str | int | float | bool | None


class Markup(str):
    """Text that needs no more escaping: only `tag`, `join` and `raw` make it."""

    __slots__ = ()


Child = str | None


def tag(element: str, /, *children: Child, **attributes: Attribute) -> Markup:
    """Make an element. Plain `str` children are escaped, `Markup` ones are taken as they are.

    `class_` is class, `aria_label` is aria-label; None and False leave an attribute out.
    """
    words = [element]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        word = key.rstrip("_").replace("_", "-")
        words.append(word if value is True else f'{word}="{escape(_text(value))}"')
    head = " ".join(words)
    if element in _VOID and not children:
        return Markup(
            f"<{head}>" if element in ("meta", "link", "br", "hr", "input") else f"<{head}/>"
        )
    return Markup(f"<{head}>{join(*children)}</{element}>")


def join(*children: Child, between: str = "") -> Markup:
    """Put pieces one after another, escaping what is no markup."""
    pieces = (child for child in children if child is not None)
    return Markup(between.join(p if isinstance(p, Markup) else escape(p) for p in pieces))


def raw(text: str) -> Markup:
    """Take the text of a file of our own, such as the style sheet."""
    return Markup(text)


def script_json(text: str) -> Markup:
    """Make JSON that may stand inside a script element: no tag can begin or end in it."""
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def _text(value: str | float) -> str:
    """Write coordinates without the digits that nobody sees."""
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return str(value)
