"""TabICL: messages without library or weights, and training with random weights."""

import os
import pickle
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.errors import LateTrialError, LearnerError, SerializationError
from studio.export.bundle import MODULE_MARKERS
from studio.extras import find_cached_weights, make_install_command
from studio.learners import tabicl as module
from studio.learners.choice import LearnerConfiguration
from studio.learners.facts import TableFacts
from studio.learners.self_replacing_steps import (
    ValidationData,
    extract_trained,
    fit_with_early_stopping,
)
from studio.learners.tabicl import (
    MAX_CELLS,
    MAX_CLASSES,
    MAX_COLUMNS,
    REPOSITORY,
    ROWS_PER_PASS,
    TabIcl,
    TabIclRegressor,
    TabIclTraining,
)
from studio.learners.values import LearnerValues
from studio.proposers.base import TableSize
from studio.proposers.portfolio import find_joined_spaces, list_starts
from studio.proposers.presets import get_preset
from studio.proposers.spaces import get_space
from studio.runs.checked_predictions import predict
from studio.runs.evaluate import evaluate
from studio.runs.staging import TrialData
from studio.serialization.codec import encode
from studio.space.library import load
from tests.facts import about
from tests.manual_clock import ManualClock

LEARNERS = (TabIcl, TabIclRegressor)
each_learner = pytest.mark.parametrize("part", LEARNERS, ids=lambda part: part.key)


def make_cached_path(cache: Path, name: str) -> Path:
    """Create the path of a file in a Hugging Face cache."""
    folder = cache / "models--jingang--TabICL"
    path = folder / "snapshots" / "abc" / name
    for directory in (folder / "refs", path.parent):
        directory.mkdir(parents=True, exist_ok=True)
    (folder / "refs" / "main").write_text("abc")
    return path


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty Hugging Face cache, used by library and program."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    if "huggingface_hub" in sys.modules:
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture
def weights(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a cache with tiny random weights in the library's format; no network is reached."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("tabicl")
    from tabicl._model.tabicl import TabICL

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(cache))
    monkeypatch.setattr("socket.socket.connect", lambda *given: pytest.fail("a connection"))
    small = {
        "embed_dim": 16, "col_num_blocks": 1, "col_nhead": 2, "col_num_inds": 4,
        "row_num_blocks": 1, "row_nhead": 2, "row_num_cls": 2, "icl_num_blocks": 1,
        "icl_nhead": 2, "row_rope_interleaved": False, "zero_init": False, "num_quantiles": 19,
    }  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        for part, classes in ((TabIcl, 10), (TabIclRegressor, 0)):
            config = small | {"max_classes": classes}
            state = TabICL(**config).state_dict()
            torch.save(
                {"config": config, "state_dict": state}, make_cached_path(cache, part.weights)
            )
    return cache


def table(part: Any, n_rows: int = 60, columns: int = 4, classes: int = 3) -> tuple[Any, Any]:
    X = np.random.default_rng(3).normal(size=(n_rows, columns))
    return X, (5.0 + X[:, 0] if part is TabIclRegressor else np.arange(n_rows) % classes)


def make_facts(part: Any, X: Any, y: Any, level: float | None = None) -> TableFacts:
    number = part is TabIclRegressor
    return TableFacts.from_rows(
        X, y, task="regression" if number else "multiclass", n_classes=0 if number else y.max() + 1,
        categorical=np.zeros(X.shape[1], dtype=bool), seed=1, level=level,
    )  # fmt: skip


def make_training(part: Any, X: Any, y: Any, **values: Any) -> TabIclTraining:
    training = part().make_estimator(
        LearnerValues(part.key, values, part.hyperparameters), make_facts(part, X, y)
    )
    assert isinstance(training, TabIclTraining)
    return training


def fit_learner(part: Any, X: Any, y: Any, level: float | None = None, **values: Any) -> Any:
    pipeline = part().build({"views": 2} | values, make_facts(part, X, y, level))
    return extract_trained(pipeline.estimator.fit(X, y))


# -- no library or weights ------------------------------------------------------------------------


@each_learner
def test_missing_library_names_extra(part: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tabicl", None)
    with pytest.raises(LearnerError) as error_info:
        part().build({}, make_facts(part, *table(part)))
    assert make_install_command("tabicl") in str(error_info.value)


@each_learner
def test_missing_weights_error_names_file_and_command(
    part: Any, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tabicl", sys)  # any module will do
    with pytest.raises(LearnerError) as error_info:
        part().build({}, make_facts(part, *table(part)))
    assert f"hf download {REPOSITORY} {part.weights}" in str(error_info.value)
    make_cached_path(cache, part.weights).write_bytes(b"")
    assert part.get_missing_dependency() == ""


FOUND = """
import sys
from huggingface_hub import try_to_load_from_cache
print(try_to_load_from_cache(*sys.argv[1:]))
"""


@pytest.mark.parametrize("given", ["HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME", "HOME"])
def test_weights_path_follows_environment_variable(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = {
        "HF_HUB_CACHE": "", "HF_HOME": "hub", "XDG_CACHE_HOME": "huggingface/hub",
        "HOME": ".cache/huggingface/hub",
    }  # fmt: skip
    for name in ("HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(given, str(tmp_path))
    assert given == "HOME" or find_cached_weights("jingang/TabICL", "a.ckpt") is None
    path = make_cached_path(tmp_path / below[given], "a.ckpt")
    path.write_bytes(b"")
    assert find_cached_weights("jingang/TabICL", "a.ckpt") == path
    assert find_cached_weights("jingang/TabICL", "b.ckpt") is None
    if find_spec("huggingface_hub") is not None:
        process = subprocess.run(
            [sys.executable, "-c", FOUND, "jingang/TabICL", "a.ckpt"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert process.stdout.strip() == str(path), "the library uses the same path"


@pytest.mark.parametrize("task", ["multiclass", "regression"])
def test_default_method_includes_tabicl_only_with_weights(
    task: Any, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = TabIclRegressor if task == "regression" else TabIcl
    for name in ("xgboost", "catboost", "tabicl"):
        monkeypatch.setitem(sys.modules, name, None)
    base = load(get_preset("best").spaces[task])
    assert get_space("best", task) == base
    monkeypatch.setitem(sys.modules, "tabicl", sys)
    assert get_space("best", task) == base
    make_cached_path(cache, part.weights).write_bytes(b"")
    space = get_space("best", task)
    space.check()
    root, before = space.find_root_choice(), base.find_root_choice()
    assert root is not None and before is not None
    assert set(root.choices) - set(before.choices) == {part.key}
    last = list_starts(space, 500, regression=task == "regression")[-1]
    assert last.learner == part.key
    (joined,) = [each for each in find_joined_spaces(base.name) if each.module == "tabicl"]
    assert joined.weights == (REPOSITORY, part.weights)
    classes = 0 if task == "regression" else MAX_CLASSES
    assert np.isfinite(last.predict_seconds(TableSize(500, MAX_COLUMNS, classes, 5)))
    assert np.isinf(last.predict_seconds(TableSize(500, MAX_COLUMNS + 1, classes, 5))), (
        "never begun"
    )
    if classes:
        assert np.isinf(last.predict_seconds(TableSize(500, 5, classes + 1, 5)))


@each_learner
def test_tables_exceeding_limits_are_rejected(part: Any) -> None:
    wide = table(part, columns=MAX_COLUMNS + 1)
    with pytest.raises(LearnerError, check=about(most=MAX_COLUMNS, count=MAX_COLUMNS + 1)):
        make_training(part, *wide)
    make_training(part, *table(part, columns=MAX_COLUMNS))


def test_too_many_classes_are_rejected() -> None:
    with pytest.raises(LearnerError, check=about(most=MAX_CLASSES, count=MAX_CLASSES + 1)):
        make_training(TabIcl, *table(TabIcl, classes=MAX_CLASSES + 1))
    make_training(TabIcl, *table(TabIcl, classes=MAX_CLASSES))


def test_context_rows_are_bounded_and_contain_all_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _ = table(TabIcl, 5000, columns=50)
    y = np.zeros(5000, dtype=int)
    y[[17, 4000]] = 1, 2
    fit_calls: list[Any] = []
    monkeypatch.setattr(TabIclTraining, "_import_library", staticmethod(lambda: None))
    monkeypatch.setattr(
        TabIclTraining,
        "_fit_library_estimator",
        lambda self, rows, truth, views: fit_calls.append((rows, truth)),
    )
    for rows, most in ((3, 3), (10**6, MAX_CELLS // 50)):
        make_training(TabIcl, X, y, rows=rows).fit(X, y)
        known_rows, truth = fit_calls.pop()
        assert len(known_rows) == len(truth) == most
        assert set(truth) == {0, 1, 2}
    make_training(TabIcl, X[:90], y[:90]).fit(X[:90], y[:90])
    assert np.array_equal(fit_calls.pop()[0], X[:90])


@pytest.mark.parametrize("n_rows", [1, ROWS_PER_PASS, 2 * ROWS_PER_PASS + 5])
def test_rows_are_predicted_in_batches(n_rows: int) -> None:
    sizes = []

    class FakeTabIcl:
        def predict(self, X: Any) -> Any:
            sizes.append(len(X))
            return X[:, 0]

    X = np.arange(float(n_rows))[:, None]
    assert np.array_equal(predict(FakeTabIcl(), TabIclRegressor(), X, 0), X[:, 0])
    assert sum(sizes) == n_rows and max(sizes) <= ROWS_PER_PASS


@pytest.mark.parametrize(("seconds", "views"), [(1.0, None), (12.0, 1), (25.0, 2), (1e3, 4)])
def test_number_of_views_fits_time_limit(
    seconds: float, views: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = ManualClock()
    X, y = table(TabIcl, 80)

    class Slow:
        def __init__(self, views: int) -> None:
            self.views = views

        def predict(self, X: Any) -> None:
            clock.now += 0.01 * self.views * (80 + len(X))  # a hundredth of a second a row

    def load() -> None:
        clock.now += 100.0  # does not count

    monkeypatch.setattr(module, "read_awake_seconds", clock)
    monkeypatch.setattr(TabIclTraining, "_import_library", staticmethod(load))
    monkeypatch.setattr(
        TabIclTraining, "_fit_library_estimator", lambda self, X, y, views: Slow(views)
    )
    training = make_training(TabIcl, X, y)
    training.validation_data = ValidationData(
        seconds=seconds, to_predict=500
    )  # 7.4 s a view, 1 s of measuring
    if views is None:
        with pytest.raises(LateTrialError):
            training.fit(X, y)
    else:
        assert training.fit(X, y).to_sklearn().views == min(4, int((seconds - 1.0) / 7.4))
        assert training.self_tuned_values["views"] >= views


# -- with random weights --------------------------------------------------------------------------


@pytest.mark.slow
@each_learner
def test_model_with_random_weights_predicts(part: Any, weights: Path) -> None:
    import torch

    X, y = table(part)
    threads, states = torch.get_num_threads(), torch.get_rng_state()
    one, two = (fit_learner(part, X, y) for _ in range(2))
    predictions = predict(one, part(), X, 3)
    assert predictions.shape == ((60,) if part is TabIclRegressor else (60, 3))
    assert predictions.tobytes() == predict(two, part(), X, 3).tobytes()
    new = np.vstack([np.full((1, 4), np.nan), np.full((1, 4), 1e30)])
    assert np.isfinite(predict(one, part(), new, 3)).all()
    assert torch.get_num_threads() == threads and torch.equal(torch.get_rng_state(), states)
    model = one.named_steps["learner"]
    assert (model.n_jobs, model.device, model.allow_auto_download) == (1, "cpu", False)


@pytest.mark.slow
def test_tabicl_predicts_quantile_of_metric(weights: Path) -> None:
    X, y = table(TabIclRegressor)
    low, high = (fit_learner(TabIclRegressor, X, y, level).predict(X) for level in (0.1, 0.9))
    assert low.shape == (60,) and np.all(low < high)


@pytest.mark.slow
@each_learner
def test_trial_records_views_and_is_not_serializable(part: Any, weights: Path) -> None:
    X, y = table(part, 90)
    rows, number = np.arange(90), part is TabIclRegressor
    data = TrialData(
        X=X, y=y, task="regression" if number else "multiclass", n_classes=0 if number else 3,
        categorical=np.zeros(4, dtype=bool), validation=rows[:80], test=rows[80:],
        folds=((rows[:40], rows[40:80]), (rows[40:80], rows[:40])),
    )  # fmt: skip
    outcome = evaluate(data, part(), LearnerConfiguration(part.key, {}), 3, seconds=1e4)
    assert outcome.used[f"{part.key}.views"] == 4
    assert np.isfinite(outcome.validation).all()
    with pytest.raises(SerializationError, match="TabICL"):
        encode([fit_learner(part, X, y)])


@pytest.mark.slow
def test_specified_views_are_used_without_timing(weights: Path) -> None:
    X, y = table(TabIcl)
    pipeline = TabIcl().build({"views": 3}, make_facts(TabIcl, X, y))
    assert fit_with_early_stopping(pipeline.estimator, X, y, None, ValidationData()) == {"views": 3}


LOADER = """
import pickle, sys

class Wall:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "studio":
            raise ImportError("this package is not installed here")

sys.meta_path.insert(0, Wall())
import socket
socket.socket.connect = None
with open(sys.argv[1], "rb") as file:
    model, X, expected = pickle.load(file)
assert model.predict(X).tobytes() == expected.tobytes()
"""


@pytest.mark.slow
@each_learner
def test_pickle_references_weights_without_containing_them(
    part: Any, weights: Path, tmp_path: Path
) -> None:
    X, y = table(part)
    model = fit_learner(part, X, y)
    content = pickle.dumps((model, X, model.predict(X)))
    assert len(content) < 100_000 and str(weights).encode() not in content
    assert [name for name, sign in MODULE_MARKERS.items() if sign in content] == ["tabicl"]
    (tmp_path / "it.pkl").write_bytes(content)
    outcomes = []
    for folder in (weights, tmp_path / "elsewhere"):
        process = subprocess.run(
            [sys.executable, "-c", LOADER, str(tmp_path / "it.pkl")],
            capture_output=True, text=True, check=False,
            env={**os.environ, "HF_HUB_CACHE": str(folder), "PYTHONHASHSEED": "0"},
        )  # fmt: skip
        outcomes.append(
            (process.returncode, part.weights in process.stderr, "disabled" in process.stderr)
        )
    assert outcomes == [(0, False, False), (1, True, True)]


class Payload:
    """A payload that runs code when unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return Path.touch, (self.mark,)


@pytest.mark.slow
@each_learner
def test_weights_file_with_other_objects_is_rejected(
    part: Any, weights: Path, tmp_path: Path
) -> None:
    import torch

    mark = tmp_path / "ran"
    torch.save({"config": {}, "state_dict": Payload(mark)}, make_cached_path(weights, part.weights))
    with pytest.raises(pickle.UnpicklingError):
        fit_learner(part, *table(part))
    assert not mark.exists()
