"""Targets of a study's data sets, and the resulting decisions about columns."""

from collections.abc import Mapping, Sequence

from studio.compare import notes
from studio.compare.cells import StudyCell
from studio.compare.notes import DatasetNote, get_dataset_name
from studio.compare.study import Study
from studio.data.samples import samples
from studio.data.tasks import is_called_target
from studio.document.store import Document
from studio.phrases import joined, phrase
from studio.runs.settings import TableChoices

_HOW = phrase(
    "A guessed column is the last one; choose another one when you start a new comparison."
)
_HOW_BY_OPTION = phrase("A guessed column is the last one; choose another one with --target.")


def is_guess(entry: str, kept: DatasetNote) -> bool:
    """Return whether the target is a guess, set by neither study nor sample nor name."""
    known = {sample.key: sample.target for sample in samples()}
    column = kept.dataset.target
    return kept.target is None and known.get(entry) != column and not is_called_target(column)


def stored_entries(document: Document, study: Study) -> list[tuple[str, DatasetNote]]:
    """Return a study's entries with their data sets in the document."""
    kept = [
        (entry, notes.find_dataset_note(document, get_dataset_name(entry))) for entry in study.data
    ]
    return [(entry, each) for entry, each in kept if each is not None]


def describe_targets(
    kept: Sequence[tuple[str, DatasetNote]], *, in_window: bool = False
) -> tuple[str, ...]:
    """Return the targets, and how to correct guesses in window or shell, a sentence each."""
    if not kept:
        return ()
    named: dict[tuple[str, bool], list[str]] = {}
    for entry, each in kept:
        column = each.dataset.target, is_guess(entry, each)
        named.setdefault(column, []).append(each.dataset.name)
    alike = len(named) == 1 < len(kept)
    parts = []
    for (target, guess), names in named.items():
        of = phrase("every data set") if alike else ", ".join(names)
        parts.append(
            phrase("{target} (guessed) of {names}", target=target, names=of)
            if guess
            else phrase("{target} of {names}", target=target, names=of)
        )
    sentences = [phrase("Predicted: {columns}.", columns=joined(parts, "; "))]
    if any(guess for _, guess in named):
        sentences.append(_HOW if in_window else _HOW_BY_OPTION)
    return tuple(sentences)


def describe_decisions(kept: Sequence[tuple[str, DatasetNote]]) -> tuple[str, ...]:
    """Return the decisions about each data set's table, a sentence each; empty without any."""
    return tuple(
        phrase("{name}: {decisions}.", name=each.dataset.name, decisions=joined(parts, "; "))
        for _, each in kept
        if (parts := _parts(each.choices))
    )


def describe_leaks(document: Document, cells: Mapping[int, StudyCell]) -> tuple[str, ...]:
    """Return the leaking columns that models nevertheless used, a sentence each.

    Args:
        cells: Finished cells by run: the first of a data set speaks for all.
    """
    first: dict[str, int] = {}
    for run_id, cell in cells.items():
        first.setdefault(cell.dataset.name, run_id)
    return tuple(
        phrase("{name}: {words}", name=name, words=words)
        for name, run_id in first.items()
        if (result := document.runs.get(run_id).result) is not None
        for words in result.overruled
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
