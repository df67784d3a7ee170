"""What data sets and their files are called: light, so that the window can ask."""

from pathlib import Path

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
"""What a data set's file may be called in a folder."""


def name_of(entry: str) -> str:
    """Return the name of a data set from its path: the file's, without its suffixes."""
    name = Path(entry).name
    for suffix in sorted(SUFFIXES, key=len, reverse=True):
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return name
