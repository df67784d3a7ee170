"""A report of a run: one HTML file with its pictures inside, without scripts or network."""
