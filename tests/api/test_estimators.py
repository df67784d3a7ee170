"""The estimators of the Python API: scikit-learn's checks, and additional tests."""

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.utils import _pprint
from sklearn.utils.estimator_checks import parametrize_with_checks

from studio import EnsembleSearchClassifier, EnsembleSearchRegressor
from studio.api import estimators, searching
from studio.document.store import Document
from studio.errors import DataError
from studio.runs.settings import RunSettings

pytestmark = pytest.mark.slow

# A small budget, as the checks fit about two hundred times, each a complete run.
CHECKED = [
    EnsembleSearchClassifier(method="RS-ES", budget=2),
    EnsembleSearchRegressor(budget=1, folds=3),
]
"""One with refitted models, and the default method with few folds."""


def list_failing_checks(estimator: Any) -> dict[str, str]:
    """Return the expected failures of scikit-learn's checks, with reasons."""
    return {
        "check_sample_weight_equivalence_on_dense_data": "Rows are dealt to folds: a row of weight "
        "2 is on one side, two rows may be on both."
    }


@parametrize_with_checks(CHECKED, expected_failed_checks=list_failing_checks)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_estimators_pass_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_default_estimator_averages_fold_models() -> None:
    X, y = load_iris(return_X_y=True)
    classifier = EnsembleSearchClassifier(budget=3, random_state=0).fit(X, y)
    assert [trial.origin.split(" of ")[0] for trial in classifier.trials_] == [
        "proven start 1",
        "proven start 2",
        "proven start 3",
    ]
    assert all(len(member.estimators_) == 8 for member in classifier.members_), (
        "committees of folds"
    )
    assert classifier.score(X, y) > 0.9


def test_fitted_estimators_are_represented_in_notebooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """scikit-learn represents nested estimators again at each level, in exponential time."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = X.assign(bought=pd.date_range("2024-01-01", periods=len(X)), kind=["a", "b", "c"] * 50)
    classifier = EnsembleSearchClassifier(budget=3, random_state=0).fit(X, y)
    get_changed_params, n_represented = _pprint._changed_params, 0

    def count_represented(estimator: BaseEstimator) -> dict[str, Any]:
        nonlocal n_represented
        n_represented += 1
        assert n_represented < 2000
        return get_changed_params(estimator)

    monkeypatch.setattr(_pprint, "_changed_params", count_represented)
    assert "Fitted attributes" in classifier._repr_html_()
    assert "Pipeline" in classifier.estimator_._repr_html_()


def test_estimator_accepts_split_and_refit() -> None:
    X, y = load_diabetes(return_X_y=True)
    options = {"budget": 2, "random_state": 0}
    folded = EnsembleSearchRegressor(folds=3, **options).fit(X, y)
    hold_out_search = EnsembleSearchRegressor(folds=None, refit=True, **options).fit(X, y)
    assert all(len(member.estimators_) == 3 for member in folded.members_)
    assert not any(hasattr(member, "estimators_") for member in hold_out_search.members_)


def mixed(n: int = 120) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    size = rng.normal(size=n)
    colour = rng.choice(["red", "green", "blue"], n)
    frame = pd.DataFrame({"size": size, "colour": colour, "old": rng.random(n) > 0.5})
    frame.loc[::11, "colour"] = None
    frame.loc[::13, "size"] = np.nan
    target = np.where((colour == "red") | (size > 0.5), "yes", "no")
    return frame, target


def test_estimator_accepts_mixed_frame_with_unseen_words() -> None:
    frame, target = mixed()
    search = EnsembleSearchClassifier(method="RS-ES", budget=3, random_state=0).fit(frame, target)
    assert search.score(frame, target) > 0.8
    assert list(search.feature_names_in_) == ["size", "colour", "old"]
    strange = frame.assign(colour="mauve")
    frame_without_colour = frame.assign(colour=None)
    with pytest.warns(UserWarning, match="'colour'"):
        unseen = search.predict_proba(strange)
    np.testing.assert_array_equal(unseen, search.predict_proba(frame_without_colour))


def test_workers_and_inline_search_agree() -> None:
    X, y = load_iris(return_X_y=True)
    here, there = (
        EnsembleSearchClassifier(
            method="BO-post",
            options={"proposer.initial": 3},
            budget=5,
            random_state=1,
            n_jobs=n_jobs,
        ).fit(X, y)
        for n_jobs in (None, 1)
    )
    np.testing.assert_array_equal(here.predict_proba(X), there.predict_proba(X))
    assert [t.configuration for t in here.trials_] == [t.configuration for t in there.trials_]
    assert here.trials_[-1].origin != "random start"


@pytest.mark.parametrize(
    "options",
    [{}, {"ensemble.combination": "mean", "ensemble.calibrate": True}],
    ids=["vote", "calibrated"],
)
def test_exported_estimator_predicts_without_package(
    options: dict[str, object], tmp_path: Path
) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    search = EnsembleSearchClassifier(
        method="RS-post", budget=4, options=options, random_state=0
    ).fit(X, y)
    assert (search.temperature_ != 1.0) == bool(options)
    if options:
        probabilities = search.estimator_.predict_proba(X)
        np.testing.assert_allclose(probabilities, search.predict_proba(X), atol=1e-9)
    (tmp_path / "plain.pkl").write_bytes(pickle.dumps(search.estimator_))
    np.save(tmp_path / "X.npy", X)
    code = (
        "import sys, pickle, numpy as np\n"
        "class Blocked:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] == 'studio': raise ImportError(name)\n"
        "sys.meta_path.insert(0, Blocked())\n"
        f"estimator = pickle.load(open({str(tmp_path / 'plain.pkl')!r}, 'rb'))\n"
        f"np.save({str(tmp_path / 'out.npy')!r}, "
        f"estimator.predict(np.load({str(tmp_path / 'X.npy')!r})))\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, cwd=tmp_path)
    predicted = np.load(tmp_path / "out.npy", allow_pickle=True)
    np.testing.assert_array_equal(predicted.astype(str), search.predict(X).astype(str))


def test_pickled_search_predicts_identically() -> None:
    X, y = load_diabetes(return_X_y=True)
    search = EnsembleSearchRegressor(method="RS-post", budget=5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(search)).predict(X), search.predict(X))
    assert search.weights_.sum() == pytest.approx(1.0)


def test_estimator_accepts_weights_and_balanced_classes() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=200), "w": 1.0})
    target = np.where(frame["a"] + rng.normal(size=200) > 1.8, "rare", "common")
    flipped = rng.random(200) < 0.3
    frame.loc[flipped, "w"] = 1e-6
    noisy_target = np.where(flipped, "rare", target)
    plain, balanced, weighted = (
        EnsembleSearchClassifier(
            method="RS", budget=8, random_state=0, metric="balanced-error", **changes
        )
        for changes in (
            {"roles": {"w": "ignore"}},
            {"roles": {"w": "ignore"}, "class_weights": "balanced"},
            {"roles": {"w": "weight"}},
        )
    )
    rare = {
        name: (search.fit(frame, noisy_target).predict(frame.drop(columns="w")) == "rare").mean()
        for name, search in (("plain", plain), ("weighted", weighted))
    }
    assert rare["weighted"] < rare["plain"]
    assert (balanced.fit(frame, target).predict(frame) == "rare").mean() > 0.1


@pytest.mark.parametrize("as_frame", [True, False])
def test_groups_stay_together(as_frame: bool, tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    groups = np.array([f"person {row % 50}" for row in range(150)])
    path = tmp_path / "kept.studio"
    search = EnsembleSearchClassifier(method="RS", budget=1, random_state=0, document=path)
    search.fit(pd.DataFrame(X) if as_frame else X, y, groups=groups)
    with Document.open(path, writable=False) as document:
        validation = document.runs.split(1)["validation"]
    assert 0 < len(validation) < 150
    others = np.setdiff1d(np.arange(150), validation)
    assert not set(groups[validation]) & set(groups[others])
    with pytest.raises(ValueError, match="150, 10"):
        search.fit(X, y, groups=groups[:10])


@pytest.mark.parametrize(
    ("given", "expected"),
    [({"seconds": 60}, (None, 60)), ({}, (None, None)), ({"seconds": 5, "budget": 7}, (7, 5))],
)
def test_time_alone_limits_search(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], expected: tuple[Any, Any]
) -> None:
    limits = []

    def search(_: Any, settings: RunSettings, *__: Any, **___: Any) -> Any:
        limits.append((settings.budget, settings.seconds))
        raise DataError("Enough is known.")

    monkeypatch.setattr(estimators, "search", search)
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="Enough"):
        EnsembleSearchClassifier(**given).fit(X, y)
    assert limits == [expected]


def test_estimator_works_in_cross_validation() -> None:
    X, y = load_iris(return_X_y=True)
    search = EnsembleSearchClassifier(method="RS", budget=6, random_state=0)
    assert cross_val_score(search, X, y, cv=3).mean() > 0.85


def test_search_document_can_be_saved_and_opened(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    path = tmp_path / "kept.studio"
    EnsembleSearchClassifier(method="RS", budget=4, random_state=0, document=path).fit(X, y)
    with Document.open(path, writable=False) as document:
        (run,) = document.runs.list_all()
        assert run.state == "finished"
        assert len(document.trials.list_all(run.id)) == 4


@pytest.mark.parametrize(
    ("settings", "pattern"),
    [
        ({"method": "nonsense"}, "no method called"),
        ({"space": "nonsense"}, "no search space"),
        ({"metric": "rmse"}, "does not apply"),
        ({"budget": 0}, "at least one"),
        ({"budget": 1.5}, "'budget' parameter"),
        ({"seconds": "5"}, "'seconds' parameter"),
        ({"refit": "yes"}, "'refit' parameter"),
        ({"metric": 5}, "'metric' parameter"),
        ({"class_weights": "nonsense"}, "none or balanced"),
        ({"roles": {"a": "weight"}}, "data frame"),
        ({"options": {"surrogate.kernel": "matern"}, "method": "RS"}, "no part"),
    ],
)
def test_invalid_arguments_are_rejected_with_message(
    settings: dict[str, Any], pattern: str
) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=pattern):
        EnsembleSearchClassifier(**settings).fit(X, y)


def test_package_imports_scikit_learn_lazily() -> None:
    code = "import sys, studio; assert 'sklearn' not in sys.modules; assert studio.__version__"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute"):
        _ = __import__("studio").Nonsense


@pytest.mark.parametrize(
    ("n_jobs", "seconds", "rows", "apart"),
    [
        (None, None, 40_000, False),
        (None, 1.0, 900, False),
        (None, 1.0, 1100, True),
        (None, 2.0, 1100, False),
        (None, 1000.0, 40_000, True),
        (1, None, 400, True),
        (2, 1.0, 400, True),
    ],
)
def test_uninterruptible_trials_run_in_workers_with_time_limit(
    monkeypatch: pytest.MonkeyPatch,
    n_jobs: int | None,
    seconds: float | None,
    rows: int,
    apart: bool,
) -> None:
    inline_flags = []

    def search(*_: Any, inline: bool) -> Any:
        inline_flags.append(inline)
        raise DataError("Enough is known.")

    monkeypatch.setattr(estimators, "search", search)
    rng = np.random.default_rng(0)
    classifier = EnsembleSearchClassifier(budget=3, seconds=seconds, n_jobs=n_jobs)
    with pytest.raises(ValueError, match="Enough"):
        classifier.fit(rng.normal(size=(rows, 2)), np.arange(rows) % 2)
    assert inline_flags == [not apart]


def test_large_table_with_time_limit_is_trained_in_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> Any:
        raise AssertionError("no trial is to be trained in this process")

    monkeypatch.setattr(searching, "InlinePool", refused)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 8))
    classifier = EnsembleSearchClassifier(method="RS", budget=2, seconds=3, random_state=0)
    assert classifier.fit(X, X[:, 0] > 0).trials_


def test_package_offers_both_estimators() -> None:
    import studio.api

    assert studio.api.EnsembleSearchClassifier is EnsembleSearchClassifier
    help_text = subprocess.run(
        [sys.executable, "-c", "import studio.api; help(studio.api)"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    for each in (EnsembleSearchClassifier, EnsembleSearchRegressor):
        assert f"class {each.__name__}" in help_text


@pytest.mark.parametrize(
    "y",
    [
        np.array(["a", "b"] * 20),
        pd.Series(["1", "b"] * 20),
        pd.Series(["a", "b"] * 20, dtype="category"),
        ["a", "b"] * 20,
    ],
    ids=["array", "series", "category", "list"],
)
@pytest.mark.parametrize("frame", [False, True])
def test_regressor_rejects_class_labels(y: Any, frame: bool) -> None:
    X: Any = np.arange(80.0).reshape(40, 2)
    X = pd.DataFrame(X, columns=["a", "b"]) if frame else X
    with pytest.raises(ValueError, match="EnsembleSearchClassifier"):
        EnsembleSearchRegressor(budget=1).fit(X, y)


def test_regressor_accepts_numeric_text_target() -> None:
    X = pd.DataFrame({"a": np.arange(40.0)})
    y = pd.Series([str(each) for each in range(40)])
    fitted = EnsembleSearchRegressor(method="RS", budget=1, random_state=0).fit(X, y)
    assert fitted.predict(X).dtype == np.float64
