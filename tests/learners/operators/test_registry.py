"""Contract of all operators."""

import inspect
import itertools
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

from studio.errors import LearnerError
from studio.learners.forests import Tree
from studio.learners.linear import Ridge
from studio.learners.operators.base import STAGES
from studio.learners.operators.registry import REGISTRY
from studio.learners.registry import REGISTRY as LEARNERS
from studio.runs.checked_predictions import predict
from tests.facts import about

pytestmark = pytest.mark.slow

TABLES = (
    "plain",
    "tiny",
    "one column",
    "wide",
    "constant column",
    "missing",
    "categories",
    "only categories",
)
every_operator = pytest.mark.parametrize("part", REGISTRY, ids=lambda part: part.key)
EXTREMES = {
    "smooth": (0.0, 1000.0),
    "terms": (1, 50),
    "random_state": (1, 100_000),
    "algorithm": ("parallel", "deflation"),
    "whiten": (False, True),
    "fun": ("logcosh", "exp", "cube"),
    "n_components": (1, 5000),
    "n_clusters": (2, 400),
    "metric": ("euclidean",),
    "linkage": ("ward", "complete", "average"),
    "pooling": ("mean", "median", "max"),
    "kernel": ("poly", "rbf", "sigmoid", "cosine"),
    "gamma": (3.0517578125e-5, 8.0),
    "degree": (2, 3),
    "coef0": (-1.0, 1.0),
    "shrinkage": ("none", "auto"),
    "keep_variance": (0.5, 0.9999),
    "interaction_only": (False, True),
    "n_estimators": (10, 100),
    "max_depth": (2, 10),
    "min_samples_split": (2, 20),
    "min_samples_leaf": (1, 20),
    "target_dim": (1, 256),
    "percentile": (5.0, 99.0),
    "score": ("chi2", "f_classif", "mutual_info"),
    "alpha": (0.05, 0.5),
    "mode": ("fpr", "fdr", "fwe"),
    "criterion": ("gini", "entropy"),
    "bootstrap": (False, True),
    "features_power": (0.0, 1.0),
    "max_features": (0.1, 1.0),
    "C": (0.03125, 32768.0),
    "tol": (1e-5, 0.1),
    "n_quantiles": (10, 2000),
    "output_distribution": ("uniform", "normal"),
    "q_min": (0.001, 0.3),
    "q_max": (0.7, 0.999),
}

KNOWN_FAILURES = {
    # A significance test may select no column.
    ("select-univariate", "only categories"): "0 feature"
}

NOT_TRIED = {
    # It supports only two scores.
    ("select-univariate", "mutual_info"),
    # The sigmoid is not a positive definite kernel; scikit-learn accepts it on some rows only.
    ("kernel-pca", "sigmoid"),
}


def list_tasks(part):
    """Return an operator's tasks without the binary one, a case of several classes."""
    return [task for task in part.tasks if task != "binary"]


def predictions(built, X, task):
    learner = Ridge() if task == "regression" else Tree()
    n_classes = {"binary": 2, "multiclass": 3, "regression": 0}[task]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return predict(built.estimator, learner, X, n_classes)


@every_operator
def test_pipeline_with_operator_predicts_for_every_table(part, table_of, train_behind, subtests):
    for task, name in itertools.product(list_tasks(part), TABLES):
        with subtests.test(task=task, table=name):
            table = table_of(task, name)
            known_failure = KNOWN_FAILURES.get((part.key, name))
            if known_failure:
                with pytest.raises(ValueError, match=known_failure):
                    train_behind(part(), task, table)
            else:
                predicted_values = predictions(train_behind(part(), task, table), table[0], task)
                assert np.all(np.isfinite(predicted_values))


@every_operator
def test_operator_accepts_bounds_of_every_range(part, table_of, train_behind, subtests):
    for name in part.hyperparameters:
        task = part.tasks[-1] if name == "max_features" else part.tasks[0]
        table = table_of(task, "categories")
        for value in EXTREMES[name]:
            if (part.key, value) in NOT_TRIED:
                continue
            with subtests.test(**{name: value}):
                pipeline = train_behind(part(), task, table, **{name: value})
                assert np.all(np.isfinite(predictions(pipeline, table[0], task)))


@every_operator
def test_operator_is_deterministic_for_seed(part, table_of, train_behind, subtests):
    for task in list_tasks(part):
        with subtests.test(task=task):
            table = table_of(task, "plain")
            first, second = (
                predictions(train_behind(part(), task, table), table[0], task) for _ in range(2)
            )
            assert first.tobytes() == second.tobytes()


@every_operator
def test_operator_declaration_is_complete(part):
    assert all((part.key, part.title, part.summary, part.reference, part.tasks))
    assert part.summary.count(".") + part.summary.count(";") >= 2
    assert part.stage in STAGES
    assert set(part.hyperparameters) <= set(EXTREMES)
    assert inspect.getdoc(part)


def test_operator_keys_are_unique_and_differ_from_learner_keys():
    keys = [part.key for part in (*REGISTRY, *LEARNERS)]
    assert len(set(keys)) == len(keys)
    assert not {"empty", "algorithm", *STAGES} & set(keys)


def test_operator_of_another_task_is_rejected(table_of, train_behind):
    part = next(part for part in REGISTRY if part.key == "lda-decomposer")
    with pytest.raises(LearnerError, check=about(task="regression", stage="preprocessor")):
        train_behind(part(), "regression", table_of("regression", "plain"))


def test_invalid_value_error_contains_operator_key(table_of, train_behind):
    part = next(part for part in REGISTRY if part.key == "pca")
    table = table_of("binary", "plain")
    with pytest.raises(LearnerError, match="operator", check=about(learner="pca", name="'depth'")):
        train_behind(part(), "binary", table, depth=3)
    with pytest.raises(LearnerError, check=about(learner="pca", name="whiten", value="'yes'")):
        train_behind(part(), "binary", table, whiten="yes")


LOADER = """
import pickle, sys
import numpy as np

class Wall:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "studio":
            raise ImportError("this package is not installed here")

sys.meta_path.insert(0, Wall())
folder = sys.argv[1]
X = np.load(f"{folder}/X.npy")
for key in sys.argv[2:]:
    with open(f"{folder}/{key}.pkl", "rb") as file:
        pipeline = pickle.load(file)
    assert pipeline.predict(X).tobytes() == np.load(f"{folder}/{key}-predicted.npy").tobytes(), key
assert not any(name.split(".")[0] == "studio" for name in sys.modules)
"""


def test_fitted_pipelines_can_be_loaded_without_package(table_of, train_behind, tmp_path):
    tables = {task: table_of(task, "categories") for task in ("binary", "regression")}
    np.save(tmp_path / "X.npy", tables["binary"][0])
    for part in REGISTRY:
        task = "binary" if "binary" in part.tasks else "regression"
        table = tables["binary"][0], *tables[task][1:]
        pipeline = train_behind(part(), task, table).estimator
        np.save(tmp_path / f"{part.key}-predicted.npy", pipeline.predict(table[0]))
        (tmp_path / f"{part.key}.pkl").write_bytes(pickle.dumps(pipeline))
    process = subprocess.run(
        [sys.executable, "-c", LOADER, str(tmp_path), *(part.key for part in REGISTRY)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert process.returncode == 0, process.stderr
