"""Names of a study's cells, in documents and for display."""

from collections.abc import Sequence
from functools import cache

from studio.language import translate
from studio.phrases import join_phrases, phrase
from studio.space.library import list_default_spaces, list_shipped_spaces

_SEPARATOR = " · "


def make_cell_name(dataset: str, method: str, space: str, repetition: int) -> str:
    """Return the name of a cell in the document, ``space`` by its key."""
    return _SEPARATOR.join((dataset, method, space, str(repetition)))


def get_displayed_name(name: str) -> str:
    """Return a run's display name; a cell's has its space's title in the current language.

    A task's default space is omitted. Other names, and those with a space from a file, are returned
    unchanged.
    """
    parts = _split_name(name)
    if parts is None:
        return name
    row, space, repetition = parts
    if space in list_default_spaces():
        return _SEPARATOR.join((row, repetition))
    title = _get_space_titles().get(space)
    return name if title is None else _SEPARATOR.join((row, translate(title), repetition))


def _split_name(name: str) -> tuple[str, str, str] | None:
    """Return "data set · method", space and repetition of a cell's name; ``None`` for others."""
    parts = name.rsplit(_SEPARATOR, 2)
    is_cell = len(parts) == 3 and parts[2].isdecimal() and _SEPARATOR in parts[0]
    return (parts[0], parts[1], parts[2]) if is_cell else None


def name_row_of_method(dataset: str, method: str) -> str:
    """Return what :func:`drop_repetition` leaves of a cell's name."""
    return _SEPARATOR.join((dataset, method))


def drop_repetition(name: str) -> str:
    """Return "diabetes · EO-sig" of a cell's name; other names are returned unchanged."""
    parts = _split_name(name)
    return name if parts is None else parts[0]


def quote_method(name: str) -> str:
    """Return a method's name for a sentence, in quotes if it reads as a word."""
    return phrase("“{name}”", name=name) if _reads_as_word(name) else name


def enumerate_methods(names: Sequence[str]) -> str:
    """Return "A, B"; as a phrase if a name is in quotes, which depend on the language."""
    is_quoted = any(map(_reads_as_word, names))
    return join_phrases(map(quote_method, names), ", ") if is_quoted else ", ".join(names)


def _reads_as_word(name: str) -> bool:
    """Whether a name such as "best" reads as a word: lower-case letters only."""
    return name.isalpha() and name.islower()


@cache
def _get_space_titles() -> dict[str, str]:
    return {each.key: each.title for each in list_shipped_spaces()}
