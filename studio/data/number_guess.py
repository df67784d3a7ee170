"""How the numbers of a column are written, decided from all of its cells.

Cells are looked at by their *shape*: digits become ``0``, runs of four and more are cut to four. A
column of 300,000 numbers has a few dozen shapes, so one example of each is taken apart, and every
cell counts. What a column leaves open (1.234 alone may be either) the other columns decide, and
what these leave open is said.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from studio.arrays import Integers
from studio.data.notations import MINUS, SCALE, family_of, is_known
from studio.data.numbers import BLANKS, NumberFormat

if TYPE_CHECKING:
    from studio.data.read_options import ReadOptions

SEVERAL = 3
"""Different whole numbers below a thousand, 0 not counted, that show that a mark groups digits."""

_READABLE = 0.95
"""The share of the filled cells that are numbers in a column of numbers."""

_LONG = 60
"""Characters beyond which a cell is no number."""

_FIXED = 20
"""Different numbers from which on a narrow range speaks for decimals."""

_NARROW = 0.1
"""Range of the numbers, as a share of the largest, that is narrow."""

_COORDINATE = re.compile(
    r"(?:.*[_\s.-])?(?:lat|lon|lng|latitude|longitude|breite|l[äa]nge|gps).*", re.I
)

_DIGITS = str.maketrans("123456789", "0" * 9)
_RUN = re.compile("0{5,}")
_NUMBER = re.compile(
    rf"(?P<bound>[<>≤≥~≈]=?\s*)?(?P<outer>[A-Za-z]{{2,3}}\.(?=\s*[0-9])|[^0-9.,<>()+\-{MINUS}]*?)\s*"
    rf"(?P<open>\()?\s*"
    rf"(?P<sign>[-+{MINUS}])?\s*(?P<before>[^0-9.,<>()+\-{MINUS}]*?)\s*(?P<inner>[-+{MINUS}])?"
    rf"(?P<body>[0-9][0-9.,'’_{BLANKS}]*|[.,][0-9]+)(?P<exponent>[eE][+-]?[0-9]+)?"
    r"(?P<gap>\s*)(?P<behind>[^0-9()]*?[^0-9\s()\-]|[^0-9()\s]+[23]|)\s*(?P<close>\))?"
    r"(?P<last>[^0-9()\s-]{0,4})\s*(?P<trailing>-)?"
)
_SCALED = re.compile(rf"(?P<scale>{SCALE})(?![a-z])\s*(?P<unit>.*)")


@dataclass(frozen=True)
class NumberGuess:
    """How a column's numbers are written.

    Attributes
    ----------
    number_format : NumberFormat
        The format.
    open_mark : str
        The mark before three digits that may be either, "" if none.
    decimal_rows, grouped_rows : int
        Rows that show the decimal mark of the format, and rows that show the other mark or groups.
    example : str
        A cell that shows the marks.
    small : str
        A whole number below a thousand without a mark, where such ones decided; else "".
    is_list : bool
        Whether cells with marks are lists of numbers ("2,5") rather than numbers.
    mixed_units : tuple of str
        Units of different meaning that stand beside each other; their numbers cannot be compared.
    """

    number_format: NumberFormat = field(default_factory=NumberFormat)
    open_mark: str = ""
    decimal_rows: int = 0
    grouped_rows: int = 0
    example: str = ""
    small: str = ""
    is_list: bool = False
    mixed_units: tuple[str, ...] = ()


@dataclass
class _Marks:
    """Evidence for one mark, in rows: before other than three digits, in groups, either."""

    decimals: int = 0
    groups: int = 0
    either: int = 0
    lakh: int = 0
    torn: int = 0
    examples: dict[str, str] = field(default_factory=dict)


def shapes_of(texts: Sequence[str]) -> list[str]:
    """Return the shape of each text: digits as 0, five and more in a row as four."""
    joined = "\n".join(texts)
    if joined.count("\n") != len(texts) - 1:
        joined = "\n".join(text.replace("\n", " ") for text in texts)
    return _RUN.sub("0000", joined.translate(_DIGITS)).split("\n")


def guess_numbers(
    name: str,
    texts: Sequence[str],
    counts: Integers,
    *,
    separator: str = "",
    file_decimal: str = "",
    chosen: NumberFormat | None = None,
) -> NumberGuess | None:
    """Decide how a column's numbers are written; ``None`` if most filled cells are none.

    Parameters
    ----------
    name : str
        The column's name, which may say that it holds coordinates.
    texts : sequence of str, length k
        The different filled cells, blanks around them taken off.
    counts : array, shape (k,), int64
        The rows of each.
    separator : str
        What separates the file's cells.
    file_decimal : str
        The decimal mark of the other columns; "" if none shows one.
    chosen : NumberFormat or None
        Marks that the user chose.
    """
    import pandas as pd

    shapes = shapes_of(texts)
    places, kinds = pd.factorize(np.array(shapes, dtype=object))
    rows = np.bincount(places, weights=counts, minlength=len(kinds)).astype(np.int64)
    first = np.full(len(kinds), -1, dtype=np.int64)
    first[places[::-1]] = np.arange(len(places) - 1, -1, -1)
    total = int(rows.sum())
    digits = np.array(["0" in kind for kind in kinds.tolist()], dtype=np.bool_)
    if int(rows[digits].sum()) < 0.5 * total:
        return None
    examples = [texts[at] for at in first.tolist()]
    found = [_NUMBER.fullmatch(text) if len(text) <= _LONG else None for text in examples]
    numbers = [
        (match, kind, int(n), example)
        for match, kind, n, example in zip(
            found, kinds.tolist(), rows.tolist(), examples, strict=True
        )
        if match is not None
    ]
    if sum(n for _, _, n, _ in numbers) < 0.5 * total:
        return None
    units, notations, mixed = _around(numbers, total)
    bodies = [
        (match["body"].rstrip(BLANKS), n, example, bool(match["exponent"]))
        for match, _, n, example in numbers
    ]
    if chosen is not None:
        return NumberGuess(
            NumberFormat(chosen.decimal, chosen.thousands, notations, units, lakh=False),
            mixed_units=mixed,
        )
    return _with_marks(
        name,
        bodies,
        (units, notations, mixed),
        texts,
        separator=separator,
        file_decimal=file_decimal,
    )


def _around(
    numbers: list[tuple[re.Match[str], str, int, str]], total: int
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the units, the notations, and units that cannot stand beside each other."""
    notations = Counter[str]()
    units: Counter[tuple[str, bool, bool]] = Counter()
    scales: Counter[str] = Counter()
    plain = 0
    for match, _, n, _ in numbers:
        before = (match["outer"] or match["before"]).strip()
        behind = (match["behind"] + match["last"]).strip()
        gap = bool(match["gap"]) or not match["body"][-1].isdigit()
        if behind:
            money = is_known(before, before=True) and behind in "kmbt"
            scaled = (
                _SCALED.fullmatch(behind.upper() if money else behind)
                if money or behind in "KMBT" or not is_known(behind, before=False)
                else None
            )
            if scaled is not None:
                rest = scaled["unit"].strip()
                if not rest or is_known(rest, before=False):
                    scales[scaled["scale"]] += n
                    behind = rest
        if before:
            units[before, True, gap] += n
        if behind:
            units[behind, False, gap] += n
        if not before and not behind:
            plain += n
        notations["bounds"] += n * bool(match["bound"])
        notations["brackets"] += n * bool(match["open"] and match["close"])
        notations["trailing-minus"] += n * bool(match["trailing"])
        signs = (match["sign"] or "") + (match["inner"] or "")
        notations["minus"] += n * bool(re.search(f"[{MINUS}]", signs))
    kept = _units(units, plain, total)
    if scales:
        notations["scale"] = 1
    if notations["brackets"] + notations["bounds"] >= total:
        notations["brackets"] = notations["bounds"] = 0
    others = {
        unit for unit, _, _ in units if is_known(unit, before=True) or is_known(unit, before=False)
    }
    mixed = tuple(sorted(others - set(kept))) if kept and others - set(kept) else ()
    return kept, tuple(key for key in _ORDER if notations[key]), mixed


_ORDER = ("bounds", "minus", "brackets", "trailing-minus", "scale")


def _units(units: Counter[tuple[str, bool, bool]], plain: int, total: int) -> tuple[str, ...]:
    """Return the spellings of the one unit that may be taken off, and single letters as flags."""
    rows: Counter[frozenset[str]] = Counter()
    for (unit, before, gap), n in units.items():
        if is_known(unit, before=before):
            if gap or len(unit) > 1 or not unit.isalpha() or unit.islower():
                rows[family_of(unit)] += n
        elif not before and gap and unit.replace(" ", "").replace(".", "").isalpha():
            rows[frozenset((unit,))] += n
    if not rows:
        return ()
    family, n = rows.most_common(1)[0]
    seen = {unit for unit, _, _ in units}
    kept = {unit for unit in seen if unit in family}
    if not any(is_known(unit, before=before) for unit, before, _ in units if unit in kept):
        # An unknown word behind all numbers says what they count; plurals of it are alike.
        stem = min(kept, key=len)
        alike = {unit for unit in seen if unit[:3].lower() == stem[:3].lower()}
        if sum(n for (unit, _, _), n in units.items() if unit in alike) >= 0.9 * total:
            kept |= alike
        else:
            kept = set()
    # Single letters behind some numbers are remarks, such as "p" for provisional.
    if plain + n >= 0.5 * total:
        flags = {
            unit
            for (unit, before, gap), n in units.items()
            if not before and gap and len(unit) <= 2 and unit.isalpha() and unit.islower()
        }
        if plain >= 0.5 * total:
            kept |= flags
    return tuple(sorted(kept, key=lambda unit: (-_rows_of(units, unit), unit)))


def _rows_of(units: Counter[tuple[str, bool, bool]], unit: str) -> int:
    return sum(n for (each, _, _), n in units.items() if each == unit)


def _with_marks(
    name: str,
    bodies: list[tuple[str, int, str, bool]],
    around: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]],
    texts: Sequence[str],
    *,
    separator: str,
    file_decimal: str,
) -> NumberGuess:
    marks = {",": _Marks(), ".": _Marks()}
    groups: Counter[str] = Counter()
    big, small_example, pointed = 0, "", ""
    for body, n, example, _ in bodies:
        others = [mark for mark in " '_" if any(each in body for each in _alike(mark))]
        core = body
        for mark in others:
            parts = re.split(f"[{_alike(mark)}]", re.split("[.,]", core)[0])
            if 1 <= len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:]):
                groups[mark] += n
        core = re.sub(rf"['’_{BLANKS}]", "", core)
        comma, point = core.count(","), core.count(".")
        if comma and point:
            last = max(core.rfind(","), core.rfind("."))
            decimal, other = core[last], "," if core[last] == "." else "."
            if core.count(decimal) == 1:
                marks[decimal].decimals += n
                marks[decimal].examples.setdefault("decimals", example)
                _count_groups(marks[other], core[:last], other, n, example, sure=True)
            else:
                marks[decimal].torn += n
            continue
        mark = "," if comma else "." if point else ""
        if not mark:
            if len(core) > 3 and not others:
                big += n
            elif not small_example and core.strip("0"):
                small_example = example
            continue
        _count_groups(marks[mark], core, mark, n, example, sure=False)
        pointed = pointed or example
    plain_small = {
        text.lstrip("+-") for text in texts if len(text) <= 4 and text.lstrip("+-").isdigit()
    }
    small = {text for text in plain_small if len(text) <= 3 and text.strip("0")}
    # Zeros in front are no amounts', whose digits are grouped.
    big += sum(text[0] == "0" for text in small)
    leading = {
        mark: any(re.fullmatch(rf"[^0-9]*0{re.escape(mark)}[0-9]{{3}}\D*", text) for text in texts)
        for mark, seen in marks.items()
        if seen.either
    }
    for mark, is_leading in leading.items():
        if is_leading:
            marks[mark].decimals += marks[mark].either
            marks[mark].either = 0
    return _decided(
        name, marks, groups, around, texts,
        big=big, small=small, separator=separator, file_decimal=file_decimal,
    )  # fmt: skip


def _alike(mark: str) -> str:
    return {" ": BLANKS, "'": "'’"}.get(mark, mark)


def _count_groups(seen: _Marks, core: str, mark: str, n: int, example: str, *, sure: bool) -> None:
    """Count what a number shows about a mark in it."""
    parts = core.split(mark)
    if len(parts) == 1:
        return
    threes = 1 <= len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:])
    if len(parts) > 2 or sure:
        if threes:
            seen.groups += n
            seen.examples.setdefault("groups", example)
        elif len(parts[-1]) == 3 and all(len(part) <= 2 for part in parts[:-1]) and mark == ",":
            seen.groups += n
            seen.lakh += n
            seen.examples.setdefault("groups", example)
        else:
            seen.torn += n
        return
    key = "either" if threes else "decimals"
    setattr(seen, key, getattr(seen, key) + n)
    seen.examples.setdefault(key, example)


def _decided(
    name: str,
    marks: dict[str, _Marks],
    groups: Counter[str],
    around: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]],
    texts: Sequence[str],
    *,
    big: int,
    small: set[str],
    separator: str,
    file_decimal: str,
) -> NumberGuess:
    units, notations, mixed = around
    comma, point = marks[","], marks["."]

    def made(
        decimal: str, thousands: str = "", *, example: str = "", open_mark: str = "", by: str = ""
    ) -> NumberGuess:
        if not thousands and groups:
            thousands = groups.most_common(1)[0][0]
        seen = marks[decimal]
        return NumberGuess(
            NumberFormat(decimal, thousands, notations, units, lakh=bool(comma.lakh)),
            open_mark,
            seen.decimals,
            marks[thousands].groups + marks[thousands].either if thousands in marks else 0,
            example or seen.examples.get("decimals", ""),
            by,
            mixed_units=mixed,
        )

    if _is_list(comma, point, texts, small, separator, file_decimal):
        return NumberGuess(NumberFormat(".", "", notations, units), is_list=True, mixed_units=mixed)
    for decimal, other in ((".", ","), (",", ".")):
        mine, theirs = marks[decimal], marks[other]
        if mine.decimals and not (theirs.decimals > mine.decimals) and not mine.groups:
            grouped = other if theirs.groups or (theirs.either and not theirs.decimals) else ""
            return made(decimal, grouped)
    for mark, other in ((",", "."), (".", ",")):
        seen = marks[mark]
        if seen.groups and not seen.decimals:
            return made(other, mark, example=seen.examples["groups"])
    for mark, other in ((".", ","), (",", ".")):
        seen = marks[mark]
        if not seen.either:
            continue
        example = seen.examples["either"]
        if marks[other].either:
            # Each mark may be either: the one that the file uses elsewhere decides.
            decimal = file_decimal or "."
            return made(decimal, "," if decimal == "." else ".", example=example, open_mark=mark)
        if big:
            return made(mark, example=example)
        if len(small) >= SEVERAL:
            return made(other, mark, example=example, by=min(small, key=len))
        if _COORDINATE.fullmatch(name) or _is_narrow(texts, mark):
            return made(mark, example=example)
        if file_decimal:
            is_decimal = file_decimal == mark
        else:
            is_decimal = mark == "." or separator == ";"
        if is_decimal:
            return made(mark, example=example, open_mark=mark)
        return made(other, mark, example=example, open_mark=mark)
    return made(file_decimal or ".")


def _is_list(
    comma: _Marks, point: _Marks, texts: Sequence[str], small: set[str],
    separator: str, file_decimal: str,
) -> bool:  # fmt: skip
    """Whether cells such as 2,5 name several of a few whole numbers instead of being one."""
    if comma.torn and comma.torn >= comma.groups and not point.decimals:
        return True
    if point.decimals or comma.groups or not comma.decimals or not small:
        return False
    listed = [text.split(",") for text in texts if "," in text]
    parts = {part for row in listed for part in row}
    if len(listed) < 4 or not parts <= small or "0" in parts:
        return False
    ascending = all(int(a) < int(b) for a, b in map(_pair, listed))
    different = all(len(set(row)) == len(row) for row in listed)
    return ascending or (different and (len(listed) >= 2 * SEVERAL or separator == ","))


def _pair(row: list[str]) -> tuple[str, str]:
    return row[0], row[-1]


def _is_narrow(texts: Sequence[str], mark: str) -> bool:
    """Whether all numbers have the mark and lie close together, as coordinates do."""
    found = [re.search(rf"[0-9]+{re.escape(mark)}[0-9]+", text) for text in texts]
    if len(found) < _FIXED or not all(found):
        return False
    numbers = np.array([float(each[0].replace(mark, ".")) for each in found if each])
    return bool(np.ptp(numbers) <= _NARROW * np.abs(numbers).max())


def file_decimal(guesses: Iterable[NumberGuess | None]) -> str:
    """Return the decimal mark that most rows of all columns show; "" if none does."""
    rows: Counter[str] = Counter()
    for guess in guesses:
        if guess is not None and not guess.open_mark and not guess.is_list:
            rows[guess.number_format.decimal] += guess.decimal_rows
            if guess.grouped_rows and guess.number_format.thousands in {",", "."}:
                rows[guess.number_format.decimal] += guess.grouped_rows
    decided = [mark for mark, n in rows.most_common() if n]
    return decided[0] if decided else ""


def rough_format(cells: Iterable[str], options: "ReadOptions") -> NumberFormat:
    """Return how numbers seem to be written in a sample of all columns, to tell names from numbers.

    Parameters
    ----------
    cells : iterable of str
        Some cells.
    options : ReadOptions
        What the user chose.
    """
    if options.decimal is not None or options.thousands is not None:
        return options.number_format
    count = Counter(shape for shape in map(_rough, cells) if shape)
    return NumberFormat(",", ".") if count[","] > count["."] else NumberFormat(".", ",")


def _rough(cell: str) -> str:
    found = re.fullmatch(r"\s*[-+]?[0-9.]*([.,])[0-9]+\s*", cell)
    return found[1] if found else ""
