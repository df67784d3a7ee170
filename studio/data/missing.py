"""Markers of missing cells, the same for all readers.

The words are those that ``pandas.read_csv`` takes for missing by default, and those of the UCI
files and of databases. Cells are compared after blanks around them are taken off.
"""

from studio.arrays import Integers

READABLE = 0.95
"""A column in which at least this share of the filled cells are numbers is one of numbers."""

_FEW_WORDS, _MANY_OTHERS = 2, 10
"""Different words that mean "missing" at most, and different numbers beside them at least."""

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

ERRORS: frozenset[str] = frozenset(
    (
        *("#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"),
        *("#WERT!", "#BEZUG!", "#ZAHL!", "#VALEUR!", "#NOMBRE!", "#####", "########"),
    )
)
"""Errors of Excel."""

MISSING_TOKENS: frozenset[str] = ERRORS | {*PANDAS_TOKENS, "?", "\\N", "(null)"}
"""Cells with one of these words hold nothing in a column of numbers or dates."""

CLASS_WORDS: frozenset[str] = frozenset(("None", "NA"))
"""Of these, those that may be a class or a category: nothing is planned, Namibia, North America."""

WORD_TOKENS: frozenset[str] = MISSING_TOKENS - CLASS_WORDS
"""Cells with one of these words hold nothing in a column of words."""

NUMBER_FILLERS: frozenset[str] = frozenset(
    (
        *(".", "-", "--", "---", "…", "...", ":", "*", "/", "x", "\u2013", "\u2014", "\u2212"),
        *("n.a.", "N.A.", "n/d", "nd", "ND", "N/D", "na", "Na", "none", "NONE", "(none)", "(NULL)"),
        *("k.A.", "k. A.", "keine Angabe", "n. v.", "n.v.", "s/d", "unknown", "Unknown", "UNKNOWN"),
        *("missing", "Missing", "MISSING", "tbd", "TBD", "[null]"),
        *("not available", "Not available"),
        *("NIL", "nil", "Null", "NAN", "Nan", "void", "undefined", "empty", "(empty)", "blank"),
    )
)
"""Further words where a number is missing.

In a column of numbers every cell that is not a number is missing anyway; these ones only do not
count as evidence against numbers, and are not warned about. Among categories they are labels.
"""


def are_enough(readable: Integers, words: Integers, share: float = READABLE) -> bool:
    """Whether cells are a column of numbers or dates although some are not.

    One or two words that come again among many different others mean "missing".

    Args:
        readable: Shape (k,), int64. The rows of each different number or date.
        words: Shape (m,), int64. The rows of each other cell.
        share: The share of the rows that is enough.
    """
    n_readable, n_words = int(readable.sum()), int(words.sum())
    if len(readable) >= _MANY_OTHERS and n_words < n_readable:
        n_words -= sum(n for n in sorted(words.tolist())[-_FEW_WORDS:] if n > 1)
    return n_readable > 0 and n_readable >= share * (n_readable + n_words)
