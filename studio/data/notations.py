"""Notations around numbers (units, signs, percent), and their removal.

Each notation is one entry of :data:`NOTATIONS`: the cells that show it, and (pattern, replacement)
pairs for :func:`re.sub`. A column's :class:`studio.data.numbers.NumberFormat` lists those used by
its cells, and applies their pairs in the order of this table, here as well as in the exported
pickle and the Python estimators.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio.currencies import CURRENCIES, is_currency_sign
from studio.phrases import phrase

Pair = tuple[str, str]

MINUS = "\u207b\u2212\u2010\u2011\u2012\u2013\u2014\ufe63\uff0d\u25b3\u25bc↓"
"""Signs and dashes used as a minus, the triangles △ and ▼ of accounts, and ↓."""

UP, DOWN = "▲↑", "▼↓"
"""Signs for an increase, used as a minus in some accounts, and for a decrease."""

APPROXIMATELY = (
    r"ca\.?|circa|c\.|approx(?:\.|imately)?|about|around|etwa|ungef[äa]hr|environ|env\.|aprox\.?"
    r"|[~≈±]|\+/-"
)
"""Signs of approximate numbers and of margins of error."""

BOUND = (
    r"(?i:(?:ND\s*)?[<>≤≥]=?\s*(?:\(?(?:L?LO[DQ]|[MRI]?DL|[MEP]?[RQ]L)\)?[\s:=]*)?"
    r"|(?:LT|GT|LE|GE|(?:less|greater|more)\s+than)[\s:=]*(?=[0-9.,])"
    r"|(?:ab|bis(?:\szu)?|from|up\sto|starting\sat|à\spartir\sde|dès|desde|hasta|od|do|vanaf)"
    r"\s+(?=[£$€¥₹]\s?[0-9]|[0-9][0-9.,\s]*(?:[£$€¥₹]|EUR|USD|CHF|PLN|zł)))"
)
"""Prefixes of limits: <, < LOD, LT, less than, and those of amounts of money: from, ab."""

TERMS_OF_SALE = (
    r"\s+(?i:VB|VHB|FP|Festpreis|Verhandlungsbasis|o\.?n\.?o\.?|o\.?b\.?o\.?|neg(?:otiable)?\.?"
    r"|firm)$"
)
"""Remarks after prices in advertisements, such as VB for negotiable."""

FOOTNOTE = (
    r"\s*\[(?i:notes?\s)?[0-9A-Za-z]{1,3}\]|\s*\([A-Za-z]{1,2}\)|(?<=\S)\s+[1-9][0-9]?\)|(?<=[0-9g%€$£])\s?[¹²³⁴-⁹]+⁾?|\s*[*†‡]"
    r"|(?<=[^\W0-9])\s?[¹⁴-⁹]+⁾?"
    r"|\s*\((?i:est(?:imate[ds]?)?|prov(?:isional)?|prel(?:im(?:inary)?)?|rev(?:ised)?|approx"
    r"|forecast|gesch(?:ätzt)?|vorl(?:äufig)?|provisoire|estimé)\.?\)"
)
"""Footnote marks such as [1], 1), (p), (est.), ¹ and * after a number and its unit."""

JSON_DATE = r"/Date\((-?[0-9]+)(?:[+-][0-9]{4})?\)/"
"""Dates of .NET in JSON: milliseconds since 1970."""

_NUMBER = r"[0-9.,]"

_MAX_REMARK_LETTERS = 2
"""Maximum letters of a remark, such as "p" for provisional."""

_EUROSTAT_FLAGS = frozenset("bcdefinprsuz")
"""Letters of Eurostat's flags, which may be combined: "bep"."""

_NO_REMARKS = frozenset(("K", "k", "M", "m", "B", "T", "t", *("CR", "Cr", "cr", "DR", "Dr", "dr")))


@dataclass(frozen=True)
class Notation:
    """A notation besides digits and marks: name, and replacements that leave only the number."""

    name: str
    pairs: tuple[Pair, ...]


_SCALES = {
    "e3": r"(?:[kK]|[Tt]sd\.?|[Tt]housand|t[yi]s\.?|тыс\.?)",
    "e4": r"(?:万|萬|만)",
    "e5": r"(?:[lL]akhs?|[lL]acs?|L)",
    "e6": r"(?:MM|[mM]|[mM]io\.?|[mM]ln\.?|[mM]illions?|mn|млн\.?)",
    "e7": r"(?:[cC]r\.?|[cC]rores?)",
    "e8": r"(?:亿|億|억)",
    "e9": r"(?:[bB]|[bB]n|[mM]rd\.?|Mds?|mld\.?|млрд\.?|[bB]illions?)",
    "e12": r"(?:[tT]|tn|[tT]rillions?)",
}

SCALE = "|".join(
    letters.replace("[mM]|", "M|").replace("[bB]|", "B|").replace("[tT]|", "T|")
    for letters in _SCALES.values()
)
"""Regular expression of multiplier letters; m, b, t and L alone may also be units."""

_ZEROS = "\u0660\u06f0\u0966\u09e6\u0e50\uff10"
"""The digit 0 in Arabic, Persian, Devanagari, Bengali, Thai and in full width; 1 to 9 follow."""

_EQUAL_SIGNS = {str(i): "".join(chr(ord(zero) + i) for zero in _ZEROS) for i in range(10)} | {
    ".": "\u066b\uff0e",
    ",": "\u066c\uff0c",
    "+": "\uff0b",
    "/": "\uff0f",
    ":": "\uff1a",
    "(": "\uff08",
    ")": "\uff09",
    "%": "\uff05\u066a",
    "$": "\uff04",
    "": "\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff",
}
"""Variants of common signs; invisible ones come last."""

_MIDDLE_DOTS = "·∙⋅"
RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
"""The minus sign and the digits of exponents."""

NOTATIONS: Mapping[str, Notation] = {
    "digits": Notation(
        phrase("digits of another script or width (１２, ١٢), or invisible characters"),
        (
            *((f"[{others}]", usual) for usual, others in _EQUAL_SIGNS.items()),
            (rf"(?<=[0-9])[{_MIDDLE_DOTS}](?=[0-9])(?!10[\^{RAISED}])", "."),
        ),
    ),
    "powers": Notation(
        phrase("powers of ten as in Fortran (1.5D-02) or in print (1.5×10^3)"),
        (
            (rf"(?<=10)(?=[{RAISED}]{{1,3}}$)", "^"),
            *(
                (rf"(?<=10\^{'.' * position}){raised}", usual)
                for position in range(3)
                for raised, usual in zip(RAISED, "-0123456789", strict=True)
            ),
            (r"^([-+]?)10\^(?=[-+]?[0-9]{1,3}$)", r"\g<1>1e"),
            (r"^([-+]?[0-9]*[.,][0-9]*)[dD](?=[-+]?[0-9]{1,3}$)", r"\1e"),
            (rf"(?<=[0-9])\s*[x×*{_MIDDLE_DOTS}]\s*10\^(?=[-+]?[0-9]{{1,3}}$)", "e"),
        ),
    ),
    "quoted": Notation(
        phrase('an apostrophe or ="…", with which spreadsheets mark text'),
        ((r'^="(.*)"$', r"\1"), (r"^['‘’](?=.*[0-9])", ""), (rf"^{JSON_DATE}$", r"\1")),
    ),
    "footnotes": Notation(phrase("footnote marks such as [1]"), ((rf"(?:{FOOTNOTE})+$", ""),)),
    "no-cents": Notation(
        phrase("dashes in place of cents (12.–)"),
        ((rf"(?<=[0-9])(?:[.,:][{MINUS}-]{{1,2}}|/-)", ""),),
    ),
    "bounds": Notation(
        phrase("limits such as <0.01 or 10+, read as the limit"),
        (
            (r"^\s*[<>≤≥][^0-9()]*\(([0-9.,]+)\)\s*$", r"\1"),
            (rf"^\s*(?:{BOUND}|[~≈]=?\s*)(?=[^0-9]{{0,4}}{_NUMBER})", ""),
            (r"(?<=[0-9])\+(?=\s|$)|(?<=\S)\+$", ""),
        ),
    ),
    "about": Notation(
        phrase("words for “about” (ca., approx.)"),
        ((rf"(?i)^\s*(?:{APPROXIMATELY})\s*(?=[^0-9]{{0,4}}{_NUMBER})", ""),),
    ),
    "arrows": Notation(
        phrase("arrows for more and less (▲5, ▼5)"),
        ((rf"^\s*[{UP}]\s*(?=[^0-9]{{0,4}}{_NUMBER})", ""),),
    ),
    "terms": Notation(phrase("remarks on prices (VB, obo)"), ((TERMS_OF_SALE, ""),)),
    "minus": Notation(
        phrase("a typographic minus sign (−)"),
        (
            (rf"^([^0-9]*)[{UP[0]}]\s*(?=[^0-9]*[0-9])", r"\1-"),
            (rf"^([^0-9]*)(?:[{MINUS}]\s*|-\s+)(?=[^0-9]*[0-9])", r"\1-"),
            (r"^([^0-9+]*)\+\s+(?=[^0-9]*[0-9])", r"\1"),
            (rf"(?<=[0-9][eE])[{MINUS}](?=[0-9]+$)", "-"),
        ),
    ),
    "no-amount": Notation(
        phrase("a dash after the currency sign for zero ($ -)"),
        ((rf"^[^0-9\s.,()-]{{1,4}}\s*[{MINUS}-]{{1,2}}$", "0"),),
    ),
    "counts": Notation(
        phrase("brackets around a number and its word (12 ratings), which is positive"),
        ((r"^\(\s*([0-9][^()]*[^\W\d_]{3})\s*\)$", r"\1"),),
    ),
    "brackets": Notation(
        phrase("negative numbers in brackets"),
        ((r"^([^0-9()]*)\(\s*(.*?)\s*\)([^0-9()]*)$", r"-\1\2\3"),),
    ),
    "trailing-minus": Notation(
        phrase("a minus sign after the number"),
        ((r"^(.*[0-9].*?)\s*[-−](\s+[^0-9−-]+)?$", r"-\1\2"),),
    ),
    "debits": Notation(
        phrase("DR, D or S (Soll) for numbers below 0, CR, C or H (Haben) for others"),
        (
            (r"^(.*[0-9.,])\s*(?:(?i:dr)\.?|[DS])$", r"-\1"),
            (r"(?<=[0-9.,])\s*(?:(?i:cr)\.?|[CH])$", ""),
        ),
    ),
    "scale": Notation(
        phrase("letters for thousands, millions and billions (K, M, B)"),
        tuple((rf"(?<=[0-9.,])\s*{letters}$", exponent) for exponent, letters in _SCALES.items()),
    ),
}
"""Notations by key, in the order of application; units come between brackets and scale."""

BEFORE_SHAPES = ("digits", "powers", "quoted")
"""Notations rewritten before the pattern of cells is examined."""

BEFORE_UNITS = (
    *BEFORE_SHAPES, "footnotes", "terms", "no-cents", "bounds", "about", "arrows", "no-amount",
    "minus", "counts", "brackets", "trailing-minus", "debits",
)  # fmt: skip


UNITS: Sequence[frozenset[str]] = tuple(
    frozenset((*family, *(unit.replace("\u00b5", "\u03bc") for unit in family)))
    for family in (
        ("%", "percent", "Prozent", "pct", "pct.", "٪"),
        ("‰",), ("°C", "℃", "C"), ("°F", "℉", "F"), ("°", "deg"), ("K",),
        ("kg", "kgs", "kilo", "Kg", "KG"), ("g", "gr"), ("mg",), ("µg", "mcg"),
        ("t", "to"), ("lb", "lbs", "lb."), ("oz",), ("st",),
        ("km", "kms"), ("m",), ("cm",), ("mm",), ("µm",), ("nm",),
        ("mi", "miles", "mile"), ("ft", "'", "′"), ("in", '"', "″", "inch", "inches"), ("yd",),
        ("m²", "m2", "qm", "sqm", "sq m", "m^2"), ("ft²", "sqft", "sq ft", "sq. ft.", "sf"),
        ("km²", "km2"), ("ha",), ("ac", "acres", "acre"),
        ("m³", "m3"), ("cm³", "cm3", "ccm"), ("l", "L", "ltr"), ("ml", "mL"), ("dl", "dL"),
        ("cl",), ("gal",), ("cc", "CC"),
        ("h", "hr", "hrs", "hour", "hours", "Std", "Std."),
        ("min", "mins", "min.", "minute", "minutes"), ("s", "sec", "secs", "sec."), ("ms",),
        ("d", "day", "days", "Tage", "Tag"), ("wk", "wks", "week", "weeks"),
        ("mo", "mos", "month", "months", "Monate", "Monat"),
        ("y", "yr", "yrs", "year", "years", "Jahre", "Jahr", *"年岁歳세"),
        ("W",), ("kW",), ("MW",), ("kWh",), ("Wh",), ("V",), ("mV",), ("A",), ("mA",), ("Hz",),
        ("kHz",), ("MHz",), ("GHz",), ("J",), ("kJ",), ("kcal",), ("cal",), ("N",), ("Nm",),
        ("hp", "bhp", "PS"), ("rpm",), ("bpm",), ("Pa",), ("hPa",), ("kPa",), ("bar",),
        ("mbar",), ("psi",), ("mmHg",), ("dB",), ("ppm",), ("ppb",), ("mol",),
        ("mmol/l", "mmol/L"), ("mg/dl", "mg/dL"), ("mg/l", "mg/L"), ("g/l", "g/L"),
        ("g/dl", "g/dL"), ("µg/l", "µg/L"),
        ("kmpl",), ("km/kg",), ("l/100km", "l/100 km", "L/100km"), ("mpg",),
        ("km/h", "KM/H", "Km/h", "kph", "kmh"), ("mph",), ("m/s",), ("kn",),
        ("B",), ("KB", "kB"), ("MB",), ("GB",), ("TB",), ("Mbit/s", "Mbps"), ("px",), ("dpi",),
        ("x", "×"), ("pcs", "pc", "Stk", "Stk.", "St."), ("pts", "pt"), ("bps", "bp"),
    )
)  # fmt: skip
"""Units after a number, with synonyms grouped."""

_FAMILY = {unit: family for family in (*UNITS, *CURRENCIES) for unit in family}
_LEADING_UNITS = frozenset(unit for family in CURRENCIES for unit in family) | {"%", "x", "×"}


def get_spellings(unit: str) -> frozenset[str]:
    """Return the spellings of a unit; of an unknown one only itself."""
    return _FAMILY.get(unit) or frozenset((unit,))


def is_known(unit: str, *, is_prefix: bool) -> bool:
    """Return whether a word around a number is a currency or a unit."""
    return unit in (_LEADING_UNITS if is_prefix else _FAMILY) or is_currency_sign(unit)


def is_remark(unit: str) -> bool:
    """Return whether a word after a number is one or two letters or flags.

    CR and DR indicate its sign; K, M, B and T multiply it.
    """
    letters = len(unit) <= _MAX_REMARK_LETTERS and unit.isalpha() and unit not in _NO_REMARKS
    flags = len(unit) == _MAX_REMARK_LETTERS + 1 and _EUROSTAT_FLAGS.issuperset(unit)
    return letters or flags


def is_percentage_unit(unit: str) -> bool:
    """Return whether a unit means per cent or per mille."""
    return any(unit in family for family in UNITS[:2])


def make_unit_pairs(units: Sequence[str]) -> tuple[Pair, ...]:
    """Return the pairs that remove units at either end of a number."""
    if not units:
        return ()
    alternatives = "|".join(
        re.escape(unit) for unit in sorted(units, key=lambda unit: (-len(unit), unit))
    )
    return (
        (rf"^([-+]?)\s*(?:{alternatives})\s*(?=[-+]?{_NUMBER})", r"\1"),
        (rf"(?:(?<=[0-9.,kKMBT万萬만亿億억])\s*|(?<=[^\W\d_])\s+)(?:{alternatives})(-?)$", r"\1"),
    )
