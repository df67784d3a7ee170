"""All losses: the thesis' toy problems, and required declarations."""

import numpy as np
import pytest

from studio.ensembles.losses.base import VoteLoss
from studio.ensembles.losses.errors import ZeroOneLoss
from studio.ensembles.losses.margins import CBound, LinearMargin, SigmoidMargin, SquaredMargin
from studio.ensembles.losses.registry import REGISTRY
from studio.ensembles.running import make_running_ensemble
from studio.trial import History, Trial

THESIS = (
    ZeroOneLoss(ties="thesis"),
    LinearMargin(),
    SquaredMargin(),
    SigmoidMargin(slope=11.49),
    CBound(),
)
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


def make_history_of(zero_one_losses: list[list[int]]) -> History:
    """Two classes, the true one always 0, so that a classifier's loss is its vote."""
    history = History(np.zeros(len(zero_one_losses[0]), dtype=np.int64), 2)
    for number, losses in enumerate(zero_one_losses, start=1):
        trial = Trial(number, {}, 0, float(np.mean(losses)))
        history.append(trial, np.eye(2, dtype=np.float16)[losses])
    return history


@pytest.mark.parametrize("table", [TABLE_1, TABLE_2], ids=["4.1", "4.2"])
def test_losses_reproduce_thesis_tables(table) -> None:
    history = make_history_of(table["losses"])
    running = make_running_ensemble(history)
    members = table["members"]
    for number in range(1, members):
        running.add(number)
    ensemble_losses = [running.compute_candidate_losses([members], loss)[0] for loss in THESIS]
    assert [f"{value:.2f}" for value in ensemble_losses] == [f"{value:.2f}" for value in table["E"]]
    running.add(members)
    numbers = list(range(members + 1, len(table["losses"]) + 1))
    losses = np.transpose([running.compute_candidate_losses(numbers, loss) for loss in THESIS])
    for row, printed in zip(losses, table["candidates"], strict=True):
        assert [f"{value:.2f}" for value in row] == [f"{value:.2f}" for value in printed]


def test_losses_with_half_tie_errors_match_adjusted_thesis_tables() -> None:
    running = make_running_ensemble(make_history_of(TABLE_1["losses"]))
    for number in (1, 2, 3):
        running.add(number)
    assert running.compute_candidate_losses([4], ZeroOneLoss())[0] == pytest.approx(2 / 3)
    running = make_running_ensemble(make_history_of(TABLE_2["losses"]))
    for number in (1, 2, 3):
        running.add(number)
    assert running.compute_candidate_losses([4], ZeroOneLoss())[0] == pytest.approx(0.30)


def test_losses_have_unique_keys_and_descriptions() -> None:
    assert len({loss.key for loss in REGISTRY}) == len(REGISTRY)
    for loss in REGISTRY:
        assert loss.key
        assert loss.title
        assert loss.reference
        assert loss.summary.count(".") == 2
        assert loss.tasks


@pytest.mark.parametrize("kind", [kind for kind in REGISTRY if issubclass(kind, VoteLoss)])
def test_losses_depend_only_on_their_margin(kind) -> None:
    """Of nine votes: over the most voted wrong class, or over all wrong votes."""
    loss = kind(slope=3.0) if kind is SigmoidMargin else kind()
    one = np.ones(1, dtype=np.int64)

    def terms(true: int, rival: int) -> tuple[float, ...]:
        return tuple(float(term[0]) for term in loss.compute_terms(true * one, rival * one, one, 9))

    assert loss.is_mean_over_rows is (len(terms(5, 3)) == 1)
    same_lead, same_votes = terms(5, 3) == terms(4, 2), terms(5, 1) == terms(5, 4)
    assert same_lead is loss.uses_runner_up
    # Five of nine votes are a majority in any case.
    assert same_votes is (not loss.uses_runner_up or kind is ZeroOneLoss)


def test_loss_formula_contains_its_margin_symbol() -> None:
    formulas = {kind.key: kind().get_formula() for kind in REGISTRY if issubclass(kind, VoteLoss)}
    assert formulas == {
        "sqm": "(1 − M)²/4",
        "margin": "(1 − M)/2",
        "zero-one": "1 where M < 0, ½ at 0",
        "sig": "1 − 1/(1 + e^(−a·M))",
        "C": "a function of M",
    }
    assert SigmoidMargin().with_size(12).get_formula() == formulas["sig"] + ", a = 7.91"
    assert SquaredMargin().describe_loss(np.zeros(2)) == ""


@pytest.mark.parametrize("kind", [kind for kind in REGISTRY if issubclass(kind, VoteLoss)])
def test_unanimous_votes_have_extreme_losses(kind) -> None:
    """Every vote loss goes from 0 (nearly, for the sigmoid) to 1."""
    history = make_history_of([[0, 0], [1, 1]])
    for number, expected in ((1, 0.0), (2, 1.0)):
        running = make_running_ensemble(history)
        for _ in range(4):
            running.add(number)
        assert running.compute_candidate_losses([number], kind())[0] == pytest.approx(
            expected, abs=2e-5
        )


@pytest.mark.parametrize("members", [2, 3, 5, 8])
@pytest.mark.parametrize("seed", range(3))
def test_margins_and_disagreement_satisfy_thesis_identities(make_history, members, seed) -> None:
    """Thesis eq. 4.16-4.20 and 4.22, each written out from the members' votes."""
    history = make_history(members, 2, seed=seed)
    is_wrong = np.array([history.get_votes(n) != history.truth for n in range(1, members + 1)])
    margin = 1 - 2 * is_wrong.mean(axis=0)
    first, second = margin.mean(), np.square(margin).mean()
    disagreement = np.mean([[np.mean(a != b) for b in is_wrong] for a in is_wrong])
    assert second == pytest.approx(1 - 2 * disagreement)  # 4.18, 4.19
    running = make_running_ensemble(history)
    for number in range(1, members):
        running.add(number)

    def loss(part) -> float:
        return float(running.compute_candidate_losses([members], part)[0])

    assert loss(SquaredMargin()) == pytest.approx((1 - 2 * first + second) / 4)  # 4.16
    assert loss(SquaredMargin()) == pytest.approx((1 - first - disagreement) / 2)  # 4.20
    ratio = np.sign(first) * first**2 / (1 - 2 * disagreement)
    assert loss(CBound()) == pytest.approx((1 - ratio) / 2)
    assert loss(LinearMargin()) == pytest.approx(is_wrong.mean())


@pytest.mark.parametrize("kind", [kind for kind in REGISTRY if issubclass(kind, VoteLoss)])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_contract_vote_loss_is_in_unit_interval_and_symmetric(
    make_history, kind, n_classes
) -> None:
    history = make_history(7, n_classes, seed=1)
    losses_by_order = []
    for order in ([1, 2, 3, 4, 5], [5, 3, 1, 4, 2]):
        running = make_running_ensemble(history)
        for number in order:
            running.add(number)
        losses_by_order.append(running.compute_candidate_losses([6, 7, 1], kind()))
    assert losses_by_order[0].tolist() == losses_by_order[1].tolist()
    assert losses_by_order[0].min() >= 0
    assert losses_by_order[0].max() <= 1
    rows = np.random.default_rng(0).permutation(len(history.truth))
    mixed = History(history.truth[rows], n_classes)
    for trial in history.trials:
        mixed.append(trial, history.get_predictions(trial.number)[rows])
    running = make_running_ensemble(mixed)
    for number in range(1, 6):
        running.add(number)
    assert (
        running.compute_candidate_losses([6, 7, 1], kind()).tolist() == losses_by_order[0].tolist()
    )


@pytest.mark.parametrize("kind", [kind for kind in REGISTRY if issubclass(kind, VoteLoss)])
def test_contract_better_candidate_is_never_worse(make_history, kind) -> None:
    """A candidate that is right wherever another is, and in more rows, has no higher loss."""
    history = make_history(4, 3, seed=2)
    truth = history.truth
    better = history.get_votes(4).copy()
    better[:10] = truth[:10]
    one_hot = np.eye(3, dtype=np.float16)[better]
    history.append(Trial(5, {}, 0, float(np.mean(better != truth))), one_hot)
    running = make_running_ensemble(history)
    for number in (1, 2, 3):
        running.add(number)
    worse, improved = running.compute_candidate_losses([4, 5], kind())
    assert improved <= worse
