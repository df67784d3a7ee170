"""Number format of a column, inferred from all cells.

Cells are examined by their *shape*: digits become ``0``, and runs of four or more are shortened to
four. A column of 300,000 numbers has a few dozen shapes, so only one example of each is parsed,
though every cell counts. Ambiguous columns (1.234 alone may be either) are decided by the other
columns; remaining ambiguity is reported.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from studio.arrays import Floats, Integers
from studio.currencies import is_money
from studio.data.notations import (
    APPROXIMATELY,
    BEFORE_SHAPES,
    BOUND,
    DOWN,
    FOOTNOTE,
    MINUS,
    NOTATIONS,
    RAISED,
    SCALE,
    TERMS_OF_SALE,
    UP,
    get_spellings,
    is_known,
    is_percentage_unit,
    is_remark,
)
from studio.data.number_marks import (
    MAX_SHORT_LENGTH,
    MarkCounts,
    MarkEvidence,
    NumberMarksDecision,
    collect_evidence,
    decide_marks,
    is_list,
)
from studio.data.numbers import APOSTROPHES, BLANKS, NumberFormat, apply_pairs
from studio.data.texts import Texts

if TYPE_CHECKING:
    from studio.data.read_options import ReadOptions

_TOLERANCE = 1e-6  # tolerance for whole thousandths, exceeded by numbers with more decimals
_MAX_LENGTH = 60  # maximum length of a number

_MIN_UNIT_SHARE, _MIN_UNREMARKED_SHARE, _MIN_PLAIN_DECIMAL_SHARE = 0.9, 0.2, 0.7
"""Minimum shares of numbers with a unit or decimals, without remarks, and (of decimals) without a
remark that follows a number directly."""


_DEBIT_WORDS = frozenset(("DR", "CR")), frozenset("SH"), frozenset("DC")
"""Suffixes of debits and credits in bank statements; single letters only if alone."""

_MIN_COUNTED = 3  # number of letters that a word for counted things exceeds
_CENTS, _LAKHS = re.compile(r"\.[0-9]{2}$"), re.compile("[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}")
_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)
_ZERO_RUN = re.compile("0{5,}")
_NUMBER = re.compile(
    rf"(?P<bound>{BOUND})?(?P<about>(?i:{APPROXIMATELY})\s*(?=\S{{0,4}}[0-9]))?(?P<outer>[A-Za-z/]{{2,3}}\.(?=\s*[0-9])|[^0-9.,<>()+\-{MINUS}]*?)\s*"
    rf"(?P<open>\()?\s*"
    rf"(?P<sign>[-+{MINUS}])?\s*(?P<before>[^0-9.,<>()+\-{MINUS}]*?)\s*(?P<inner>[-+{MINUS}])?"
    rf"(?P<body>[0-9][0-9.,{APOSTROPHES}_{BLANKS}]*(?<![{APOSTROPHES}])|[.,][0-9]+)(?P<exponent>[eE][-+{MINUS}]?[0-9]+)?(?P<plus>\+(?=\s|$))?"
    rf"(?P<even>(?:(?<=[.,])|:)[-{MINUS}]{{1,2}}|/-)?(?P<turned>[-−](?=\s+[^0-9\s]))?"
    r"(?P<raised>[¹²³⁴-⁹]+⁾?(?=$))?"
    r"(?P<gap>\s*)(?P<behind>[^0-9()]*?[^0-9\s()\-−\]+*†‡]|[^0-9()\s]+(?:[23]|100\s?km)"
    r"|(?:[x×*]\s?)?10(?:\^|\*\*?|E)?[0-9⁰-⁹]{1,2}/[µμu]?[lL]"
    r"|(?:/|(?:out\s)?of|von|sur|su|de)\s?(?:5|10|100)(?:\s[A-Za-zé]+)?|)"
    r"(?(open)(?:\s*(?P<close>\))(?P<last>\s?[^0-9()\s-]{0,4}))?)\s*(?P<trailing>[-−])?(?P<more>\+)?"
    rf"(?P<note>(?:{FOOTNOTE})*)"
)
_UNUSUAL = re.compile("|".join(pattern for pattern, _ in NOTATIONS["digits"].pairs))
_FORTRAN = re.compile(r"[.,][0-9]*[dD][-+]?[0-9]")
_MULTIPLIED = re.compile(rf"[0-9]\s*[x×*·∙⋅]\s*10[{RAISED}]")
_RAISED_TEN = re.compile(rf"^[-+]?10[{RAISED}]+$", re.MULTILINE)
"""10⁵; a few among other numbers are rather 10 with a footnote."""
_QUOTED = re.compile("\n(?:=\"|['‘’]).*[0-9]")
_GRADE = re.compile(r"[0-9]+|[0-9][.,][0-9]")
_NO_AMOUNT = re.compile(NOTATIONS["no-amount"].pairs[0][0])
_SCALED = re.compile(rf"(?P<scale>{SCALE})(?:(?![a-z])\s*(?P<unit>.*)|(?P<flag>[epr]))")


@dataclass(frozen=True)
class NumberGuess:
    """The guessed number format of a column.

    Attributes:
        open_mark: An ambiguous mark before three digits, "" if none.
        decimal_rows, grouped_rows: Rows with the format's decimal mark, and rows with the other
            mark or groups.
        example: A cell that shows the marks.
        is_list: Whether cells with marks are lists of numbers ("2,5") rather than numbers.
        mixed_units: Units of different meaning whose numbers cannot be compared.
        partly: The percent sign, if only some numbers have it.
    """

    number_format: NumberFormat = field(default_factory=NumberFormat)
    open_mark: str = ""
    decimal_rows: int = 0
    grouped_rows: int = 0
    example: str = ""
    is_list: bool = False
    mixed_units: tuple[str, ...] = ()
    partly: str = ""


def guess_numbers(
    name: str,
    texts: Texts,
    counts: Integers,
    *,
    separator: str = "",
    file_decimal: str = "",
    user_format: NumberFormat | None = None,
    plain: Floats | None = None,
) -> NumberGuess | None:
    """Infer a column's number format; ``None`` if most filled cells are not numbers.

    Args:
        name: The column's name, which may indicate coordinates.
        texts: The k distinct filled cells, stripped.
        counts: Shape (k,), int64. Rows of each.
        file_decimal: The decimal mark of other columns; "" if unknown.
        plain: Shape (k,), float64. The cells as numbers with a decimal point, NaN for others, if
            known.
    """
    if plain is not None and user_format is None:
        default_guess = _guess_default_format(texts, counts, plain)
        if default_guess is not None:
            return default_guess
    texts, rewritten_first = _normalise_signs(texts)
    shape_codes, shapes = texts.translate_characters(_DIGITS)
    codes: dict[str, int] = {}
    shape_of_text = [codes.setdefault(_ZERO_RUN.sub("0000", shape), len(codes)) for shape in shapes]
    shape_indices, kinds = np.array(shape_of_text, dtype=np.int64)[shape_codes], list(codes)
    rows = np.bincount(shape_indices, weights=counts, minlength=len(kinds)).astype(np.int64)
    first = np.full(len(kinds), -1, dtype=np.int64)
    first[shape_indices[::-1]] = np.arange(len(shape_indices) - 1, -1, -1)
    total = int(rows.sum())
    digits = np.array(["0" in kind for kind in kinds], dtype=np.bool_)
    if int(rows[digits].sum()) < 0.5 * total:
        return None
    examples = [texts[i] for i in first.tolist()]
    matches = [_NUMBER.fullmatch(text) if len(text) <= _MAX_LENGTH else None for text in examples]
    numbers = [
        (match, kind, int(n), example)
        for match, kind, n, example in zip(matches, kinds, rows.tolist(), examples, strict=True)
        if match is not None
    ]
    n_numbers = sum(n for _, _, n, _ in numbers)
    is_graded = all(any(match[sign] for match, *_ in numbers) for sign in ("plus", "trailing"))
    is_graded &= all(_GRADE.fullmatch(match["body"].strip()) for match, *_ in numbers)
    if n_numbers < 0.5 * total or is_graded:  # 2+ and 2,3- are grades
        return None
    units, leading, notations, mixed, partly = _find_units(numbers, n_numbers)
    if is_money(units) and any(map(_NO_AMOUNT.fullmatch, examples)):
        notations = ("no-amount", *notations)
    notations = (*rewritten_first, *notations)
    # 9,533E-03 has one digit before its decimals, so the mark does not group.
    bodies = [
        (match["body"].rstrip(BLANKS), n, example, bool(match["exponent"]))
        for match, _, n, example in numbers
    ]
    is_short = np.array([len(shape) <= MAX_SHORT_LENGTH for shape in shapes], dtype=np.bool_)
    evidence = collect_evidence(bodies, texts, texts.select(is_short[shape_codes]))
    if user_format is not None:
        decision = NumberMarksDecision(
            user_format.decimal, example=_find_example_cell(evidence, user_format)
        )
        thousands = user_format.thousands
    elif is_list(texts, evidence, separator, file_decimal):
        return NumberGuess(
            NumberFormat(".", "", notations, units, leading=leading),
            is_list=True,
            mixed_units=mixed,
        )
    else:
        decision = decide_marks(
            name, texts, evidence, (separator, file_decimal), is_money=is_money(units)
        )
        most_common = evidence.groups.most_common(1)
        thousands = decision.thousands or (most_common[0][0] if most_common else "")
    fractions = evidence.marks[decision.decimal]
    grouped = evidence.marks.get(thousands, MarkCounts())
    # (2,500) throughout is a column of expenses, (2500) one of codes, and (0.25) one of errors.
    are_amounts = grouped.groups or grouped.ambiguous or evidence.groups[thousands]
    if not are_amounts and not is_money(units) and all(match["open"] for match, *_ in numbers):
        notations = tuple(key for key in notations if key != "brackets")
    return NumberGuess(
        NumberFormat(
            decision.decimal,
            thousands,
            notations,
            units,
            lakh=bool(grouped.n_indian_groups),
            leading=leading,
        ),
        decision.open_mark,
        # The user's choice for an ambiguous mark is evidence for other columns.
        fractions.decimals + (fractions.ambiguous if user_format is not None else 0),
        grouped.groups + grouped.ambiguous,
        decision.example,
        mixed_units=mixed,
        partly=partly,
    )


def _normalise_signs(texts: Texts) -> tuple[Texts, tuple[str, ...]]:
    """Normalise digits and quotes of cells; return the cells and their notations."""
    lines = texts.join_lines()
    # Searching for single characters is many times as fast as the patterns.
    is_unusual = not lines.isascii()
    is_present = {
        "digits": is_unusual and _UNUSUAL.search(lines) is not None,
        "powers": "10^" in lines
        or (_contains_any(lines, "dD") and _FORTRAN.search(lines) is not None)
        or (is_unusual and _MULTIPLIED.search(lines) is not None)
        or (is_unusual and 2 * len(_RAISED_TEN.findall(lines)) > len(texts)),
        "quoted": _contains_any(lines, "='‘’") and _QUOTED.search(f"\n{lines}") is not None,
    }
    notations = tuple(key for key in BEFORE_SHAPES if is_present[key])
    for key in notations:
        texts = Texts.from_distinct(apply_pairs(texts, NOTATIONS[key].pairs))
    return texts, notations


def _contains_any(lines: str, characters: str) -> bool:
    return any(character in lines for character in characters)


def _guess_default_format(texts: Texts, counts: Integers, plain: Floats) -> NumberGuess | None:
    """Return the default format if it certainly fits all cells; arrays of shape (n,)."""
    if np.isnan(plain).any():
        return None
    has_fraction = np.isfinite(plain) & (plain != np.floor(plain))
    if not has_fraction.any():
        return None if "." in texts.join_lines() else NumberGuess()
    thousandths = np.where(has_fraction, plain, 0.0) * 1000.0
    if np.abs(thousandths - np.round(thousandths)).max() < _TOLERANCE:
        return None  # no number has more than three decimals
    rows = int(counts[has_fraction].sum())
    return NumberGuess(decimal_rows=rows, example=texts[int(has_fraction.argmax())])


def _find_example_cell(evidence: MarkEvidence, number_format: NumberFormat) -> str:
    """Return an example cell with the marks chosen by the user; empty if there is none."""
    fractions = evidence.marks[number_format.decimal].examples
    groups = evidence.marks.get(number_format.thousands, MarkCounts()).examples
    examples = (fractions.get("decimals"), groups.get("groups"), fractions.get("ambiguous"))
    return next(filter(None, (*examples, groups.get("ambiguous"))), "")


def _find_units(
    numbers: list[tuple[re.Match[str], str, int, str]], total: int
) -> tuple[tuple[str, ...], bool, tuple[str, ...], tuple[str, ...], str]:
    """Return units, whether they lead, notations, other units, and a partly missing one."""
    notations = Counter[str]()
    units: Counter[tuple[str, bool, bool]] = Counter()
    scale_words: set[str] = set()
    n_plain = n_nonzero = n_fractions = n_pluses = n_scaled = n_bare_scaled = 0
    bodies = [match["body"].rstrip(BLANKS) for match, *_ in numbers]
    suffixes = {match["behind"] for match, *_ in numbers} - {""}
    debit_words = _find_debit_words(
        suffixes, bodies, any(m["outer"] or m["before"] for m, *_ in numbers)
    )
    has_arrows = any(match["sign"] and match["sign"] in DOWN for match, *_ in numbers)
    has_plain = any(not match["outer"] for match, *_ in numbers)
    # Codes (940xx) have the same number of digits, or leading zeros.
    are_codes = (len({*map(len, bodies)}) == 1 and all(map(str.isdigit, bodies))) or any(
        re.match("0[0-9]", body) for body in bodies
    )
    # Beside 3 points, (5 points) is below 0.
    are_counts = all(_is_count(match) for match, *_ in numbers)
    for match, _, n, example in numbers:
        unit_before = (match["outer"] or match["before"]).strip()
        unit_after, has_terms = _split_terms(unit_before, match["behind"] + (match["last"] or ""))
        if (
            unit_before
            and unit_before in UP
            and (has_arrows or (unit_before == UP[0] and has_plain))
        ):
            notations["arrows" if has_arrows else "minus"] += n
            unit_before = ""
        gap = bool(match["gap"]) or not match["body"][-1].isdigit()
        if unit_after.upper().rstrip(".") in debit_words:
            notations["debits"] += n
            unit_after = ""
        if unit_after:
            scale, unit_after = _split_scale(unit_before, unit_after, match["body"], suffixes)
            if scale:
                n_scaled += n
                n_bare_scaled += n * (gap and not unit_before and not unit_after)
                scale_words.add(scale)
        if unit_before:
            # R 1,250.50 is an amount in rand, R 3 a region.
            is_separate = not match["body"].strip().isdigit()
            units[unit_before, True, is_separate] += n
        if unit_after:
            units[unit_after, False, gap] += n
        if not unit_before and not unit_after:
            n_plain += n
            n_nonzero += n * bool(match["body"].strip("0.,"))
        n_fractions += n * bool(re.search("[.,]", match["body"]))
        plus = match["plus"] or match["more"]
        n_pluses += n * bool(plus)
        signs_by_notation = {
            "no-cents": match["even"],
            "bounds": match["bound"] or plus,
            "about": match["about"],
            "terms": has_terms,
            "counts": are_counts,
            "brackets": match["close"] and not match["bound"] and not are_counts,
            "trailing-minus": match["trailing"] or match["turned"],
            "footnotes": match["note"] or match["raised"],
            "minus": re.search(
                rf"[{MINUS}]|[-+]\s", example[: match.start("body")] + (match["exponent"] or "")
            ),
        }
        notations.update({key: n for key, sign in signs_by_notation.items() if sign})
    # Remarks accompany at most half of the numbers, or fewer if these may be house numbers.
    is_fraction = n_fractions >= _MIN_UNIT_SHARE * total
    has_remarks = n_plain >= (_MIN_UNREMARKED_SHARE if is_fraction else 0.5) * total
    has_notes = is_fraction and n_plain >= _MIN_PLAIN_DECIMAL_SHARE * total
    removable = _select_units(
        units, total, remarked=has_remarks, noted=has_notes, is_adjacent=not are_codes
    )
    # 5 M beside 60 J is an age in months, not 5 million.
    are_units = bool(units) and n_scaled == n_bare_scaled == n_plain
    notations["scale"] = int(bool(scale_words) and not are_units)
    if (
        notations["bounds"]
        and notations["brackets"] + notations["bounds"] >= total > n_pluses
        and not _share_bound(numbers, removable)
    ):
        notations["brackets"] = notations["bounds"] = 0
    n_leading = sum(
        n if front else -n for (unit, front, _), n in units.items() if unit in removable
    )
    notation_keys = tuple(key for key in NOTATIONS if notations[key])
    return (
        removable,
        n_leading > 0,
        notation_keys,
        (*_find_mixed_units(units, removable, total), *(scale_words if are_units else ())),
        next((unit for unit in removable if n_nonzero and is_percentage_unit(unit)), ""),
    )


def _is_count(match: re.Match[str]) -> bool:
    """Whether a cell is like "(12 ratings)"; "(12 EUR)" and "(5 million)" are below 0."""
    word = match["behind"]
    is_word = len(word) > _MIN_COUNTED and word.isalpha() and not is_known(word, is_prefix=False)
    is_scaled = is_word and _split_scale("", word, match["body"], set())[0]
    return bool(
        is_word and not is_scaled and match["close"] and not (match["sign"] or match["bound"])
    )


def _share_bound(
    numbers: Sequence[tuple[re.Match[str], str, int, str]], units: tuple[str, ...]
) -> bool:
    """Whether the same word precedes all amounts: "ab 7 €" is a price, "<30" a group."""
    words = {"".join((match["bound"] or "").lower().split()) for match, *_ in numbers}
    return is_money(units) and len(words) == 1 and max(words).isalpha()


def _split_terms(before: str, after: str) -> tuple[str, bool]:
    """Return the text after a price without terms of sale, and whether it had any."""
    price = re.sub(TERMS_OF_SALE, "", f" {after.strip()}").strip()
    has_terms = price != after.strip() and is_money((price or before,))
    return (price if has_terms else after.strip()), has_terms


def _split_scale(before: str, after: str, body: str, suffixes: set[str]) -> tuple[str, str]:
    """Return the multiplier after a number, "" for none, and the remaining text after it."""
    is_money = is_known(before, is_prefix=True) and after in {*"kmbtL"}
    if after == "L":  # lakh beside crores, else litres
        is_money |= any(each.lower().startswith("cr") for each in suffixes)
    # 01B is a code, for example of a flat.
    if re.match("0[0-9]", body) or not (
        is_money or after in {*"KMBT"} or not is_known(after, is_prefix=False)
    ):
        return "", after
    scaled = _SCALED.fullmatch(after.upper() if is_money else after)
    rest = "" if scaled is None else (scaled["unit"] or "").strip()
    if scaled is None or (rest and not is_known(rest, is_prefix=False)):
        return "", after
    return scaled["scale"], rest or scaled["flag"] or ""


def _find_debit_words(suffixes: set[str], bodies: list[str], has_units: bool) -> frozenset[str]:
    """Return the suffixes of debits and credits among the words after numbers, if any.

    Cr alone means credit after full amounts with lakhs, such as 8,99,122.79, and otherwise crore.
    """
    english, *letters = _DEBIT_WORDS
    words = {suffix.upper().rstrip(".") for suffix in suffixes}
    are_full = all(map(_CENTS.search, bodies)) and any(map(_LAKHS.match, bodies))
    if "DR" in words or (words == {"CR"} and are_full and not has_units):
        return english
    return next((sides for sides in letters if suffixes == sides), frozenset())


def _find_mixed_units(
    units: Counter[tuple[str, bool, bool]], removable: tuple[str, ...], total: int
) -> tuple[str, ...]:
    """Return the units other than those to be removed, at the same position."""
    if not any(is_known(unit, is_prefix=False) or not is_remark(unit) for unit in removable):
        return ()
    # Names such as "Sojuz 11 & Saljut" are not numbers with a unit.
    n_names = sum(
        n for (word, before, _), n in units.items() if before and not is_known(word, is_prefix=True)
    )
    if 2 * n_names >= total:
        return ()
    other_units = {
        unit
        for unit, before, gap in units
        if is_known(unit, is_prefix=before) or (gap and not before and not is_remark(unit))
    }
    return tuple(sorted(other_units - set(removable)))


def _select_units(
    units: Counter[tuple[str, bool, bool]],
    total: int,
    *,
    remarked: bool,
    noted: bool,
    is_adjacent: bool,
) -> tuple[str, ...]:
    """Return the spellings of the one removable unit, and remarks.

    Args:
        units: Row counts by word, position before or after the number, and separation by a blank.
        remarked: Whether words after some numbers may be remarks.
        noted: Whether they may be remarks even without a separating blank.
        is_adjacent: Whether an unknown word directly adjacent to the number may be a unit.
    """
    rows: Counter[frozenset[str]] = Counter()
    for (unit, before, gap), n in units.items():
        if is_known(unit, is_prefix=before):
            if gap or len(unit) > 1 or not unit.isupper():
                rows[get_spellings(unit)] += n
        elif not before and gap and unit.replace(" ", "").replace(".", "").isalpha():
            rows[frozenset((unit,))] += n
    rows_of = Counter[str]()
    for (unit, _, _), n in units.items():
        rows_of[unit] += n
    # "kg 12,50": names such as "min 3" have no decimals.
    rows.update(
        {
            get_spellings(unit): rows_of[unit]
            for unit, before, is_separate in units
            if before and is_separate and len(unit) > 1 and is_known(unit, is_prefix=False)
            if rows_of[unit] >= _MIN_UNIT_SHARE * total
        }
    )
    removable: set[str] = set()
    if rows:
        removable = {*rows_of} & rows.most_common(1)[0][0]
        if not any(
            is_known(unit, is_prefix=before) for unit, before, _ in units if unit in removable
        ):
            # An unknown word after every number is a unit; plurals are synonyms.
            stem = min(removable, key=len)
            removable |= {unit for unit in rows_of if _get_stems(unit) == _get_stems(stem)}
            if sum(rows_of[unit] for unit in removable) < _MIN_UNIT_SHARE * total:
                removable = set()
    for (unit, before, gap), n in units.items():
        # "/kg" or "per night" after all amounts, or remarks such as "p" for "provisional".
        is_separate = gap or (is_adjacent and (len(unit) > 1 or not unit.isalnum() or n == total))
        follows_all = n >= _MIN_UNIT_SHARE * total and is_separate
        if not before and (follows_all or (remarked and is_remark(unit) and (gap or noted))):
            removable.add(unit)
    return tuple(sorted(removable, key=lambda unit: (-rows_of[unit], unit)))


def _get_stems(unit: str) -> list[str]:
    return [word[:3].lower() for word in unit.split()]


def find_file_decimal(guesses: Iterable[NumberGuess | None]) -> str:
    """Return the decimal mark in most rows of all columns; "" if there is none."""
    rows: Counter[str] = Counter()
    for guess in guesses:
        if guess is not None and not guess.open_mark and not guess.is_list:
            rows[guess.number_format.decimal] += guess.decimal_rows
            if guess.grouped_rows and guess.number_format.thousands in {",", "."}:
                rows[guess.number_format.decimal] += guess.grouped_rows
    return next((mark for mark, n in rows.most_common() if n), "")


_SIGNS = {
    "brackets": re.compile(r"\([0-9][0-9.,]*\)"),
    "trailing-minus": re.compile(r"[0-9][0-9.,]*-"),
}
# Dates such as 12.10.2024 are not evidence; only groups of three digits may precede the mark.
_DECIMAL = re.compile(r"[-+]?(?:[0-9]*|[0-9]{1,3}(?:([., ])[0-9]{3})+)(?!\1)([.,])[0-9]+")


_AMOUNT = re.compile(
    rf"([^0-9\s.,()+-]*)\s?"
    rf"([-+({MINUS}]?[0-9][0-9.,·{APOSTROPHES}{BLANKS}]*(?:[eEdD][-+][0-9]+)?\)?-?)"
    r"\s?([^0-9\s.,()+-]*)"
)
_GROUPING = re.compile(rf"(?<=[0-9])[{APOSTROPHES}{BLANKS}](?=[0-9]{{3}}(?![0-9]))")
_SIMPLE_SIGNS = str.maketrans(dict.fromkeys(MINUS, "-") | {"·": ".", "d": "e", "D": "e"})


def simplify_number(cell: str) -> str:
    """Return a cell's number without its unit, unusual signs and most grouping marks."""
    is_plain = cell.lstrip("-").replace(".", "", 1).isdecimal() or cell.isalpha()
    if is_plain or (match := _AMOUNT.fullmatch(cell)) is None:
        return cell
    before, number, after = match.groups()
    is_unit = len(before) > 1 and is_known(before, is_prefix=False)
    if (before and not is_unit and not is_known(before, is_prefix=True)) or (
        after and not is_known(after, is_prefix=False) and not re.fullmatch(SCALE, after)
    ):
        return cell
    return _GROUPING.sub("", number.translate(_SIMPLE_SIGNS)).strip()


def guess_rough_format(cells: Iterable[str], options: "ReadOptions") -> NumberFormat:
    """Return the number format of a sample of all columns, for header detection."""
    if options.number_format is not None:
        return options.number_format
    cells = [simplify_number(cell.strip()) for cell in cells]
    suffixed_cells = [cell for cell in cells if cell.endswith(("-", ")"))]
    notations = tuple(
        key for key, sign in _SIGNS.items() if any(map(sign.fullmatch, suffixed_cells))
    )
    mark_counts = Counter(each[2] for each in map(_DECIMAL.fullmatch, cells) if each)
    marks = (",", ".") if mark_counts[","] > mark_counts["."] else (".", ",")
    return NumberFormat(*marks, notations, lakh=True)
