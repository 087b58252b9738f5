"""Colours for light and dark paper.

Series keep the hue order of Okabe and Ito, which people with any common colour blindness can tell
apart, darkened or lightened until each has a contrast of 3 with the paper (WCAG 2.2, 1.4.11);
text has 4.5 (1.4.3). A test computes both.
"""

from __future__ import annotations

from .markup import Markup, raw

LIGHT = {
    "paper": "#ffffff",
    "panel": "#f4f6f8",
    "ink": "#1a1f26",
    "quiet": "#545d68",
    "rule": "#d5dae0",
    "link": "#0a58a8",
    "focus": "#0a58a8",
    "mark": "#0a5f9e",
    "good": "#116b45",
    "bad": "#a8330a",
    "unsure": "#6b5200",
    "residual": "#b04400",
    "series-1": "#0068a8",
    "series-2": "#c04f00",
    "series-3": "#00805c",
    "series-4": "#a3498a",
    "series-5": "#936000",
    "series-6": "#1f83b8",
    "series-7": "#4a525c",
    "series-8": "#6a4fb0",
    "passes-0": "#ffffff",
    "passes-1": "#bcd9f0",
    "passes-2": "#6fabd8",
    "passes-3": "#2f7db8",
    "passes-4": "#0b3f6b",
}
DARK = {
    "paper": "#12161b",
    "panel": "#1b2128",
    "ink": "#e8ecf1",
    "quiet": "#a3adb8",
    "rule": "#38414b",
    "link": "#7ab8f5",
    "focus": "#7ab8f5",
    "mark": "#6cb2ea",
    "good": "#6fcf9c",
    "bad": "#ff9a76",
    "unsure": "#e3c463",
    "residual": "#ff9a57",
    "series-1": "#5aaef0",
    "series-2": "#f08a4b",
    "series-3": "#3fc79a",
    "series-4": "#e091c8",
    "series-5": "#e6b13d",
    "series-6": "#8fd0f5",
    "series-7": "#b3bcc6",
    "series-8": "#b19cf0",
    "passes-0": "#12161b",
    "passes-1": "#1d4468",
    "passes-2": "#3576ab",
    "passes-3": "#6cb2ea",
    "passes-4": "#d3eafc",
}
SERIES = 8

TEXT = ("ink", "quiet", "link", "good", "bad", "unsure")
GRAPHICS = ("mark", "residual", "focus", *(f"series-{i + 1}" for i in range(SERIES)))

# One hue a library, the same in every chart; other programs share what is left.
_OF_PATH = {
    "cpu": 1,
    "cryptography": 2,
    "cng": 3,
    "hashlib": 4,
    "pycryptodomex": 5,
    "cpu-ctypes": 6,
    "kernel": 7,
    "openssl": 8,
    "cng-kernel": 7,
    "cng-ctypes": 4,
}


def series_of(path: str) -> int:
    """Give the number of a path's colour."""
    return _OF_PATH.get(path) or sum(path.encode()) % SERIES + 1


def variables() -> Markup:
    """Write both palettes as CSS; paper that is printed is light."""
    light, dark = (
        "".join(f"--{name}:{colour};" for name, colour in palette.items())
        for palette in (LIGHT, DARK)
    )
    return raw(
        f":root{{color-scheme:light dark;{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
        "@media print{:root{color-scheme:light;}}\n"
    )
