"""The diversity of an ensemble's members, on a real run."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from studio.analysis.diversity import TOO_FEW_MEMBERS_MESSAGE, compute_member_diversity
from studio.document.store import Document
from studio.runs.settings import TableSource

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]


def test_member_diversity_uses_requested_iteration(finished_run: Make) -> None:
    path, run_id = finished_run(method="RS-ES", budget=9)
    with Document.open(path, writable=False) as document:
        iterations = document.trials.list_iterations(run_id)
    assert len(iterations[-1].members) > 1
    for at in (None, 9, 6):
        pair_diversity = compute_member_diversity(path, run_id, at)
        members = {number for number, _ in iterations[(at or 9) - 1].members}
        if len(members) < 2:
            assert pair_diversity.reason == TOO_FEW_MEMBERS_MESSAGE
            continue
        assert pair_diversity.reason == ""
        assert set(pair_diversity.members.tolist()) == members
        for matrix in (pair_diversity.diversity, pair_diversity.disagreement):
            np.testing.assert_allclose(matrix, matrix.T)
            assert np.allclose(np.diag(matrix), 0)
            assert matrix.min() >= 0
            assert matrix.max() <= 1
    assert compute_member_diversity(path, run_id, 1).reason == TOO_FEW_MEMBERS_MESSAGE


@pytest.mark.parametrize(("target", "method"), [("target", "EO-sqm"), ("a", "EO-mse")])
def test_disagreement_is_undefined_for_regression(
    finished_run: Make, small_table: Path, target: str, method: str
) -> None:
    source = TableSource(path=str(small_table), target=target)
    pair_diversity = compute_member_diversity(
        *finished_run(method=method, budget=4, source=source), None
    )
    assert pair_diversity.reason == ""
    assert pair_diversity.is_classification == (target == "target")
    assert pair_diversity.is_classification or np.array_equal(
        pair_diversity.disagreement, pair_diversity.diversity
    )
