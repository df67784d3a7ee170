"""Stored predictions on wrong rows are reported as damage despite valid checksums."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.analysis import diversity
from studio.analysis.diversity import compute_least_diversity
from studio.analysis.prediction_errors import compute_prediction_errors
from studio.analysis.surrogate.choices import compute_posterior_choices
from studio.analysis.what_if import compute_what_if
from studio.compare.outcomes import CellOutcome
from studio.compare.pair_comparisons import _compute_losses
from studio.data.splits import SplitPlan
from studio.document.store import Document
from studio.errors import DocumentError
from studio.runs import load
from studio.runs.create import fork_run
from tests.forged import put, records, seal_text

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

BUDGET = 6


@pytest.fixture
def run(finished_run: Callable[..., tuple[Path, int]]) -> Path:
    """Return a document with a run with more test than validation rows."""
    plan = SplitPlan(train=0.5, validation=0.2, test=0.3)
    return finished_run(budget=BUDGET, plan=plan, refit=False, keep=False)[0]


def confuse(path: Path, part: str) -> None:
    """Give the third trial (all trials, for test rows) predictions of the other part."""
    other = {"validation": "test", "test": "validation"}[part]
    for record in records(path):
        if record.table == "trials" and (part == "test" or record.label == "trial 1 3"):
            content = {**record.content, part: record.content[other]}
            put(path, record, seal_text(record.label, json.dumps(content)))


def contest(path: Path) -> None:
    outcome = CellOutcome(1, "", "", 1, "error", "%", 0.0, (), BUDGET, 0, 0.0, 0.0, 0.0)
    with Document.open(path, writable=False) as document:
        _compute_losses(document, outcome, [BUDGET])


def fork(path: Path) -> None:
    with Document.open(path) as document:
        fork_run(document, 1, 4, {})


@pytest.mark.parametrize(
    ("part", "read"),
    [
        ("test", lambda path: compute_what_if(path, 1, BUDGET, {1: 1.0})),
        ("test", lambda path: compute_prediction_errors(path, 1, BUDGET, "test", None)),
        ("test", lambda path: compute_posterior_choices(path, 1, None)),
        ("test", contest),
        ("test", fork),
        ("validation", fork),
        ("validation", contest),
        ("validation", lambda path: compute_least_diversity(path, 1)),
        ("validation", lambda path: compute_what_if(path, 1, BUDGET, {1: 1.0})),
    ],
)
def test_predictions_for_other_rows_are_reported_as_damage(
    run: Path, part: str, read: Callable[[Path], object]
) -> None:
    read(run)
    confuse(run, part)
    clear()
    with pytest.raises(DocumentError, match=r"trial 1 \d"):
        read(run)


def clear() -> None:
    """Clear the caches of the run."""
    load._get_cached_run.cache_clear()
    diversity._get_diversity_cache.cache_clear()


def test_only_one_module_reads_stored_predictions() -> None:
    readers = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "studio").rglob("*.py")
        if "document.trials.read_predictions(" in path.read_text(encoding="utf-8")
    ]
    assert readers == ["studio/runs/load.py"]
