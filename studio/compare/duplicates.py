"""Methods of a study that are one method under two names."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from studio.compare.cells import StudyCell
from studio.phrases import phrase


def twins(cells: Iterable[StudyCell], names: Sequence[str]) -> dict[str, str]:
    """Return names that are an earlier method again → the earlier name.

    Two names are one method where, in every cell that both have, all parts and options and the
    space are the same: their trials are then the same to the last bit, and counting both would
    count one twice.

    Args:
        cells: Such that could be made.
        names: The study's methods in its order.
    """
    made: dict[str, dict[tuple[str, str], Any]] = {}
    for cell in cells:
        of_method = made.setdefault(cell.method.name, {})
        place = (cell.dataset.name, cell.space)
        # Repetitions differ in seeds and splits alone.
        if place not in of_method:
            of_method[place] = _parts(cell)
    found: dict[str, str] = {}
    there = [name for name in names if name in made]
    for position, name in enumerate(there):
        for earlier in there[:position]:
            if earlier not in found and _alike(made[name], made[earlier]):
                found[name] = earlier
                break
    return found


def twins_words(found: Mapping[str, str]) -> tuple[str, ...]:
    """Say of each name whose method it is, a sentence each."""
    return tuple(
        phrase(
            "{name} is {earlier} under another name: the same parts, options and space. It "
            "is counted once, as {earlier}.",
            name=name,
            earlier=earlier,
        )
        for name, earlier in found.items()
    )


def _parts(cell: StudyCell) -> tuple[Any, ...]:
    method = cell.composed()
    return method.proposer, method.evaluation, method.ensemble, cell.settings.space


def _alike(own: Mapping[Any, Any], theirs: Mapping[Any, Any]) -> bool:
    common = own.keys() & theirs.keys()
    return bool(common) and all(own[place] == theirs[place] for place in common)
