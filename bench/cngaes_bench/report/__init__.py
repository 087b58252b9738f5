"""`python -m cngaes report`: results as a page of HTML, as Markdown and as CSV."""
