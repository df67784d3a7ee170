"""Columns that say whose rows they are: a customer's, a patient's, a machine's number.

Where new rows will be of others, rows of one owner belong on one side of every split. Whether a
column is such a number is judged by its cells first (the same few codes come again, some rows
each), then by its name in the languages of people's tables, or by how the codes look or are
ordered.
"""

import itertools
import re
import unicodedata

import numpy as np

from studio.data.distinct import Distinct

FEWEST = 20
"""Fewer owners than this are a category like any other."""

_MAX_ALIKE = 0.9
"""Share of different values above which a column of words is an identifier of the rows."""

_ROWS_EACH = 100
"""Rows of one owner, on average, up to which cells alone are enough to suspect one."""

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
    "id|uuid|guid|nr|no|n|num|number|nummer|numero|numer|nom|name|code|kode|codigo|codice|kod|key|"
    "schluessel|schlussel|kennung|identifiant|matricule|reference|ref|номер|ид|编号|番号|번호|号"
)
_FILLERS = "der|des|die|de|du|of|the|del|della|da|do|di|la|le|l|el"
_NAME = re.compile(
    rf"(?:{_OWNERS})|(?:{_OWNERS})(?:en|n|s|e)?(?:{_NUMBERS})+"
    rf"|(?:{_NUMBERS})+(?:{_FILLERS})*(?:{_OWNERS})(?:en|n|s)?"
)
_COUNT = re.compile(
    rf"(?:number|numero|num|nombre|no|nr|n)(?:of|the|de|des|di|do|da)*(?:{_OWNERS})s"
)
_ANY_KEY = re.compile(r"(?:.*[_\s.-])?(?:id|uuid|guid)", re.IGNORECASE)
_DIGITS = re.compile(r"[0-9]")


def looks_like_group_id(
    name: str, cells: Distinct, missing: int, distinct: int, is_category: bool
) -> bool:
    """Return whether a column seems to say whose rows they are.

    Args:
        name: The column's name.
        cells: Its cells.
        missing, distinct: Rows without a value, and different values.
        is_category: Whether it would be used as a category; numbers must be whole ones.
    """
    filled = len(cells.codes) - missing
    if not FEWEST <= distinct <= _MAX_ALIKE * filled:
        return False
    if not is_category and not _whole(cells):
        return False
    if named_after_owner(name):
        return True
    if not 2 * distinct <= filled <= _ROWS_EACH * distinct:
        return False
    return _codes(cells) if is_category else _counted_in_blocks(cells, missing, distinct)


def named_after_owner(name: str) -> bool:
    """Whether a name means an owner or a key: "Kunden-Nr.", "customerID", "Numéro du client".

    "Number of customers" and "num_users" are counts.
    """
    if _ANY_KEY.fullmatch(name):
        return True
    bare = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(filter(str.isalpha, bare))
    return _NAME.fullmatch(letters) is not None and _COUNT.fullmatch(letters) is None


def _whole(cells: Distinct) -> bool:
    numbers = cells.numbers[~cells.missing]
    return bool(np.all(numbers >= 0)) and np.array_equal(numbers, np.round(numbers))


def _codes(cells: Distinct) -> bool:
    """Whether all words are of one shape: letters, then two digits or more: "K-00417", "AB12C".

    Dates and times begin with a digit, and words with blanks are no codes.
    """
    texts = itertools.compress(cells.stripped, ~cells.missing)
    shapes = {_DIGITS.sub("0", "".join("a" if c.isalpha() else c for c in text)) for text in texts}
    shape = shapes.pop() if len(shapes) == 1 else ""
    return shape.startswith("a") and " " not in shape and shape.count("0") >= 2


def _counted_in_blocks(cells: Distinct, missing: int, distinct: int) -> bool:
    """Whether owners are counted from 0 or 1 without a gap, the rows of each below each other."""
    if missing:
        return False
    numbers = cells.numbers[cells.codes]
    first = numbers.min()
    if first not in {0.0, 1.0} or numbers.max() - first + 1 != distinct:
        return False
    return int(np.count_nonzero(np.diff(numbers))) + 1 == distinct
