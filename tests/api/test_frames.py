"""Input of the estimators: frames and arrays of all types, in fit and predict."""

from datetime import time
from decimal import Decimal
from typing import Any
from uuid import uuid4

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import cross_validate

from studio import EnsembleSearchClassifier, EnsembleSearchRegressor
from studio.document.store import Document

pytestmark = pytest.mark.slow

N = 150
RNG = np.random.default_rng(0)
PLACE = RNG.integers(1, 5, N)
SIZE = RNG.normal(size=N)
LABELS = np.where((PLACE == 2) | (PLACE == 3), "in", "out")
MADE = {"method": "RS-ES", "budget": 4, "random_state": 0}


def classifier(X: Any, y: Any, **more: Any) -> EnsembleSearchClassifier:
    return EnsembleSearchClassifier(**MADE, **more).fit(X, y)


CATEGORIES = {
    "categories of whole numbers": pd.Series(PLACE).astype("category"),
    "whole numbers": pd.Series(PLACE),
    "numbers with a point": pd.Series(PLACE.astype(float)),
    "nullable": pd.Series(PLACE).astype("Int64"),
    "strings": pd.Series(PLACE).astype(str),
    "objects": pd.Series(PLACE.tolist(), dtype=object),
}


@pytest.mark.parametrize("way", ["categories of whole numbers", "strings"])
def test_categories_are_equal_for_any_dtype(way: str) -> None:
    search = classifier(pd.DataFrame({"place": CATEGORIES[way], "size": SIZE}), LABELS)
    usual = search.predict_proba(pd.DataFrame({"place": CATEGORIES[way], "size": SIZE}))
    assert search.score(pd.DataFrame({"place": CATEGORIES[way], "size": SIZE}), LABELS) > 0.95
    for other, categories in CATEGORIES.items():
        probabilities = search.predict_proba(pd.DataFrame({"place": categories, "size": SIZE}))
        np.testing.assert_array_equal(probabilities, usual, err_msg=other)
    unseen = pd.DataFrame({"place": pd.Series(["elsewhere"], dtype=str), "size": [0.0]})
    with pytest.warns(UserWarning, match="'place'"):
        search.predict(unseen)


def make_mixed_frame() -> pd.DataFrame:
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 5e7, N), unit="s")
    frame = pd.DataFrame(
        {
            "size": SIZE,
            "place": pd.Series([f"p{each}" for each in PLACE]).astype("category"),
            "town": pd.Series([f"t{each}" for each in PLACE[::-1]], dtype="string"),
            "amount": [f"${abs(each) * 1000:,.0f}" for each in SIZE],
            "code": [f"{each:02d}" for each in PLACE],
            "when": when,
            "said": when.strftime("%d.%m.%Y %H:%M"),
            "zoned": when.tz_localize("Europe/Berlin", nonexistent="shift_forward",
                                      ambiguous="NaT"),
            "lasted": pd.to_timedelta(PLACE, unit="h"),
            "old": PLACE > 2,
            "maybe": pd.array([None if each == 1 else each == 2 for each in PLACE], "boolean"),
            "price": [Decimal(f"{each:.2f}") for each in SIZE],
            "time": [time(int(each), 30) for each in PLACE],
            "count": pd.array([None if each == 4 else each for each in PLACE], "Int64"),
        }
    )  # fmt: skip
    frame.loc[::9, "size"] = np.nan
    frame.loc[::11, "town"] = None
    return frame


def test_exported_estimator_accepts_training_frame() -> None:
    frame = make_mixed_frame()
    search = classifier(frame, LABELS)
    np.testing.assert_array_equal(search.estimator_.classes_, search.classes_)
    np.testing.assert_array_equal(search.estimator_.predict(frame), search.predict(frame))
    for row in (0, 9, 11):
        one = frame.iloc[[row]]
        np.testing.assert_array_equal(search.predict(one), search.predict(frame)[[row]])
        np.testing.assert_array_equal(search.estimator_.predict(one), search.predict(one))


def test_array_of_frame_cells_equals_frame() -> None:
    frame = pd.DataFrame({"place": [f"p{each}" for each in PLACE], "size": SIZE})
    search = classifier(frame, LABELS)
    with pytest.warns(UserWarning, match="feature names"):
        probabilities = search.predict_proba(frame.to_numpy())
    np.testing.assert_array_equal(probabilities, search.predict_proba(frame))
    with pytest.raises(ValueError, match=r"\b0 feature"):  # it knows its columns by name only
        search.estimator_.predict(frame.to_numpy())
    array = classifier(frame.to_numpy(), LABELS)
    assert array.score(frame.to_numpy(), LABELS) > 0.95
    for cells in (frame.to_numpy(), frame.to_numpy()[:1], frame.to_numpy().tolist()):
        expected = array.predict_proba(cells)
        np.testing.assert_allclose(array.estimator_.predict_proba(cells), expected, atol=1e-9)
    with pytest.raises(ValueError, match=r"\b2\b"):
        array.estimator_.predict(frame.to_numpy()[:, :1])


def test_labels_of_columns_may_be_numbers() -> None:
    frame = pd.DataFrame({20: [f"p{each}" for each in PLACE], 10: SIZE, 30: 1.0})
    for roles in ({}, {30: "weight"}):
        search = classifier(frame, LABELS, roles=roles)
        features = frame.drop(columns=list(roles))
        np.testing.assert_array_equal(search.estimator_.predict(features), search.predict(features))
        assert search.estimator_.score(frame, LABELS) > 0.95


def test_two_levels_of_column_names() -> None:
    frame = pd.DataFrame({("a", "x"): [f"p{each}" for each in PLACE], ("a", "y"): SIZE})
    search = classifier(frame, LABELS)
    assert search.score(frame, LABELS) > 0.95


def test_integer_beyond_double_precision_stays_distinct_in_single_row() -> None:
    codes = pd.DataFrame({"code": PLACE + 2**53 + 1, "size": SIZE})
    search = classifier(codes, LABELS)
    alone = [search.predict_proba(codes.iloc[[row]]) for row in range(len(codes))]
    np.testing.assert_array_equal(np.vstack(alone), search.predict_proba(codes))


def test_dates_become_features() -> None:
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(N) * 2, unit="D")
    y = np.sin(when.month.to_numpy() / 2) * 10
    for column in (when, when.strftime("%d/%m/%Y"), when.strftime("%Y-%m-%d").astype("category")):
        frame = pd.DataFrame({"when": column, "noise": SIZE})
        kinds = EnsembleSearchRegressor(budget=4, random_state=0).fit(frame, y)
        if isinstance(column.dtype, pd.CategoricalDtype):
            continue  # its dtype declares a category
        assert kinds.score(frame, y) > 0.95


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (LABELS == "in", np.bool_),
        (np.array((LABELS == "in").tolist(), dtype=object), np.bool_),
        (np.array(PLACE.tolist(), dtype=object), np.integer),
        (PLACE.astype("int8"), np.int8),
        (pd.Series(PLACE).astype("Int64"), np.integer),
        (pd.Series(LABELS, dtype="string"), np.str_),
        (pd.Series(LABELS).astype("category"), np.str_),
        (np.where(LABELS == "in", "01", "1"), np.str_),
    ],
)
def test_predicted_classes_have_original_dtype(target: Any, kind: type) -> None:
    frame = pd.DataFrame({"place": [f"p{each}" for each in PLACE], "size": SIZE})
    search = classifier(frame, target)
    assert set(search.predict(frame).tolist()) <= set(np.asarray(target).tolist())
    assert np.issubdtype(search.classes_.dtype, kind) or search.classes_.dtype == object
    assert search.estimator_.classes_.dtype == search.classes_.dtype
    np.testing.assert_array_equal(search.estimator_.classes_, search.classes_)
    np.testing.assert_array_equal(search.estimator_.predict(frame), search.predict(frame))


@pytest.mark.parametrize("kind", ["Int64", "object"])
def test_rows_with_missing_target_are_dropped_with_warning(kind: Any) -> None:
    target = pd.Series(PLACE).astype(kind)
    target[::10] = None
    with pytest.warns(UserWarning, match="15 rows without a target"):
        search = classifier(pd.DataFrame({"place": PLACE.astype(str), "size": SIZE}), target)
    assert search.classes_.tolist() == [1, 2, 3, 4]


def test_column_names_are_stored_in_document(tmp_path: Any) -> None:
    frame = pd.DataFrame({"place": [f"p{each}" for each in PLACE], "size": SIZE})
    path = tmp_path / "kept.studio"
    classifier(frame, pd.Series(LABELS, name="where"), document=path)
    with Document.open(path, writable=False) as document:
        description, _ = document.tables.read(document.runs.list_all()[0].table_id)
    assert [column["name"] for column in description["columns"]] == ["place", "size", "where"]


def test_sample_weights_are_used_and_routed() -> None:
    X = RNG.normal(size=(N, 1))
    y = np.where(np.arange(N) % 2, 5.0, -5.0)
    weights = np.where(np.arange(N) % 2, 1.0, 1e-6)
    predictions = EnsembleSearchRegressor(**MADE).fit(X, y, sample_weight=weights).predict(X)
    assert predictions.mean() == pytest.approx(
        LinearRegression().fit(X, y, sample_weight=weights).predict(X).mean(), abs=0.5
    )
    search = EnsembleSearchRegressor(**MADE)
    scores = cross_validate(search, X, y, cv=2, params={"sample_weight": weights})
    with config_context(enable_metadata_routing=True):
        search = clone(search).set_fit_request(sample_weight=True)
        search.set_score_request(sample_weight=False)
        routed = cross_validate(search, X, y, cv=2, params={"sample_weight": weights})
    np.testing.assert_array_equal(routed["test_score"], scores["test_score"])


def test_large_integers_stay_distinct() -> None:
    account = 202401150000000000 + PLACE.astype(np.int64)
    search = classifier(pd.DataFrame({"account": account, "size": SIZE}), LABELS)
    assert search.score(pd.DataFrame({"account": account, "size": SIZE}), LABELS) > 0.95


def test_sklearn_scorer_names_select_metrics() -> None:
    frame = pd.DataFrame({"place": PLACE, "size": SIZE})
    for name, key in (("roc_auc", "auc"), ("log_loss", "log-loss"), ("neg_log_loss", "log-loss")):
        by_name, by_key = (classifier(frame, LABELS, metric=each) for each in (name, key))
        np.testing.assert_array_equal(by_name.predict_proba(frame), by_key.predict_proba(frame))
    with pytest.raises(ValueError, match="'neg_log_loss'"):
        classifier(frame, LABELS, metric="neg_logloss")
    with pytest.raises(ValueError, match="does not apply"):
        classifier(frame, LABELS, metric="neg_root_mean_squared_error")


@pytest.mark.parametrize("name", ["recall_macro", "jaccard_weighted"])
def test_other_sklearn_scorers_are_accepted_by_name(name: str) -> None:
    frame = pd.DataFrame({"place": PLACE, "size": SIZE})
    by_name, scored = (classifier(frame, LABELS, metric=each) for each in (name, get_scorer(name)))
    np.testing.assert_array_equal(by_name.predict_proba(frame), scored.predict_proba(frame))
    with pytest.raises(ValueError, match="no metric"):
        classifier(frame, LABELS, metric="recal")


def test_estimator_has_html_representation() -> None:
    assert "EnsembleSearchClassifier" in EnsembleSearchClassifier()._repr_html_()
    assert "EnsembleSearchRegressor" in EnsembleSearchRegressor()._repr_html_()


def test_numeric_column_names_and_collection_cells_are_accepted() -> None:
    frame = pd.DataFrame({0: PLACE.astype(str), 1: SIZE})
    search = classifier(frame, LABELS)
    np.testing.assert_array_equal(search.estimator_.predict(frame), search.predict(frame))
    with pytest.raises(TypeError, match="string or a number"):
        classifier(pd.DataFrame({"a": [{}] * N, "b": SIZE}), LABELS)


def test_text_column_becomes_features_if_declared() -> None:
    phrases = np.array(["late parcel", "wrong invoice", "no refund", "lost password"])
    which = RNG.integers(0, 4, N)
    notes = [f"Hello, {phrases[at]} since {RNG.integers(1000)}" for at in which]
    X = pd.DataFrame({"note": notes, "size": SIZE})
    y = np.where(which < 2, "goods", "account")
    search = classifier(X[:100], y[:100], kinds={"note": "text"})
    predictions = search.predict(X[100:])
    assert (predictions == y[100:]).mean() > 0.9
    assert (search.estimator_.predict(X[100:]) == predictions).all()
    assert (search.predict(X[100:].assign(note=None)) != y[100:]).any()


@pytest.mark.parametrize(
    ("cell", "pattern"), [({}, "'dict'"), (float("inf"), "infinity"), (uuid4(), "'UUID'")]
)
def test_non_scalar_cells_are_rejected_with_column_name(cell: Any, pattern: str) -> None:
    odd = pd.Series([cell, *["a"] * (N - 1)], dtype=object)
    with pytest.raises((TypeError, ValueError), match=f"{pattern}.*'place'"):
        classifier(pd.DataFrame({"place": odd, "size": SIZE}), LABELS)


def test_unusable_target_or_features_are_rejected() -> None:
    when = pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(PLACE, unit="D"))
    with pytest.raises(ValueError, match="times were given"):
        EnsembleSearchRegressor(**MADE).fit(SIZE.reshape(-1, 1), when)
    search = classifier(pd.DataFrame({"place": PLACE, "size": SIZE}), LABELS)
    with pytest.raises(TypeError, match="dense"):
        search.predict(csr_matrix(np.ones((2, 2))))
    twice = pd.DataFrame(np.ones((N, 2)), columns=["a", "a"])
    with pytest.raises(ValueError, match="called 'a'"):
        classifier(twice, LABELS)


@pytest.mark.parametrize("search_class", [EnsembleSearchClassifier, EnsembleSearchRegressor])
def test_target_of_two_columns_is_rejected(search_class: Any) -> None:
    X = pd.DataFrame({"place": PLACE, "size": SIZE})
    for labels in (np.column_stack([PLACE, PLACE]), np.column_stack([PLACE, PLACE]).astype(object)):
        with pytest.raises(ValueError, match=r"1d array.*\(\d+, 2\)"):
            search_class(**MADE).fit(X, labels)


def test_single_row_without_second_dimension_is_rejected() -> None:
    X = pd.DataFrame({"place": PLACE, "size": SIZE})
    with pytest.raises(ValueError, match="2-dimensional"):
        classifier(X, LABELS).predict(X.iloc[0])


@pytest.mark.parametrize("kinds", [{"note": "prose"}, {"other": "text"}])
def test_unknown_kinds_are_rejected(kinds: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="kinds"):
        classifier(pd.DataFrame({"note": ["a"] * N, "size": SIZE}), LABELS, kinds=kinds)


def test_target_role_is_rejected() -> None:
    frame = make_mixed_frame()
    with pytest.raises(ValueError, match="target is y"):
        EnsembleSearchClassifier(roles={frame.columns[0]: "target"}).fit(frame, LABELS)


@pytest.mark.parametrize("n_weights", [1, 29])
def test_weights_have_the_length_of_target_with_missing_labels(n_weights: int) -> None:
    labels = pd.Series([None, *["a", "b"] * 15][:30])
    with (
        pytest.warns(UserWarning, match="1 row without"),
        pytest.raises(ValueError, match=rf"\({n_weights},\), expected \(30,\)"),
    ):
        EnsembleSearchClassifier().fit(pd.DataFrame({"a": range(30)}), labels, np.ones(n_weights))


@pytest.mark.parametrize("first", [None, 1])
@pytest.mark.parametrize("at", [0, 5])
def test_missing_or_mixed_classes_of_array_are_rejected(first: Any, at: int) -> None:
    labels = np.array(["a", "b", "c"] * 11, dtype=object)[:31]
    labels[at] = first
    with pytest.raises(ValueError, match="none missing"):
        EnsembleSearchClassifier().fit(np.zeros((31, 1)), labels)


def test_column_kinds_require_data_frame() -> None:
    with pytest.raises(ValueError, match="frame"):
        classifier(np.ones((N, 2)), LABELS, kinds={"note": "text"})


@pytest.mark.parametrize("common", [0, 1])
def test_monotonic_constraints_refer_to_second_class(common: int) -> None:
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"wave": rng.normal(size=200), "other": rng.normal(size=200)})
    score = np.sin(3 * X["wave"]) + X["other"] + 0.5 * rng.normal(size=200)
    y = np.where((score > 1.0) == bool(common), "no", "yes")
    options = {"method": "RS", "budget": 2, "random_state": 0}
    constrained_search = EnsembleSearchClassifier(
        monotonic_cst={"wave": 1, "other": -1}, **options
    ).fit(X, y)
    grid = pd.DataFrame({"wave": np.linspace(-3, 3, 60), "other": 0.2})
    for model in (constrained_search, constrained_search.estimator_):
        assert (np.diff(model.predict_proba(grid)[:, 1]) >= 0).all()
        other = grid.rename(columns={"wave": "other", "other": "wave"})[["wave", "other"]]
        assert (np.diff(model.predict_proba(other)[:, 1]) <= 0).all()
    free = EnsembleSearchClassifier(space="forest-thesis", **options).fit(X, y)
    assert (np.diff(free.predict_proba(grid)[:, 1]) < 0).any()


def test_monotonic_constraints_of_matrix_are_validated() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 2))
    y = np.sin(3 * X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=120)
    regressor = EnsembleSearchRegressor(budget=2, random_state=0, monotonic_cst=[-1, 0]).fit(X, y)
    grid = np.column_stack([np.linspace(-3, 3, 60), np.zeros(60)])
    assert (np.diff(regressor.predict(grid)) <= 0).all()
    for invalid, pattern in (
        ([1], "for each column of X"),
        ([1, 2], "for each column of X"),
        ({"x7": 1}, "'x7', of monotonic_cst, is not a column"),
    ):
        with pytest.raises(ValueError, match=pattern):
            EnsembleSearchRegressor(monotonic_cst=invalid).fit(X, y)
    frame = pd.DataFrame({"a": X[:, 0], "b": ["x", "y"] * 60})
    with pytest.raises(ValueError, match="'b': it holds"):
        EnsembleSearchRegressor(monotonic_cst={"b": 1}).fit(frame, y)
