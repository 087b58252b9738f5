"""Takes a call apart: each term is predicted by a probe of its own, and the sum can fail."""
