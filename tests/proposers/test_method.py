"""Composition of methods from presets and overrides."""

import pytest

from studio.errors import UsageError
from studio.proposers.bayesian import BayesianOptimisation
from studio.proposers.ensemble_optimisation import EnsembleOptimisation
from studio.proposers.method import compose, get_declarations, list_methods
from studio.proposers.preset_table import PRESETS
from studio.proposers.presets import get_default
from tests.facts import about, facts


def test_every_preset_can_be_composed_for_supported_tasks() -> None:
    for preset in PRESETS:
        for task in ("binary", "multiclass", "regression"):
            if task in preset.rejections:
                with pytest.raises(UsageError, check=about(preset=preset.key)):
                    compose(preset.key, {}, task)
            else:  # even without its library, as stored runs have it
                assert compose(preset.key, {}, task).preset == preset.key


def test_default_method_exists_for_every_task() -> None:
    for task in ("binary", "multiclass", "regression"):
        assert compose(get_default(task), {}, task)


def test_option_of_part_can_be_overridden_by_name() -> None:
    method = compose("BO-best", {"surrogate.kernel": "matern", "maximiser.starts": "7"}, "binary")
    assert isinstance(method.proposer, BayesianOptimisation)
    assert method.proposer.surrogate.to_json()["kernel"] == "matern"
    assert method.proposer.maximiser.to_json()["starts"] == 7


def test_part_can_be_replaced_by_key() -> None:
    method = compose("BO-best", {"maximiser": "sobol-lbfgs", "ensemble": "greedy"}, "binary")
    assert isinstance(method.proposer, BayesianOptimisation)
    assert method.proposer.maximiser.key == "sobol-lbfgs"
    assert method.ensemble.key == "greedy"


def test_slots_of_search_agree_with_result() -> None:
    method = compose("EO-sqm", {"proposer.slots": "5"}, "binary")
    assert isinstance(method.proposer, EnsembleOptimisation)
    assert method.proposer.slots == 5
    assert method.ensemble.to_json()["slots"] == 5


def test_eo_regression_surrogate_models_squared_error() -> None:
    method = compose("EO-post", {}, "regression")
    assert isinstance(method.proposer, EnsembleOptimisation)
    assert (method.proposer.loss, method.proposer.choice) == ("mse", "same")


@pytest.mark.parametrize(
    ("overrides", "pattern"),
    [
        ({"kernel": "matern"}, "no part called 'kernel'"),
        ({"surrogate.colour": "red"}, "has no option 'colour'"),
        ({"surrogate": "oracle"}, "no surrogate called 'oracle'"),
        ({"proposer.slots": "0"}, "at least|from 1"),
        ({"ensemble.slots": "3"}, "set proposer.slots instead"),
        ({"ensemble.nope": "3"}, r"option 'nope'(?!.*proposer\.nope).*proposer\.slots"),
    ],
)
def test_unknown_part_error_lists_parts(overrides: dict[str, str], pattern: str) -> None:
    with pytest.raises(UsageError, match=pattern):
        compose("EO-sqm", overrides, "binary")


@pytest.mark.parametrize(
    ("typed", "nearest"),
    [("EO-sqmm", "EO-sqm"), ("SMB0", "SMBO"), ("smbo", "SMBO"), ("rs-bset", "RS-best")],
)
def test_unknown_method_error_names_the_nearest(typed: str, nearest: str) -> None:
    with pytest.raises(UsageError, check=about(key=repr(typed), similar=repr(nearest))):
        compose(typed, {}, "binary")


def test_method_like_no_other_is_not_guessed() -> None:
    with pytest.raises(UsageError, match="best, RS,") as raised:
        compose("xgboost", {}, "binary")
    assert "similar" not in facts(raised.value)


def test_aliases_resolve_to_preset() -> None:
    assert compose("RS-best", {}, "binary").preset == "RS"


def test_methods_have_families_and_parts_have_options() -> None:
    names = [method.key for method in list_methods()]
    assert names[:3] == ["best", "RS", "RS-post"]
    assert all(method.family and method.summary for method in list_methods())
    kernels = [
        option
        for part in get_declarations()["surrogate"]
        for option in part.options
        if option.name == "kernel"
    ]
    assert "matern" in kernels[0].choices


@pytest.mark.parametrize(
    ("name", "overrides", "loss"),
    [
        ("RS", {"ensemble": "slots"}, "sqm"),
        ("EO-mse", {"proposer.loss": "C"}, "C"),
        ("EO-post", {"proposer.loss": "sig"}, "sig"),
        ("EO-mse", {"proposer.choice": "zero-one"}, "zero-one"),
    ],
)
def test_vote_losses_are_rejected_for_regression_before_start(
    name: str, overrides: dict[str, str], loss: str
) -> None:
    with pytest.raises(UsageError, check=about(loss=repr(loss), task="regression")):
        compose(name, overrides, "regression")


def test_shared_options_are_kept_when_part_changes() -> None:
    method = compose("gp-sel", {"evaluation": "reshuffle"}, "binary")
    assert (method.evaluation.key, method.evaluation.selection) == ("reshuffle", 0.2)
    other = compose("RS-post", {"ensemble": "agnostic-bayes"}, "binary")
    assert other.ensemble.to_json()["combination"] == "auto"
