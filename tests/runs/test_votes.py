"""Ensembles whose probabilities are shares of votes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from studio.analysis.one_row.tasks import row_form
from studio.document.store import Document
from studio.ensembles.base import Ensemble
from studio.errors import UsageError
from studio.export.predict import predict_table
from studio.runs.load import follow
from studio.runs.margins import are_votes
from studio.space.library import load

Make = Callable[..., tuple[Path, int]]


def test_members_that_give_labels_only_have_shares_of_votes(
    finished_run: Make, small_table: Path
) -> None:
    path, run_id = finished_run(space=load("svm-rbf").to_json(), method="RS-ES", budget=4)
    with Document.open(path) as document:
        prepared, history = follow(document, run_id)
        members = tuple(each.number for each in history.succeeded)[:2]
        together = Ensemble(members, (0.5, 0.5), "mean")
        assert are_votes(prepared, history, together)
        assert not are_votes(prepared, history, Ensemble(members, (0.5, 0.5), "mean", None, 1.5))
        with pytest.raises(UsageError, match="the votes"):
            predict_table(document, run_id, small_table, interval=0.9)
    assert row_form(path, run_id).votes


def test_members_with_probabilities_have_none(finished_run: Make, small_table: Path) -> None:
    path, run_id = finished_run(space=load("forest-thesis").to_json(), method="RS-ES", budget=3)
    with Document.open(path) as document, pytest.raises(UsageError, match="how sure"):
        predict_table(document, run_id, small_table, interval=0.9)
    assert not row_form(path, run_id).votes
