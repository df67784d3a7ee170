"""The spaces of a study, and which methods searched one of their own, so that spaces differ."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from studio.compare.notes import AskedStudy, KeptDataset, StudyMethod
from studio.compare.study import Study
from studio.data.tasks import Task
from studio.phrases import joined, phrase
from studio.proposers.spaces import space_for
from studio.space.library import load
from studio.space.space import Space

_HOW = phrase("To compare methods alone, choose a space for all in a new comparison.")
_HOW_BY_OPTION = phrase("To compare methods alone, name a space for all with --spaces.")


def searched_spaces(study: AskedStudy) -> list[Space | None]:
    """Return the spaces that every method searches; ``None`` for what suits each task.

    Raises:
        SpaceError: If one cannot be read, or is not valid.
    """
    return [None if each is None else _space(each) for each in study.spaces]


def _space(given: str | Mapping[str, Any]) -> Space:
    if isinstance(given, str):
        return load(given)
    space = Space.from_json(given)
    space.check()
    return space


def _searched_words(study: AskedStudy) -> str:
    """Say in which spaces every method searched."""
    named = [each for each in searched_spaces(study) if each is not None]
    titles = _quoted(each.title or each.name for each in named)
    if len(named) == 1:
        return phrase("Every method searched the space {space}.", space=titles)
    return phrase("Every method searched each of these spaces: {spaces}.", spaces=titles)


def own_spaces(
    methods: Sequence[StudyMethod], tasks: Collection[Task]
) -> dict[tuple[str, ...], list[str]]:
    """Return the titles of the spaces searched where none is named → who searches these.

    Args:
        methods: The study's.
        tasks: Of its data sets.
    """
    named: dict[tuple[str, ...], list[str]] = {}
    for method in methods:
        titles = {space_for(method.method, task).title for task in tasks}
        named.setdefault(tuple(sorted(titles)), []).append(method.name)
    return named


def searchers_words(named: Mapping[tuple[str, ...], Sequence[str]]) -> str:
    """Say who searches what: "best in “Proven learners”; RS in “Nine classifiers”"."""
    parts = [
        phrase("{methods} in {spaces}", methods=", ".join(methods), spaces=_quoted(titles))
        for titles, methods in named.items()
    ]
    return joined(parts, "; ")


def _quoted(titles: Iterable[str]) -> str:
    return joined([phrase("“{space}”", space=phrase(each)) for each in titles], ", ")


def own_spaces_words(
    study: Study, kept: Sequence[tuple[str, KeptDataset]], *, in_window: bool = False
) -> tuple[str, ...]:
    """Return in which spaces all methods searched, or which searched another than the others.

    Args:
        study: What was asked for; where it names its spaces, every method searches those.
        kept: The study's entries with what the document keeps of them.
        in_window: Whether it is read where no command was given.
    """
    if None not in study.spaces:
        return (_searched_words(study),)
    named = own_spaces(study.methods, {each.dataset.task for _, each in kept})
    if len(named) < 2:
        return ()
    told = phrase(
        "Not all methods searched the same space, so a difference may come from the space: {who}.",
        who=searchers_words(named),
    )
    return told, _HOW if in_window else _HOW_BY_OPTION
