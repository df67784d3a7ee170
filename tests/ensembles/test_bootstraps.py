import numpy as np
import pytest

from studio.data.metrics.absolute_errors import Mae, MedianAbsoluteError
from studio.data.metrics.base import WeightedMetric
from studio.data.metrics.predicted_classes import BalancedError, ErrorRate, MacroF1
from studio.data.metrics.probabilities import BrierScore, LogLoss
from studio.data.metrics.rankings import Auc
from studio.data.metrics.squared_errors import R2, Rmse
from studio.ensembles import agnostic_bayes
from studio.ensembles.agnostic_bayes import BootstrapRisks, draw_multiplicities, get_risks
from studio.seeds import derive
from studio.trial import History, Trial

CLASSES = (ErrorRate(), LogLoss(), BrierScore(), Auc(), MacroF1(), BalancedError())
VALUES = (Rmse(), Mae(), MedianAbsoluteError())


def risks(history: History, metric, count: int = 12, share: float = 1.0, seed: int = 4):
    bootstrap_risks = BootstrapRisks(history, metric, count, share, seed)
    bootstrap_risks.advance()
    return bootstrap_risks


def test_bootstrap_depends_on_seed_and_index_only() -> None:
    multiplicities = draw_multiplicities(3, 50, 0.35, 3)
    assert multiplicities.dtype == np.uint8
    for j in range(3):
        # 17.5 is rounded to the even number.
        places = np.random.default_rng(derive(3, "bootstrap", j)).integers(50, size=18)
        np.testing.assert_array_equal(multiplicities[j], np.bincount(places, minlength=50))


@pytest.mark.parametrize("share", [1.0, 0.5, 0.08])
def test_bootstrap_size_follows_requested_share(share: float) -> None:
    multiplicities = draw_multiplicities(9, 50, share, 3)
    assert multiplicities.sum(axis=1).tolist() == [round(50 * share)] * 9
    assert len({tuple(row) for row in multiplicities.tolist()}) == 9


def test_smallest_bootstrap_has_one_row() -> None:
    assert draw_multiplicities(9, 50, 0.001, 3).sum(axis=1).tolist() == [1] * 9


def test_bootstrap_counts_are_multinomial() -> None:
    multiplicities = draw_multiplicities(200, 400, 1.0, 0)
    # Binomial(400, 1/400): P(0) = 0.3675, P(1) = 0.3684; 80,000 draws leave a spread of 0.002.
    assert np.mean(multiplicities == 0) == pytest.approx(0.3675, abs=0.008)
    assert np.mean(multiplicities == 1) == pytest.approx(0.3684, abs=0.008)
    assert multiplicities.mean(axis=0).std() == pytest.approx(1 / np.sqrt(200), rel=0.2)


def test_additional_bootstraps_do_not_change_earlier_ones() -> None:
    few, many = draw_multiplicities(5, 30, 1.0, 7), draw_multiplicities(11, 30, 1.0, 7)
    np.testing.assert_array_equal(many[:5], few)
    assert not np.array_equal(few, draw_multiplicities(5, 30, 1.0, 8))


@pytest.mark.parametrize("metric", [*CLASSES, *VALUES], ids=lambda metric: metric.key)
@pytest.mark.parametrize("share", [1.0, 0.6])
def test_bootstrap_risks_equal_metric_of_sampled_rows(make_history, metric, share) -> None:
    history = make_history(6, 3 if metric in CLASSES else 0, failed=(2,))
    bootstrap_risks = risks(history, metric, share=share)
    multiplicities = draw_multiplicities(12, 40, share, 4)
    for column, number in enumerate(bootstrap_risks.numbers):
        for j in range(12):
            rows = np.repeat(np.arange(40), multiplicities[j])
            expected = metric.compute_loss(
                history.truth[rows], history.get_predictions(int(number))[rows]
            )
            assert bootstrap_risks.risks[j, column] == pytest.approx(expected, rel=1e-9)


def test_r2_ranks_trials_like_squared_error(make_history) -> None:
    history = make_history(6, 0)
    by_r2, by_square = risks(history, R2()), risks(history, Rmse())
    np.testing.assert_allclose(by_r2.risks, by_square.risks**2 / history.truth.var(), rtol=1e-12)


def test_single_bootstrap_equals_validation_set(make_history) -> None:
    history = make_history(6, 3, failed=(2, 6))
    bootstrap_risks = risks(history, ErrorRate(), count=1)
    assert bootstrap_risks.compute_targets(0).tolist() == history.get_losses().tolist()


def test_failed_trials_have_worst_risk(make_history) -> None:
    history = make_history(6, 3, failed=(2, 6))
    bootstrap_risks = risks(history, ErrorRate())
    for j in range(12):
        targets = bootstrap_risks.compute_targets(j)
        assert targets[[0, 2, 3, 4]].tolist() == bootstrap_risks.risks[j].tolist()
        assert targets[1] == targets[5] == bootstrap_risks.risks[j].max()


def test_bootstraps_of_failed_trials_have_no_targets(make_history) -> None:
    assert risks(make_history(2, 3, failed=(1, 2)), ErrorRate()).compute_targets(3).tolist() == [
        0.0,
        0.0,
    ]


def test_undefined_bootstrap_risk_counts_as_worst(make_history) -> None:
    history = make_history(4, 2)

    def undefined_for_some(truth, given) -> float:
        return float("nan") if given is not None and np.mean(given[:, 0]) > 0.5 else 0.25

    bootstrap_risks = risks(history, undefined_for_some)
    assert np.isinf(bootstrap_risks.risks).any()
    for j in range(12):
        assert np.isfinite(bootstrap_risks.compute_targets(j)).all()
    # Defined losses are equal; a bootstrap defined for one model only is assigned to it.
    defined = np.isfinite(bootstrap_risks.risks)
    assert (defined.any(axis=1) & ~defined.all(axis=1)).any()
    defined_rows = defined[defined.any(axis=1)]
    np.testing.assert_allclose(
        bootstrap_risks.compute_shares(),
        (defined_rows / defined_rows.sum(axis=1, keepdims=True)).mean(axis=0),
    )


def test_tied_trials_share_probability_mass(make_history) -> None:
    """Brute force: one unit a bootstrap, divided among those with the fewest weighted errors."""
    history = make_history(7, 2, rows=12, failed=(3,))
    bootstrap_risks = risks(history, ErrorRate(), count=30)
    multiplicities = draw_multiplicities(30, 12, 1.0, 4).astype(int)
    expected = dict.fromkeys(history.list_numbers().tolist(), 0.0)
    tied = 0
    for row in multiplicities:
        errors = {
            n: int(row[history.get_votes(n) != history.truth].sum())
            for n in history.list_numbers().tolist()
        }
        best = [n for n, count in errors.items() if count == min(errors.values())]
        tied += len(best) > 1
        for n in best:
            expected[n] += 1 / len(best) / 30
    assert tied > 3, "the case must show ties"
    np.testing.assert_allclose(
        bootstrap_risks.compute_shares(), list(expected.values()), rtol=1e-12
    )


def test_bootstrap_risks_are_cached_per_history(make_history) -> None:
    calls = []

    def counting(truth, given) -> float:
        calls.append(1)
        return 0.5

    full_history = make_history(5, 2)
    grown_history = History(full_history.truth, 2)
    for trial in full_history.trials:
        grown_history.append(trial, full_history.get_predictions(trial.number))
        for _ in range(3):
            get_risks(grown_history, counting, 4, 1.0, 0).advance()
    assert len(calls) == 5 * 4


@pytest.mark.parametrize(("metric", "n_classes"), [(ErrorRate(), 3), (Rmse(), 0)])
def test_bootstrap_keeps_row_weights(make_history, over_rows, metric, n_classes) -> None:
    weights = np.random.default_rng(0).uniform(0.2, 3.0, 40)
    history = over_rows(make_history(6, n_classes), np.arange(40), weights)
    risk_matrix = risks(history, WeightedMetric(metric, history.truth, weights)).risks
    multiplicities = draw_multiplicities(12, 40, 1.0, 4)
    for j in range(12):
        rows = np.repeat(np.arange(40), multiplicities[j])
        predictions = [history.get_predictions(n)[rows] for n in range(1, 7)]
        expected = [
            metric.compute_loss(history.truth[rows], each, weights[rows]) for each in predictions
        ]
        np.testing.assert_allclose(risk_matrix[j], expected, rtol=1e-8)


@pytest.mark.parametrize("cells", [10, 130])
def test_bootstrap_risks_are_independent_of_block_size(make_history, monkeypatch, cells) -> None:
    history = make_history(4, 3)
    expected = risks(history, LogLoss(), count=11).risks
    monkeypatch.setattr(agnostic_bayes, "_BLOCK_CELLS", cells)
    np.testing.assert_array_equal(risks(history, LogLoss(), count=11).risks, expected)


def test_bootstraps_without_weighted_rows_have_infinite_risk(make_history, over_rows) -> None:
    weights = np.array([0.0, 0.5, 1.3, 0.0, 0.7])
    history = over_rows(make_history(3, 0, rows=5), np.arange(5), weights)
    metric = WeightedMetric(Mae(), history.truth, weights)
    bootstrap_risks = risks(history, metric, count=30, share=0.2)
    drawn_rows = draw_multiplicities(30, 5, 0.2, 4).argmax(axis=1)
    silent = weights[drawn_rows] == 0
    assert silent.any()
    assert np.array_equal(np.isinf(bootstrap_risks.risks), np.repeat(silent[:, None], 3, axis=1))
    wins = bootstrap_risks.risks[~silent] == bootstrap_risks.risks[~silent].min(
        axis=1, keepdims=True
    )
    np.testing.assert_allclose(bootstrap_risks.compute_shares(), wins.mean(axis=0))


def test_bootstrap_risks_need_successful_trials(make_history) -> None:
    assert risks(make_history(2, 3, failed=(1, 2)), ErrorRate()).risks.shape == (12, 0)


def make_rare_class_history(positives: int, rows: int = 100) -> History:
    """Return a history with few rows of class 1, which later trials rank better."""
    rng = np.random.default_rng(3)
    truth = (np.arange(rows) < positives).astype(np.int64)
    history = History(truth, 2)
    for number in range(1, 21):
        score = 1 / (1 + np.exp(-(rng.normal(size=rows) + number / 4 * truth)))
        predictions = np.stack([1 - score, score], axis=1).astype(np.float16)
        history.append(Trial(number, {}, 0, Auc().compute_loss(truth, predictions)), predictions)
    return history


@pytest.mark.slow
def test_bootstraps_for_ranking_metrics_have_both_classes() -> None:
    history = make_rare_class_history(3)
    bootstrap_risks = risks(history, Auc(), count=200)
    assert sum((times[:3] == 0).all() for times in draw_multiplicities(200, 100, 1.0, 4)) > 3
    assert np.isfinite(bootstrap_risks.risks).all()
    # In a bootstrap without information, all models would share the mass, even the worst.
    assert np.count_nonzero(bootstrap_risks.compute_shares()) < 20


def test_undefined_bootstraps_are_skipped() -> None:
    history = make_rare_class_history(3)
    # A draw has one class, however often it is drawn.
    shares = risks(history, Auc(), count=20, share=0.01).compute_shares()
    best = np.array([trial.loss for trial in history.trials]).argmin()
    assert shares[best] == shares.max() > 1 / 20
    assert shares.sum() == pytest.approx(1)
