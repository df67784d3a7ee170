"""Cells of a study on the workers of a Dask scheduler (an optional extra)."""
