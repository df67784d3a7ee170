"""Which methods of a study searched a space of their own, so that spaces are compared, too."""

from collections.abc import Sequence

from studio.compare.notes import KeptDataset
from studio.compare.study import Study
from studio.phrases import joined, phrase
from studio.proposers.spaces import space_for

_HOW = phrase("To compare methods alone, choose a space for all in a new comparison.")
_HOW_BY_OPTION = phrase("To compare methods alone, name a space for all with --spaces.")


def own_spaces_words(
    study: Study, kept: Sequence[tuple[str, KeptDataset]], *, in_window: bool = False
) -> tuple[str, ...]:
    """Return which methods searched another space than the others, and how all search the same.

    Args:
        study: What was asked for; where it names its spaces, every method searches those.
        kept: The study's entries with what the document keeps of them.
        in_window: Whether it is read where no command was given.
    """
    if None not in study.spaces:
        return ()
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
