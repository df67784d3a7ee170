"""Columns that carry much of the same information."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ColumnGroups:
    """Groups of columns, each pair of which shares at least half of its information.

    Attributes
    ----------
    names : tuple of str, length d
        The columns.
    groups : tuple of tuple of int
        Two or more column numbers each, ascending; no column is in two of them.
    compared : int
        How many of the columns were compared, the first.
    """

    names: tuple[str, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    compared: int = 0
