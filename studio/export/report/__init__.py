"""A report of a run: one HTML file with embedded figures, without scripts or network."""
