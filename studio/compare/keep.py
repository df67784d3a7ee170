"""Put a study into a document, checked, for whoever conducts it next."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from studio.compare import notes
from studio.compare.cells import cells_of, find_run
from studio.compare.names import name_of
from studio.compare.study import study_of
from studio.document.store import Document
from studio.errors import UsageError


def keep_study(path: Path, given: Mapping[str, Any]) -> None:
    """Make a study the one that the document asks for.

    Args:
        path: The document.
        given: The study as JSON.

    Raises:
        UsageError, SpaceError: If it says something impossible, two data sets have one name, or
            cells that the document holds were computed with other settings; the document is as
            before then.
    """
    study = study_of(given)
    names = [name_of(entry) for entry in study.data]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(
            "Two data sets are called {twice!r}, so they could not be told apart. Rename one of "
            "the files, or remove one.",
            twice=twice[0],
        )
    with Document.open(path) as document:
        kept = (notes.kept_dataset(document, name) for name in names)
        datasets = [each.dataset for each in kept if each is not None]
        for cell in cells_of(study, datasets):
            find_run(document, cell)
        document.notes.set(notes.STUDY, study.to_json())
