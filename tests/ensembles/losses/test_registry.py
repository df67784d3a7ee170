"""The losses together: the thesis' toy problems, and what every loss must declare."""

import numpy as np
import pytest

from studio.ensembles.losses.base import VoteLoss
from studio.ensembles.losses.c_bound import CBound
from studio.ensembles.losses.margin import Margin
from studio.ensembles.losses.registry import REGISTRY
from studio.ensembles.losses.sigmoid import Sigmoid
from studio.ensembles.losses.squared_margin import SquaredMargin
from studio.ensembles.losses.zero_one import ZeroOne
from studio.ensembles.running import running_ensemble
from studio.trial import History, Trial

THESIS = (ZeroOne(ties="thesis"), Margin(), SquaredMargin(), Sigmoid(slope=11.49), CBound())
"""The columns of tables 4.1 and 4.2; their sigmoid uses the slope of five members in every row."""

TABLE_1 = {
    "losses": [[0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 0, 0], [1, 1, 1]],
    "members": 3,
    "E": [1.00, 0.67, 0.44, 0.98, 1.00],
    "candidates": [[1.00, 0.58, 0.35, 0.67, 0.67], [1.00, 0.75, 0.56, 1.00, 1.00]],
}
TABLE_2 = {
    "losses": [
        [1, 1, 0, 0, 0],
        [0, 0, 0, 1, 1],
        [0, 0, 1, 1, 0],
        [1, 0, 0, 1, 0],
        [0, 0, 1, 0, 1],
        [1, 1, 0, 0, 0],
        [0, 0, 0, 1, 1],
    ],
    "members": 4,
    "E": [0.40, 0.40, 0.20, 0.30, 0.40],
    "candidates": [
        [0.20, 0.40, 0.18, 0.24, 0.31],
        [0.40, 0.40, 0.19, 0.38, 0.38],
        [0.20, 0.40, 0.21, 0.24, 0.41],
    ],
}


def history_of(zero_one_losses: list[list[int]]) -> History:
    """Two classes, the true one always 0, so that a classifier's loss is its vote."""
    history = History(np.zeros(len(zero_one_losses[0]), dtype=np.int64), 2)
    for number, losses in enumerate(zero_one_losses, start=1):
        trial = Trial(number, {}, 0, float(np.mean(losses)))
        history.append(trial, np.eye(2, dtype=np.float16)[losses])
    return history


@pytest.mark.parametrize("table", [TABLE_1, TABLE_2], ids=["4.1", "4.2"])
def test_the_thesis_tables_are_reproduced_to_the_printed_digit(table) -> None:
    history = history_of(table["losses"])
    running = running_ensemble(history)
    members = table["members"]
    for number in range(1, members):
        running.add(number)
    whole = [running.candidate_losses([members], loss)[0] for loss in THESIS]
    assert [f"{value:.2f}" for value in whole] == [f"{value:.2f}" for value in table["E"]]
    running.add(members)
    numbers = list(range(members + 1, len(table["losses"]) + 1))
    found = np.transpose([running.candidate_losses(numbers, loss) for loss in THESIS])
    for row, printed in zip(found, table["candidates"], strict=True):
        assert [f"{value:.2f}" for value in row] == [f"{value:.2f}" for value in printed]


def test_half_a_tie_gives_what_the_thesis_tables_would_be_with_it() -> None:
    running = running_ensemble(history_of(TABLE_1["losses"]))
    for number in (1, 2, 3):
        running.add(number)
    assert running.candidate_losses([4], ZeroOne())[0] == pytest.approx(2 / 3)
    running = running_ensemble(history_of(TABLE_2["losses"]))
    for number in (1, 2, 3):
        running.add(number)
    assert running.candidate_losses([4], ZeroOne())[0] == pytest.approx(0.30)


def test_keys_are_unique_and_every_loss_describes_itself() -> None:
    assert len({loss.key for loss in REGISTRY}) == len(REGISTRY)
    for loss in REGISTRY:
        assert loss.key
        assert loss.title
        assert loss.reference
        assert loss.summary.count(".") == 2
        assert loss.tasks


@pytest.mark.parametrize("kind", [kind for kind in REGISTRY if issubclass(kind, VoteLoss)])
def test_a_unanimous_vote_is_best_when_right_and_worst_when_wrong(kind) -> None:
    """Every vote loss goes from 0 (nearly, for the sigmoid) to 1."""
    history = history_of([[0, 0], [1, 1]])
    for number, expected in ((1, 0.0), (2, 1.0)):
        running = running_ensemble(history)
        for _ in range(4):
            running.add(number)
        assert running.candidate_losses([number], kind())[0] == pytest.approx(expected, abs=2e-5)
