"""The benchmark suite of cngaes: every way to do a case, measured side by side."""
