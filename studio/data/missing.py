"""Markers of missing cells, common to all readers.

The words are the default missing values of ``pandas.read_csv``, and those of UCI files and
databases. Cells are stripped before the comparison.
"""

from studio.arrays import Integers

MIN_NUMERIC_SHARE = 0.95
"""Minimum share of numbers among the filled cells of a numeric column."""

_MAX_MISSING_WORDS, _MIN_NUMBERS = 2, 10
"""Maximum number of distinct words for "missing", and minimum number of distinct numbers in the
same column.
"""

PANDAS_TOKENS: tuple[str, ...] = (
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
)  # fmt: skip
"""The default ``na_values`` of ``pandas.read_csv`` (a test compares them with pandas' own)."""

ERRORS: frozenset[str] = frozenset(  # in English, German, French, Spanish, Italian, Dutch, …
    (
        *("#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"),
        *("#WERT!", "#BEZUG!", "#ZAHL!", "#NV", "#VALEUR!", "#NOMBRE!", "#N/D", "#N/DISP"),
        *("#¡DIV/0!", "#¡VALOR!", "#¡REF!", "#¡NUM!", "#VALOR!", "#VALORE!", "#RIF!", "#N/V"),
        *("#DEEL/0!", "#WAARDE!", "#VERW!", "#GETAL!", "#N/B", "#DZIEL/0!", "#ARG!", "#ADR!"),
        *("#LICZBA!", "#ДЕЛ/0!", "#ЗНАЧ!", "#ССЫЛКА!", "#ЧИСЛО!", "#Н/Д", "#####", "########"),
    )
)

_PROGRAM_TOKENS = (
    "?", "\\N", *(f"{a}{word}{b}" for a, b in ("()", "[]", "<>") for word in ("null", "NULL")),
    "(blank)", "(empty)",
)  # fmt: skip
"""Markers of UCI's files, databases and spreadsheets."""

MISSING_TOKENS: frozenset[str] = ERRORS | {*PANDAS_TOKENS, *_PROGRAM_TOKENS}
"""Markers of missing cells in numeric and date columns."""

CLASS_WORDS: frozenset[str] = frozenset(("None", "NA"))
"""Markers that may be classes or categories: none planned, Namibia, North America."""

WORD_TOKENS: frozenset[str] = MISSING_TOKENS - CLASS_WORDS
"""Markers of missing cells in columns of words."""

SIGN_TOKENS: frozenset[str] = frozenset((".", "-", "--", "---", "\u2013", "\u2014"))
"""Markers of missing cells in columns of words without signs, such as + for positive."""

NUMBER_FILLERS: frozenset[str] = frozenset(
    (
        *(".", "-", "--", "---", "…", "...", ":", "*", "/", "x", "\u2013", "\u2014", "\u2212"),
        *("n.a.", "N.A.", "n/d", "nd", "ND", "N/D", "na", "Na", "none", "NONE", "(none)"),
        *("n. a.", "N. A.", "n.d.", "N.D.", "n.b.", "n. b.", "n.n.", "n. n."),
        *("k.A.", "k. A.", "keine Angabe", "n. v.", "n.v.", "s/d", "unknown", "Unknown", "UNKNOWN"),
        *("missing", "Missing", "MISSING", "tbd", "TBD"),
        *("not available", "Not available", "[c]", "[e]", "[low]", "[u]", "[w]", "[x]", "[z]"),
        *(f":{gap}{flag}" for gap in ("", " ") for flag in "cnuz"),  # Eurostat's flags
        *("NIL", "nil", "Null", "NAN", "Nan", "void", "undefined", "empty", "blank"),
    )
)
"""Further words for a missing number.

In a column of numbers every cell that is not a number is missing anyway; these words merely do not
count against numbers, and cause no warning. Among categories they are labels.
"""


def is_mostly_valid(readable: Integers, words: Integers, share: float = MIN_NUMERIC_SHARE) -> bool:
    """Whether a column is numeric or of dates despite some other cells.

    One or two repeated words among many distinct others mean "missing".

    Args:
        readable, words: Shape (k,), (m,). Rows of each distinct number or date, and of each other
            distinct cell.
        share: The share of rows that suffices.
    """
    n_readable, n_words = int(readable.sum()), int(words.sum())
    if len(readable) >= _MIN_NUMBERS and n_words < n_readable:
        n_words -= sum(n for n in sorted(words.tolist())[-_MAX_MISSING_WORDS:] if n > 1)
    return n_readable > 0 and n_readable >= share * (n_readable + n_words)
