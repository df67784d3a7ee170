"""What a study decided about the columns of its tables, where its results are read."""

from collections.abc import Sequence

from studio.compare.notes import KeptDataset
from studio.phrases import joined, phrase
from studio.runs.settings import TableChoices


def decided_words(kept: Sequence[tuple[str, KeptDataset]]) -> tuple[str, ...]:
    """Return what was decided about each data set's table, in a sentence; nothing without any.

    Args:
        kept: The study's entries with what the document keeps of them.
    """
    return tuple(
        phrase("{name}: {decisions}.", name=each.dataset.name, decisions=joined(parts, "; "))
        for _, each in kept
        if (parts := _parts(each.choices))
    )


def _parts(choices: TableChoices) -> list[str]:
    roles = choices.roles.items()
    left_out = [name for name, role in roles if role == "ignore"]
    others = [f"{name} ({role})" for name, role in roles if role != "ignore"]
    ways = [f"{name} ({way})" for name, way in choices.monotone.items()]
    kinds = [f"{name} ({kind})" for name, kind in choices.kinds.items()]
    treated = [f"{name} ({how})" for name, how in choices.treatments.items()]
    parts = (
        (left_out, phrase("left out: {names}", names=", ".join(left_out))),
        (ways, phrase("monotonic constraints: {names}", names=", ".join(ways))),
        (others, phrase("roles: {names}", names=", ".join(others))),
        (kinds, phrase("kinds: {names}", names=", ".join(kinds))),
        (treated, phrase("odd values: {names}", names=", ".join(treated))),
        (choices.reading, phrase("reading chosen")),
        (choices.task != "auto", phrase("task: {task}", task=choices.task)),
    )
    return [words for chosen, words in parts if chosen]
