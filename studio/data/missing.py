"""What counts as a missing cell, wherever a table is read.

The words are exactly those that ``pandas.read_csv`` takes for missing by default, so that a cell is
missing whether pandas reads a column with its default types or all as text, plus the question mark
of the UCI files. Cells are compared after blanks around them are taken off.
"""

PANDAS_TOKENS: tuple[str, ...] = (
    "",
    "#N/A",
    "#N/A N/A",
    "#NA",
    "-1.#IND",
    "-1.#QNAN",
    "-NaN",
    "-nan",
    "1.#IND",
    "1.#QNAN",
    "<NA>",
    "N/A",
    "NA",
    "NULL",
    "NaN",
    "None",
    "n/a",
    "nan",
    "null",
)
"""The default ``na_values`` of ``pandas.read_csv`` (a test compares them with pandas' own)."""

MISSING_TOKENS: frozenset[str] = frozenset((*PANDAS_TOKENS, "?"))
"""Cells with one of these words hold nothing, in columns of any kind."""

NUMBER_FILLERS: frozenset[str] = frozenset((".", "-", "--", "…", "n.a.", "n/d", "nd", "ND", "N.A."))
"""Further words that people write where a number is missing.

In a column of numbers every cell that is not a number is missing anyway; these ones only do not
count as evidence against numbers, and are not warned about. Among categories they are labels.
"""
