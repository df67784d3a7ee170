"""Runs in a space with an undeclared library setting: dart and its drop rate."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.document.store import Document
from studio.errors import SpaceError
from studio.export.estimator import train
from studio.export.frame import make_raw_frame
from studio.runs import prepare
from studio.runs.create import create_run, fork_run
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from studio.space.base import Condition
from studio.space.choices import Categorical, Constant
from studio.space.editing import change
from studio.space.ranges import Float
from studio.space.space import Space
from tests.facts import about

pytestmark = pytest.mark.slow

DART = Space(
    "dart",
    (
        Constant("algorithm", "lightgbm"),
        Constant("lightgbm.n_estimators", 10),
        Categorical("lightgbm.boosting_type", ("gbdt", "dart")),
        Float(
            "lightgbm.drop_rate", 0.01, 0.5, log=True,
            conditions=(Condition("lightgbm.boosting_type", ("dart",)),),
        ),
    ),
)  # fmt: skip


def test_dart_is_searched_stored_and_exported(
    finished_run: Callable[..., tuple[Path, int]],
) -> None:
    path, run_id = finished_run(space=DART.to_json(), budget=8)
    with Document.open(path, writable=False) as document:
        trials = document.trials.list_all(run_id)
        dart = next(t for t in trials if t.configuration["lightgbm.boosting_type"] == "dart")
        trained: Any = train(document, run_id, make_pool=InlinePool, trial=dart.number)
        assert document.ensembles.read_metadata(run_id) is not None
    assert [each.status for each in trials] == ["ok"] * 8
    kinds = {each.configuration["lightgbm.boosting_type"] for each in trials}
    assert kinds == {"gbdt", "dart"}
    for each in trials:
        assert ("lightgbm.drop_rate" in each.configuration) == (
            each.configuration["lightgbm.boosting_type"] == "dart"
        )
    frame = make_raw_frame(trained, 20)
    restored = pickle.loads(pickle.dumps(trained.estimator))
    np.testing.assert_array_equal(
        restored.predict_proba(frame), trained.estimator.predict_proba(frame)
    )
    (member,) = restored[-1].named_estimators_.values()
    text = repr(member.get_params())
    assert "boosting_type='dart'" in text
    assert f"drop_rate={dart.configuration['lightgbm.drop_rate']}" in text


def test_invalid_settings_are_rejected_before_run_creation(
    tmp_path: Path, small_table: Path
) -> None:
    wide = change(DART, "lightgbm.drop_rate", high=1.5)
    settings = RunSettings(
        method="RS", space=wide.to_json(), source=TableSource(path=str(small_table), task="binary")
    )
    with (
        Document.create(tmp_path / "d.studio") as document,
        pytest.raises(SpaceError, check=about(low="0", high="1", found="1.5")),
    ):
        create_run(document, None, settings)


def test_old_run_with_out_of_range_values_is_continued(
    new_run: Callable[..., tuple[Path, int]],
    run_inline: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wide = Space(
        "wide",
        (
            Constant("algorithm", "lightgbm"),
            Constant("lightgbm.n_estimators", 5),
            Constant("lightgbm.subsample", 1.5),
            Float("lightgbm.reg_alpha", -2.0, -1.0),
        ),
    )
    old_run = new_run(space=wide.to_json(), budget=2, method="RS-post")
    with monkeypatch.context() as earlier:  # versions that clipped values instead of rejecting them
        earlier.setattr(prepare, "check_values", lambda *_: None)
        assert run_inline(*old_run) == "finished"
    with Document.open(old_run[0]) as document:
        train(document, old_run[1], make_pool=InlinePool, trial=1)
        fork = fork_run(document, old_run[1], 1, {"seed": 5})
    assert run_inline(old_run[0], fork) == "finished"
    with Document.open(old_run[0], writable=False) as document:
        trials = [*document.trials.list_all(old_run[1]), *document.trials.list_all(fork)]
    assert {each.status for each in trials} == {"ok"}
    for each in trials:
        assert each.used == {"lightgbm.subsample": 1.0, "lightgbm.reg_alpha": 0.0}
