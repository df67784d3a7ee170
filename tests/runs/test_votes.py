"""Ensembles whose probabilities are shares of votes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from studio.analysis.one_row.helper_tasks import make_row_form
from studio.document.store import Document
from studio.ensembles.base import Ensemble
from studio.errors import UsageError
from studio.export.predict import predict_table
from studio.runs.load import follow
from studio.runs.margins import are_votes
from studio.space.library import load
from tests.facts import contains_facts

Make = Callable[..., tuple[Path, int]]


@pytest.mark.slow
def test_label_only_members_give_vote_shares(finished_run: Make, small_table: Path) -> None:
    path, run_id = finished_run(space=load("svm-rbf").to_json(), method="RS-ES", budget=4)
    with Document.open(path) as document:
        prepared, history = follow(document, run_id)
        members = tuple(each.number for each in history.succeeded)[:2]
        together = Ensemble(members, (0.5, 0.5), "mean")
        assert are_votes(prepared, history, together)
        assert not are_votes(prepared, history, Ensemble(members, (0.5, 0.5), "mean", None, 1.5))
        with pytest.raises(UsageError, match="share of votes"):
            predict_table(document, run_id, small_table, interval=0.9)
    assert make_row_form(path, run_id).has_vote_shares


@pytest.mark.slow
def test_probability_members_give_no_vote_shares(finished_run: Make, small_table: Path) -> None:
    path, run_id = finished_run(space=load("forest-thesis").to_json(), method="RS-ES", budget=3)
    with Document.open(path) as document, pytest.raises(UsageError, match="probability written"):
        predict_table(document, run_id, small_table, interval=0.9)
    assert not make_row_form(path, run_id).has_vote_shares


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "metric", "is_noted"),
    [("RS-ES", "log-loss", True), ("RS-ES", "error", False), ("best", "log-loss", False)],
)
def test_error_based_selection_adds_note_for_probability_metric(
    finished_run: Make, method: str, metric: str, is_noted: bool
) -> None:
    path, run_id = finished_run(method=method, metric=metric, budget=1)
    with Document.open(path) as document:
        prepared, _ = follow(document, run_id)
    assert any(contains_facts(each, "errors", "Log loss") for each in prepared.notes) is is_noted
