"""Trials on a Dask cluster (an optional extra)."""
