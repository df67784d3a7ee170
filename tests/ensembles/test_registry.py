import numpy as np
import pytest

from studio.ensembles.base import EnsembleBuilder, combine
from studio.ensembles.registry import REGISTRY
from studio.errors import EnsembleError


def error(truth, given) -> float:
    return float(np.mean(given.argmax(axis=1) != truth))


def rmse(truth, given) -> float:
    return float(np.sqrt(np.mean((given - truth) ** 2)))


def builders_for(task: str) -> list[EnsembleBuilder]:
    return [
        builder(loss="mse", choice="same")
        if builder.key == "slots" and task == "regression"
        else builder()
        for builder in REGISTRY
        if task in builder.tasks
    ]


def test_keys_are_unique_and_every_builder_describes_itself() -> None:
    assert len({builder.key for builder in REGISTRY}) == len(REGISTRY)
    for builder in REGISTRY:
        assert builder.key
        assert builder.title
        assert builder.reference
        assert builder.summary.count(".") == 2
        assert all(option.help for option in builder.options())


@pytest.mark.parametrize(("task", "n_classes"), [("binary", 2), ("multiclass", 5)])
def test_every_builder_gives_a_valid_ensemble_of_successful_trials(
    make_history, task, n_classes
) -> None:
    history = make_history(9, n_classes, failed=(2, 9))
    for builder in builders_for(task):
        ensemble = builder.build(history, error, seed=3)
        assert ensemble == builder.build(history, error, seed=3)
        assert set(ensemble.members) <= set(history.numbers())
        assert sum(ensemble.weights) == pytest.approx(1.0)
        assert combine(history.predictions, ensemble).shape == (40, n_classes)


def test_every_builder_serves_regression(make_history) -> None:
    history = make_history(9, 0, failed=(2, 9))
    for builder in builders_for("regression"):
        ensemble = builder.build(history, rmse, seed=3)
        assert ensemble.combination == "mean"
        assert set(ensemble.members) <= set(history.numbers())
        assert combine(history.predictions, ensemble).shape == (40,)


def test_every_builder_works_with_a_single_trial(make_history) -> None:
    for builder in builders_for("binary"):
        ensemble = builder.build(make_history(1, 2), error, seed=0)
        assert ensemble.members == (1,)
        assert ensemble.weights == (1.0,)


def test_every_builder_refuses_an_empty_pool(make_history) -> None:
    for builder in builders_for("binary"):
        with pytest.raises(EnsembleError, match="nothing to build an ensemble of"):
            builder.build(make_history(3, 2, failed=(1, 2, 3)), error, seed=0)
