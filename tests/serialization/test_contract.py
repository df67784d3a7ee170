"""Stored learners and operators of the registries predict bit-identically."""

import warnings
from typing import Any

import numpy as np
import pytest
from lightgbm import LGBMClassifier
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

from studio.errors import LearnerError, SerializationError
from studio.learners.library_spaces import list_offered_parameters
from studio.learners.operators.base import ChosenOperator, Operator
from studio.learners.operators.registry import REGISTRY as OPERATORS
from studio.learners.registry import REGISTRY
from studio.parts import find_part
from studio.serialization.codec import decode, encode
from studio.serialization.guards import LIGHT_GBM

pytestmark = pytest.mark.slow

RETRAINED = {"cnn", "catboost", "catboost-regressor", "tabicl", "tabicl-regressor"}
"""Not stored: PyTorch's networks and CatBoost's trees, as their compiled code trusts its input, and
models with weights outside the document."""


def skipped(part: Any) -> Any:
    return (
        pytest.mark.skip(reason=part.get_missing_dependency())
        if part.get_missing_dependency()
        else ()
    )


LEARNERS = [
    pytest.param(part, task, id=f"{part.key}-{task}", marks=skipped(part))
    for part in REGISTRY
    if part.key not in RETRAINED
    for task in part.tasks
]


def assert_equal_predictions(first: Any, second: Any, X: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert first.predict(X).tobytes() == second.predict(X).tobytes()
        if hasattr(first, "predict_proba"):
            assert first.predict_proba(X).tobytes() == second.predict_proba(X).tobytes()


def predict_identically_when_read(model: Any, X: Any) -> None:
    stored = encode([model])
    for only_to_predict in (False, True):
        assert_equal_predictions(model, decode(stored, only_to_predict=only_to_predict)[0], X)


@pytest.mark.parametrize(("part", "task"), LEARNERS)
def test_stored_learners_predict_identically(
    part: Any, task: str, fitted: Any, rows: dict[str, Any]
) -> None:
    model = fitted(part(), task)
    predict_identically_when_read(model, rows["new"])
    (decoded_model,) = decode(encode([model]))
    restored = encode([decoded_model])
    first = encode([model])
    assert restored.compute_checksum() == first.compute_checksum(), "the decoded model is unchanged"


def test_shared_regressor_is_stored_once(rows: dict[str, Any]) -> None:
    forest = ExtraTreesRegressor(5, random_state=0).fit(rows["X"], rows["X"][:, 0])
    scale = StandardScaler().fit(rows["X"][:, :1])
    model = TransformedTargetRegressor(forest, transformer=scale)
    model.regressor_, model.transformer_, model._training_dim = forest, scale, 1
    stored, alone = encode([model]), encode([forest])
    assert len(stored.arrays["<f8"]) - len(alone.arrays["<f8"]) < len(scale.mean_) * 10
    (decoded_model,) = decode(stored)
    assert decoded_model.regressor is decoded_model.regressor_
    assert_equal_predictions(model, decoded_model, rows["new"])


def test_unfitted_parameter_and_fitted_model_are_distinct(rows: dict[str, Any]) -> None:
    model = TransformedTargetRegressor(Ridge(), transformer=StandardScaler())
    X = rows["X"][:, 2:4]
    model.fit(X, X[:, 0])
    (decoded_model,) = decode(encode([model]))
    assert not hasattr(decoded_model.regressor, "coef_")
    assert_equal_predictions(model, decoded_model, X)


@pytest.mark.parametrize("key", ["catboost", "catboost-regressor"])
def test_catboost_is_rejected_with_message(key: str, fitted: Any) -> None:
    learner = find_part(REGISTRY, key, "learner")()
    if learner.get_missing_dependency():
        pytest.skip(learner.get_missing_dependency())
    with pytest.raises(SerializationError, match=r"CatBoost.* be kept"):
        encode([fitted(learner, learner.tasks[-1], rounds=5)])


ENCODERS = [each for each in OPERATORS if each.stage == "encoder"]

VARIED: list[tuple[str, dict[str, Any]]] = [
    ("kernel-svm", {"kernel": "poly", "degree": 3}),
    ("knn", {"weights": "distance", "p": 1}),
    ("lda", {"shrinkage": "auto"}),
    ("qda", {"reg_param": 0.5}),
    ("forest", {"criterion": "entropy", "max_depth": 3}),
    ("extra-trees", {"bootstrap": True}),
    ("gradient-boosting-regressor", {"loss": "huber"}),
    ("gradient-boosting-regressor", {"loss": "absolute_error"}),
    ("boosted-trees", {"extra_trees": True, "subsample": 0.7}),
    ("lightgbm", {"boosting_type": "dart", "drop_rate": 0.3}),
    ("lightgbm", {"data_sample_strategy": "goss", "class_weight": "balanced"}),
    ("boosted-trees", {"path_smooth": 2.0, "rounds": 5}),
    ("forest", {"max_leaf_nodes": 5, "class_weight": "balanced"}),
    ("adaboost", {"estimator__min_samples_leaf": 3}),
    ("knn", {"metric": "manhattan"}),
    ("xgboost", {"max_depth": 2, "subsample": 0.7, "rounds": 1}),
    ("xgboost-regressor", {"min_child_weight": 1000.0}),
    ("knn-regressor", {"n_neighbors": 60}),
    ("ridge", {"solver": "saga"}),
    ("logistic", {"penalty": "l1"}),
]


@pytest.mark.parametrize(("key", "values"), VARIED, ids=str)
def test_stored_learners_with_other_settings_predict_identically(
    key: str, values: dict[str, Any], fitted: Any, rows: dict[str, Any]
) -> None:
    learner = find_part(REGISTRY, key, "learner")()
    if learner.get_missing_dependency():
        pytest.skip(learner.get_missing_dependency())
    model = fitted(learner, learner.tasks[-1], **values)
    predict_identically_when_read(model, rows["new"])


def test_lightgbm_models_with_any_setting_are_serialized() -> None:
    learner = find_part(REGISTRY, "lightgbm", "learner")
    setting_names = {
        each.setting.name
        for each in list_offered_parameters(learner, "binary")
        if not each.rejection
    }
    assert setting_names - set(LGBMClassifier().get_params()) <= LIGHT_GBM


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda each: each.key)
def test_stored_operators_predict_identically(
    operator: type[Operator], fitted: Any, rows: dict[str, Any]
) -> None:
    task = "multiclass" if "multiclass" in operator.tasks else "regression"
    key = "ridge" if task == "regression" else "naive-bayes"
    learner = find_part(REGISTRY, key, "learner")()
    for values in ({}, {"score": "f_classif"}):
        if values and "score" not in operator.hyperparameters:
            continue
        try:
            model = fitted(learner, task, (ChosenOperator(operator.stage, operator(), values),))
        except (LearnerError, ValueError):
            continue  # no column is selected by the test
        predict_identically_when_read(model, rows["new"])


@pytest.mark.parametrize("task", ["multiclass", "regression"])
@pytest.mark.parametrize("encoder", ENCODERS, ids=lambda each: each.key)
def test_boosted_trees_are_serialized_with_every_encoder(
    encoder: type[Operator], task: str, fitted: Any, rows: dict[str, Any]
) -> None:
    key = "boosted-trees-regressor" if task == "regression" else "boosted-trees"
    learner = find_part(REGISTRY, key, "learner")()
    operators = (ChosenOperator("encoder", encoder(), {}),)
    model = fitted(learner, task, operators, min_child_samples=5, rounds=9)
    text = model[-1].booster_.model_to_string()
    assert ("cat_threshold=" in text) is (encoder.key == "native")
    predict_identically_when_read(model, rows["new"])


@pytest.mark.parametrize("encoder", ENCODERS, ids=lambda each: each.key)
def test_networks_are_serialized_with_every_encoder(
    encoder: type[Operator], fitted: Any, rows: dict[str, Any]
) -> None:
    learner = find_part(REGISTRY, "real-mlp", "learner")()
    model = fitted(learner, "multiclass", (ChosenOperator("encoder", encoder(), {}),), epochs=3)
    embedded = any("vectors" in name for name in model.get_params())
    assert embedded is (encoder.key == "native")
    predict_identically_when_read(model, rows["new"])


def test_pipelines_with_ufuncs_and_perceptrons_are_serialized(rows: dict[str, Any]) -> None:
    from scipy.special import expit
    from sklearn.decomposition import TruncatedSVD
    from sklearn.neural_network import MLPRegressor
    from sklearn.pipeline import FeatureUnion, Pipeline
    from sklearn.preprocessing import FunctionTransformer, RobustScaler

    X = np.nan_to_num(rows["X"])
    model = Pipeline(
        [
            ("scale", RobustScaler()),
            ("clip", FunctionTransformer(np.tanh)),
            (
                "both",
                FeatureUnion(
                    [
                        ("sine", FunctionTransformer(np.sin)),
                        ("squeeze", FunctionTransformer(expit)),
                        ("few", TruncatedSVD(2)),
                    ]
                ),
            ),
            ("network", MLPRegressor(hidden_layer_sizes=(5,), max_iter=30, random_state=0)),
        ]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, rows["regression"])
    predict_identically_when_read(model, X)
