"""Identifier columns: row numbers, keys, customers, machines."""

import itertools
import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from studio.arrays import Floats
from studio.data.distinct import DistinctCells
from studio.phrases import phrase

FEW_ROWS = 20
"""Minimum number of rows; with fewer, columns look like identifiers or leaks by chance."""

MIN_DISTINCT_SHARE = 0.9
"""Share of distinct values above which a column may identify rows; below it, their owners."""

_MIN_FILLED_RANGE = 0.9  # share of the integers from first to last in row numbers
_MAX_MISSING_SHARE = 0.05  # maximum share of rows without a number

_YEARS = (1700.0, 2100.0)

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^\W\d_a-zA-Z]+")
_KEY_WORDS = frozenset(
    ("id", "ids", "uuid", "guid", "identifier", "identifiant", "matricule", "ид")
)
_FINAL_KEY_WORDS = frozenset(
    ("nr", "no", "nbr", "num", "number", "numbers", "nummer", "numero", "numer", "key", "pk", "row",
     "rows", "code", "kode", "codigo", "codice", "kod", "kennung", "schluessel", "schlussel",
     "номер", "isbn", "issn", "ean", "gtin", "upc", "imei", "ssn", "mrn",
     "iban", "vin", "dossier", "folio")
)  # fmt: skip
_COMPOUND_KEY = re.compile(
    r"(?:row|record|rec|order|invoice|ticket|transaction|trans|txn|case|sample|item|product|article|"
    r"booking|loan|claim|policy|event|session|image|photo|house|property|listing|line|entry|obs|"
    r"observation|serial|doc|document|file|job|unique|visit|encounter|emp|std|cust|pass|acct)"
    r"(?:id|no|num|number|key|idx|index)|[cefgoprstuv]id|.{3,}(?:nummer|number|nr)|(?:.*[^\W\d_a-z])?(?:编号|番号|번호)"
)
_INDEX_NAMES = frozenset(
    ("index", "idx", "unnamed", "level", "rownames", "row names", "row index", "record index")
)
_RANK_WORDS = frozenset(
    ("rank", "ranking", "rang", "position", "place", "platz",
     "year", "yr", "jahr", "annee", "ano", "anno", "jaar", "rok", "год",
     "age", "alter", "edad", "eta", "idade", "leeftijd", "wiek",
     "day", "days", "week", "weeks", "month", "months", "hour", "hours", "score")
)  # fmt: skip


def explain_identifier(
    name: str, aliases: Sequence[str], cells: DistinctCells, missing: int, distinct: int
) -> str:
    """Explain why a numeric column, with its aliases in pandas, is an identifier; else empty."""
    n_filled = len(cells.codes) - missing
    numbers = cells.numbers[~np.isnan(cells.numbers)]
    if n_filled < FEW_ROWS or not MIN_DISTINCT_SHARE * n_filled < distinct <= len(numbers):
        return ""  # otherwise they are dates
    if not np.array_equal(numbers, np.round(numbers)) or np.isinf(numbers).any():
        return ""
    if any(map(is_key_name, (name, *aliases))):
        return phrase(
            "Its name suggests an identifier, and {distinct:,} of {filled:,} numbers are distinct.",
            distinct=distinct,
            filled=n_filled,
        )
    if missing > _MAX_MISSING_SHARE * len(cells.codes) or not _is_running_number(
        name, numbers, distinct
    ):
        return ""
    if distinct == n_filled and np.all(np.diff(cells.numbers[cells.codes]) == 1.0):
        return phrase("It numbers the rows like an identifier.")
    return phrase(
        "It numbers the rows in another order: it contains {distinct:,} of the whole numbers from "
        "{low:,} to {high:,}.",
        low=int(numbers.min()),
        high=int(numbers.max()),
        distinct=distinct,
    )


def _is_running_number(name: str, numbers: Floats, distinct: int) -> bool:
    """Whether integers, (k,), have almost no gaps and are neither years nor ranks."""
    low, high = numbers.min(), numbers.max()
    if distinct < _MIN_FILLED_RANGE * (high - low + 1):
        return False
    if not _RANK_WORDS.isdisjoint(split_name(name)) or _UNIT.search(name):
        return False
    return not _YEARS[0] <= low <= high <= _YEARS[1]


def is_key_name(name: str) -> bool:
    """Whether a name denotes a row key: "PassengerId", "account_no", "Unnamed: 0", "#"."""
    words = split_name(name)
    if not words:
        return name.strip() in {"#", "№", "Nº", "N°"}
    compound = "".join(words)
    return (
        not _KEY_WORDS.isdisjoint(words)
        or (words[-1] in _FINAL_KEY_WORDS and not name[-1].isdigit())  # NO2 is a gas, not a number
        or " ".join(words) in _INDEX_NAMES
        or _COMPOUND_KEY.fullmatch(words[-1]) is not None
        or is_owner_name(compound)
    )


def split_name(name: str) -> list[str]:
    """Split a name into words without signs: "EmployeeNumber", "N° Client" → "n", "client"."""
    decomposed = unicodedata.normalize("NFKD", name)
    letters = "".join(each for each in decomposed if not unicodedata.combining(each))
    return [word.casefold() for word in _WORD.findall(letters)]


_UNIT = re.compile(r"[\[(][^\[\]()0-9#]+[\])]\s*$")
"""Brackets with a unit at the end of a name."""

MIN_GROUPS = 20
"""Minimum number of owners; fewer are an ordinary category."""

_MAX_GROUP_SHARE = 0.9  # share of distinct values above which words identify rows
_MAX_ROWS_PER_GROUP = 100  # maximum mean number of rows per owner at which cells alone suggest one

_OWNERS = (
    "patient|subject|participant|customer|client|user|member|employee|student|respondent|person|"
    "household|driver|donor|animal|device|machine|vehicle|account|policyholder|passenger|"
    "kunde|kund|proband|teilnehmer|nutzer|benutzer|mitglied|mitarbeiter|haushalt|schueler|schuler|"
    "fahrer|geraet|gerat|maschine|fahrzeug|konto|versicherter|tier|"
    "sujet|utilisateur|adherent|assure|menage|personne|eleve|conducteur|compte|abonne|appareil|"
    "cliente|paciente|sujeto|participante|usuario|miembro|socio|hogar|persona|alumno|cuenta|"
    "paziente|soggetto|partecipante|utente|famiglia|studente|"
    "sujeito|utilizador|pessoa|aluno|conta|"
    "klant|deelnemer|gebruiker|klient|pacjent|uzytkownik|zakaznik|deltagare|anvandare|bruger|"
    "musteri|hasta|kullanici|asiakas|potilas|"
    "клиент|пациент|пользователь|участник|客户|客戶|顾客|顧客|患者|用户|用戶|会员|고객|환자"
)
_NUMBERS = (
    "id|uuid|guid|nr|no|nbr|n|num|number|nummer|numero|numer|nom|name|code|kode|codigo|codice|kod|key|"
    "schluessel|schlussel|kennung|identifiant|matricule|reference|ref|номер|ид|编号|番号|번호|号"
)
_FILLERS = "der|des|die|de|du|of|the|del|della|da|do|di|la|le|l|el"
_OWNER_NAME = re.compile(
    rf"(?:{_OWNERS})|(?:{_OWNERS})(?:en|n|s|e)?(?:{_NUMBERS})+"
    rf"|(?:{_NUMBERS})+(?:{_FILLERS})*(?:{_OWNERS})(?:en|n|s|a)?"
)
_COUNT_NAME = re.compile(
    rf"(?:number|numero|num|nombre|no|nr|n)(?:of|the|de|des|di|do|da)*(?:{_OWNERS})s"
)
_ANY_KEY = re.compile(r"(?:.*[_\s.-])?(?:id|uuid|guid)", re.IGNORECASE)
_DIGITS = re.compile(r"[0-9]")


def looks_like_group_id(
    name: str, cells: DistinctCells, missing: int, distinct: int, is_category: bool
) -> bool:
    """Return whether a column, of words or whole numbers, seems to identify the owners of rows."""
    n_filled = len(cells.codes) - missing
    if not MIN_GROUPS <= distinct <= _MAX_GROUP_SHARE * n_filled:
        return False
    if not is_category and not _are_whole(cells):
        return False
    if is_owner_name(name):
        return True
    if not 2 * distinct <= n_filled <= _MAX_ROWS_PER_GROUP * distinct:
        return False
    return _are_codes(cells) if is_category else _are_numbered_blocks(cells, missing, distinct)


_AREA_WORDS = frozenset(
    ("zip", "zips", "zipcode", "zipcodes", "postcode", "postcodes", "postal", "postalcode",
     "pincode", "plz", "postleitzahl", "postnummer", "postnr", "postale", "cep", "индекс", "邮编")
)  # fmt: skip
_NAMED_CODES = frozenset(("code", "codes", "codigo", "codice"))
_CODE_WORDS = _NAMED_CODES | {"no", "nr", "number"}
_AREA_WIDTHS = (4, 6)  # minimum and maximum number of digits of an area code, without lost zeros


def are_area_codes(name: str, cells: DistinctCells) -> bool:
    """Return whether numbers seem to be postcodes: by the name, and by an equal number of digits.

    A leading zero lost in a spreadsheet is tolerated: 2138 next to 90210.
    """
    words = split_name(name)
    if _AREA_WORDS.isdisjoint(words) or words[-1] not in _AREA_WORDS | _CODE_WORDS:
        return False
    numbers = cells.numbers[~cells.missing]
    if not _are_whole(cells) or not np.isfinite(numbers).all():
        return False
    widths = {len(str(int(number))) for number in numbers}
    return max(widths) - min(widths) <= 1 and _AREA_WIDTHS[0] <= max(widths) <= _AREA_WIDTHS[1]


def is_code_name(name: str) -> bool:
    """Whether a name denotes codes, such as "Postcode", "PLZ" or "product_code"."""
    return not (_AREA_WORDS | _NAMED_CODES).isdisjoint(split_name(name))


def is_owner_name(name: str) -> bool:
    """Whether a name denotes an owner or a key: "Kunden-Nr.", "customerID", "Numéro du client".

    "Number of customers" and "num_users" are counts.
    """
    if _ANY_KEY.fullmatch(name):
        return True
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(filter(str.isalpha, decomposed))
    return _OWNER_NAME.fullmatch(letters) is not None and _COUNT_NAME.fullmatch(letters) is None


def _are_whole(cells: DistinctCells) -> bool:
    numbers = cells.numbers[~cells.missing]
    return bool(np.all(numbers >= 0)) and np.array_equal(numbers, np.round(numbers))


def _are_codes(cells: DistinctCells) -> bool:
    """Whether all words have one pattern, letters and then at least two digits: "K-00417", "AB12C".

    Dates and times begin with a digit, and words with blanks are not codes.
    """
    texts = itertools.compress(cells.stripped, ~cells.missing)
    shapes = {_DIGITS.sub("0", "".join("a" if c.isalpha() else c for c in text)) for text in texts}
    shape = shapes.pop() if len(shapes) == 1 else ""
    return shape.startswith("a") and " " not in shape and shape.count("0") >= 2


def _are_numbered_blocks(cells: DistinctCells, missing: int, distinct: int) -> bool:
    """Whether owners are numbered from 0 or 1 without gaps, with adjacent rows."""
    if missing:
        return False
    numbers = cells.numbers[cells.codes]
    first = numbers.min()
    if first not in {0.0, 1.0} or numbers.max() - first + 1 != distinct:
        return False
    return int(np.count_nonzero(np.diff(numbers))) + 1 == distinct
