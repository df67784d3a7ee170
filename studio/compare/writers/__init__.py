"""Ways of writing a table of results: Markdown, LaTeX, CSV."""
