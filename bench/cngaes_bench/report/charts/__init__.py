"""The pictures of a report: one file a kind, each made of the numbers in the JSON alone."""
