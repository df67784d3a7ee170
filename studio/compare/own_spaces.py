"""The spaces of a study, and which methods searched one of their own, so that spaces differ."""

from collections.abc import Mapping, Sequence
from typing import Any

from studio.compare.notes import AskedStudy, KeptDataset
from studio.compare.study import Study
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
    titles = joined(
        [phrase("“{space}”", space=phrase(each.title or each.name)) for each in named], ", "
    )
    if len(named) == 1:
        return phrase("Every method searched the space {space}.", space=titles)
    return phrase("Every method searched each of these spaces: {spaces}.", spaces=titles)


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
    tasks = {each.dataset.task for _, each in kept}
    named: dict[tuple[str, ...], list[str]] = {}
    for method in study.methods:
        titles = {space_for(method.method, task).title for task in tasks}
        named.setdefault(tuple(sorted(titles)), []).append(method.name)
    if len(named) < 2:
        return ()
    parts = [
        phrase(
            "{methods} in {spaces}",
            methods=", ".join(methods),
            spaces=joined([phrase("“{space}”", space=phrase(each)) for each in titles], ", "),
        )
        for titles, methods in named.items()
    ]
    told = phrase(
        "Not all methods searched the same space, so a difference may come from the space: {who}.",
        who=joined(parts, "; "),
    )
    return told, _HOW if in_window else _HOW_BY_OPTION
