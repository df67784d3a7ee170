"""Targets of a study's data sets, and the resulting decisions about columns."""

from collections.abc import Mapping, Sequence

from studio.analysis.text_advice import advise_on_texts
from studio.compare import study_notes
from studio.compare.cells import StudyCell
from studio.compare.study import Study
from studio.compare.study_notes import DatasetNote, describe_choices, get_dataset_name
from studio.data.findings import from_json
from studio.data.samples import list_samples
from studio.data.tasks import is_target_name
from studio.document.store import Document
from studio.phrases import join_phrases, phrase

_TARGET_REMEDY = phrase("A guessed column is the last one; to change it, start a new comparison.")
_TARGET_REMEDY_BY_OPTION = phrase(
    "A guessed column is the last one; choose another one with --target."
)


def is_guess(entry: str, note: DatasetNote) -> bool:
    """Return whether the target was guessed: not set by study or sample, nor named as a target."""
    sample_targets = {sample.key: sample.target for sample in list_samples()}
    column = note.dataset.target
    return (
        note.target is None and sample_targets.get(entry) != column and not is_target_name(column)
    )


def list_stored_entries(document: Document, study: Study) -> list[tuple[str, DatasetNote]]:
    """Return a study's entries with their data sets in the document."""
    entries_with_notes = [
        (entry, study_notes.find_dataset_note(document, get_dataset_name(entry)))
        for entry in study.data
    ]
    return [(entry, each) for entry, each in entries_with_notes if each is not None]


def describe_targets(
    entries: Sequence[tuple[str, DatasetNote]], *, in_window: bool = False
) -> tuple[str, ...]:
    """Return the targets, and how to correct guesses in window or shell, a sentence each."""
    if not entries:
        return ()
    targets_by_name: dict[tuple[str, bool], list[str]] = {}
    for entry, each in entries:
        column = each.dataset.target, is_guess(entry, each)
        targets_by_name.setdefault(column, []).append(each.dataset.name)
    is_same_target = len(targets_by_name) == 1 < len(entries)
    descriptions = []
    for (target, is_guess_target), names in targets_by_name.items():
        datasets_text = phrase("every data set") if is_same_target else ", ".join(names)
        descriptions.append(
            phrase("{target} (guessed) of {names}", target=target, names=datasets_text)
            if is_guess_target
            else phrase("{target} of {names}", target=target, names=datasets_text)
        )
    sentences = [phrase("Predicted: {columns}.", columns=join_phrases(descriptions, "; "))]
    if any(is_guess_target for _, is_guess_target in targets_by_name):
        sentences.append(_TARGET_REMEDY if in_window else _TARGET_REMEDY_BY_OPTION)
    return tuple(sentences)


def describe_decisions(entries: Sequence[tuple[str, DatasetNote]]) -> tuple[str, ...]:
    """Return the decisions about each data set's table, a sentence each; empty without any."""
    return tuple(
        phrase(
            "{name}: {decisions}.", name=each.dataset.name, decisions=join_phrases(decisions, "; ")
        )
        for _, each in entries
        if (decisions := describe_choices(each.choices))
    )


def describe_leaks(document: Document, cells: Mapping[int, StudyCell]) -> tuple[str, ...]:
    """Return leaking columns that models nevertheless used, by the first cell of each data set."""
    first_runs: dict[str, int] = {}
    for run_id, cell in cells.items():
        first_runs.setdefault(cell.dataset.name, run_id)
    return tuple(
        phrase("{name}: {words}", name=name, words=message)
        for name, run_id in first_runs.items()
        if (result := document.runs.get(run_id).result) is not None
        for message in result.overruled
    )


def advise_on_texts_of(
    document: Document, entries: Sequence[tuple[str, DatasetNote]]
) -> tuple[str, ...]:
    """Return the advice to read columns of free text as text, a sentence per data set."""
    sentences = []
    for _, each in entries:
        description = document.tables.describe(each.dataset.table_id)
        findings = from_json(description.get("findings", ()))
        if advice := advise_on_texts(findings, each.choices.decided_columns):
            sentences.append(phrase("{name}: {words}", name=each.dataset.name, words=advice))
    return tuple(sentences)
