"""Contract of all learners."""

import inspect
import itertools
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from studio.learners.facts import TableFacts
from studio.learners.registry import REGISTRY as EVERY
from studio.runs.checked_predictions import predict

pytestmark = pytest.mark.slow

REGISTRY = tuple(part for part in EVERY if part.key != "cnn")
"""All but the one that needs PyTorch and images: see test_convolution.py."""

TABLES = (
    "plain",
    "tiny",
    "one column",
    "wide",
    "constant column",
    "huge numbers",
    "missing",
    "categories",
    "only categories",
    "many categories",
)
THERE = tuple(part for part in REGISTRY if not part.get_missing_dependency())


def case(part):
    """Return the case of a learner, skipped if its library is missing."""
    missing_dependency = part.get_missing_dependency()
    marks = pytest.mark.skip(reason=missing_dependency) if missing_dependency else ()
    return pytest.param(part, id=part.key, marks=marks)


every_learner = pytest.mark.parametrize("part", [case(part) for part in REGISTRY])
EXTREMES = {
    "n_neighbors": (1, 10**6),
    "n_estimators": (1, 30),
    "max_depth": (1, 10**6),
    "min_samples_split": (2, 10**6),
    "min_samples_leaf": (1, 10**6),
    "C": (1e-5, 1e5),
    "width": (1e-5, 1e5),
    "gamma": (1e-5, 1e5),
    "epsilon": (1e-2, 1.0),
    "alpha": (1e-5, 1e5),
    "reg_param": (1e-3, 1e3),
    "degree": (1, 10),
    "intercept": (1e-2, 1e2),
    "kernel": ("linear", "rbf", "poly", "sigmoid"),
    "weights": ("uniform", "distance"),
    "p": (1, 2),
    "criterion": (),
    "bootstrap": (False, True),
    "max_features": (1e-4, 1.0),
    "features_power": (0.0, 1.0),
    "learning_rate": (1e-3, 2.0),
    "subsample": (0.01, 1.0),
    "loss": (),
    "num_leaves": (2, 2047),
    "min_child_samples": (1, 10**6),
    "min_child_weight": (1e-3, 10.0),
    "colsample_bytree": (0.1, 1.0),
    "reg_alpha": (0.0, 10.0),
    "reg_lambda": (0.0, 10.0),
    "random_strength": (0.0, 10.0),
    "colsample_bylevel": (0.1, 1.0),
    "tol": (1e-6, 0.1),
    "max_iter": (1, 100_000),
    "solver": (),
    "penalty": ("l1", "l2"),
    "dual": (False,),
    "shrinking": (False, True),
    "shrinkage": ("none", "auto", "manual"),
    "shrinkage_factor": (0.0, 1.0),
    "rounds": (1, 30),
    "covariance": ("matern", "rbf"),
    "rows": (2, 10**6),
    "learning_rows": (2, 10**6),
    "extra_trees": (False, True),
    "cat_smooth": (0.0, 100.0),
    "cat_l2": (0.0, 100.0),
    "max_cat_to_onehot": (1, 100),
    "units": (1, 300),
    "layers": (1, 5),
    "activation": ("elu", "relu"),
    "dropout": (0.0, 0.9),
    "weight_decay": (0.0, 1.0),
    "label_smoothing": (0.0, 0.9),
    "batch": (1, 10**6),
    "epochs": (1, 30),
    "waves": (0, 8),
    "sigma": (1e-3, 10.0),
    "views": (1, 3),
    "normalisation": ("both", "quantile", "robust"),
    "temperature": (0.1, 10.0),
    "units_1": (1, 100),
    "units_2": (1, 100),
    "decay_1": (1e-5, 100.0),
    "decay_2": (1e-5, 100.0),
    "decay_3": (1e-5, 100.0),
}


def predictions(learner, built, X, task):
    n_classes = {"binary": 2, "multiclass": 3, "regression": 0}[task]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return predict(built.estimator, learner, X, n_classes)


@every_learner
def test_learner_can_be_trained_on_every_table(part, table_of, trained, subtests):
    for task, name in zip(itertools.cycle(part.tasks), TABLES, strict=False):
        with subtests.test(task=task, table=name):
            X, y, categorical = table_of(task, name)
            outputs = predictions(part(), trained(part(), task, X, y, categorical), X, task)
            assert outputs.shape == (
                (len(X),) if task == "regression" else (len(X), outputs.shape[1])
            )
            assert np.all(np.isfinite(outputs))


@every_learner
def test_learner_accepts_bounds_of_every_range(part, table_of, trained, subtests):
    task = part.tasks[0]
    brief = {"epochs": 3} if "epochs" in part.hyperparameters else {}
    tables = itertools.cycle(("plain", "wide", "wide", "plain"))  # each end on one of them
    for name in part.hyperparameters:
        ends = filter(part.hyperparameters[name].accepts, EXTREMES[name])
        for value, table in zip(ends, tables, strict=False):
            with subtests.test(table=table, **{name: value}):
                X, y, categorical = table_of(task, table)
                pipeline = trained(part(), task, X, y, categorical, **brief | {name: value})
                assert np.all(np.isfinite(predictions(part(), pipeline, X, task)))


@every_learner
def test_learner_is_deterministic_for_seed(part, table_of, trained, subtests):
    for task in part.tasks:
        with subtests.test(task=task):
            X, y, categorical = table_of(task, "categories")
            first, second = (
                predictions(part(), trained(part(), task, X, y, categorical, seed=11), X, task)
                for _ in range(2)
            )
            assert first.tobytes() == second.tobytes()


@every_learner
def test_learner_predicts_rows_with_unseen_values(part, table_of, trained, subtests):
    new = np.vstack([np.full((1, 4), np.nan), np.full((1, 4), 1e30), [[0.0, 99.0, 99.0, 99.0]]])
    for task in part.tasks:
        with subtests.test(task=task):
            X, y, categorical = table_of(task, "categories")
            pipeline = trained(part(), task, X, y, categorical)
            assert np.all(np.isfinite(predictions(part(), pipeline, new, task)))


@every_learner
def test_learner_beats_baseline(part, table_of, trained, subtests):
    for task in part.tasks:
        with subtests.test(task=task):
            X, y, categorical = table_of(task, "plain")
            X[:, 0] = y + 0.1 * X[:, 1]
            outputs = predictions(part(), trained(part(), task, X, y, categorical), X, task)
            if task == "regression":
                assert np.mean((outputs - y) ** 2) < 0.5 * np.var(y)
            else:
                assert np.mean(outputs.argmax(axis=1) == y) > 0.6


@every_learner
def test_tiny_weights_have_little_effect(part, table_of, trained, subtests):
    if not part.supports_sample_weight:
        pytest.skip("it does not support weights, and reports that")
    for task in part.tasks:
        with subtests.test(task=task):
            X, y, categorical = table_of(task, "plain")
            X[:, 0] = y
            wrong_targets = y + 50.0 if task == "regression" else (y + 1) % (y.max() + 1)
            rows = np.vstack([X, X]), np.concatenate([y, wrong_targets])
            weights = np.repeat([1.0, 1e-7], len(y))
            pipeline = trained(part(), task, *rows, categorical, row_weights=weights)
            outputs = predictions(part(), pipeline, X, task)
            if task == "regression":
                assert np.mean((outputs - y) ** 2) < 0.5 * np.var(y)
            else:
                assert np.mean(outputs.argmax(axis=1) == y) > 0.8


@every_learner
def test_learner_declaration_is_complete(part):
    assert all((part.key, part.title, part.summary, part.reference, part.tasks))
    assert part.summary.count(".") + part.summary.count(";") >= 2
    assert set(part.hyperparameters) <= set(EXTREMES)
    assert (part.prediction_type == "values") == (part.tasks == ("regression",))
    assert inspect.getdoc(part)


def test_learner_keys_are_unique():
    keys = [part.key for part in REGISTRY]
    assert len(set(keys)) == len(keys)
    assert {"knn", "rbf-svm", "forest", "qda", "rbf-svr", "ridge"} <= set(keys)


def test_only_support_vector_machines_predict_labels_only():
    labels = {part.key for part in REGISTRY if part.prediction_type == "labels"}
    assert labels == {"rbf-svm", "linear-svm", "kernel-svm"}


LOADER = """
import pickle, sys
import numpy as np

class Wall:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "studio":
            raise ImportError("this package is not installed here")

sys.meta_path.insert(0, Wall())
folder = sys.argv[1]
for key in sys.argv[2:]:
    X = np.load(f"{folder}/{key}.npy")
    with open(f"{folder}/{key}.pkl", "rb") as file:
        pipeline = pickle.load(file)
    assert pipeline.predict(X).tobytes() == np.load(f"{folder}/{key}-predicted.npy").tobytes(), key
assert not any(name.split(".")[0] == "studio" for name in sys.modules)
"""


def test_fitted_pipelines_can_be_loaded_without_package(table_of, trained, tmp_path):
    for part in THERE:
        X, y, categorical = table_of(part.tasks[0], "categories")
        pipeline = trained(part(), part.tasks[0], X, y, categorical).estimator
        np.save(tmp_path / f"{part.key}.npy", X)
        np.save(tmp_path / f"{part.key}-predicted.npy", pipeline.predict(X))
        (tmp_path / f"{part.key}.pkl").write_bytes(pickle.dumps(pipeline))
    process = subprocess.run(
        [sys.executable, "-c", LOADER, str(tmp_path), *(part.key for part in THERE)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert process.returncode == 0, process.stderr


def test_learner_build_imports_sklearn_lazily():
    code = (
        "import sys; import studio.learners.registry; "
        "heavy = {'sklearn', 'pandas', 'scipy', 'lightgbm', 'xgboost', 'catboost', 'tabicl'}; "
        "heavy |= {'torch', 'huggingface_hub'}; "
        "assert not heavy & set(sys.modules)"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)


def test_table_facts_count_encoded_columns(table_of):
    X, y, categorical = table_of("binary", "many categories")
    facts = TableFacts.from_rows(X, y, task="binary", n_classes=2, categorical=categorical, seed=0)
    assert facts.n_columns == 100
