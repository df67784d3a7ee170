"""Runs on tables with dates, with spaces that choose the encoding of categories."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from studio.document.store import Document
from studio.export import predict
from studio.export.estimator import train
from studio.export.formats.base import ExportJob
from studio.export.formats.registry import get_format
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from tests.export.conftest import execute_run

PARAMETERS = [
    {"name": "algorithm", "type": "categorical",
     "choices": ["boosted-trees", "logistic", "extra-trees"], "default": "logistic"},
    {"name": "encoder", "type": "categorical",
     "choices": ["empty", "target-means", "crossed-means", "native"], "default": "native"},
]  # fmt: skip
SPACE: dict[str, Any] = {
    "format": "ensemble-studio-space",
    "version": 1,
    "name": "prepared",
    "title": "Prepared",
    "summary": "Prepared features.",
    "tasks": ["binary"],
    "parameters": PARAMETERS,
}


@pytest.fixture(scope="module")
def run_with_dates(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, Path]:
    """Return a run on a table with dates, holes among numbers and long categories."""
    rng = np.random.default_rng(3)
    folder = tmp_path_factory.mktemp("dated")
    moments = pd.Timestamp("2022-03-01") + pd.to_timedelta(rng.integers(0, 6e7, 160), unit="s")
    place_codes = rng.integers(0, 70, 160)
    amount = rng.normal(10, 3, 160)
    late = (moments.month.to_numpy() > 6).astype(int)
    frame = pd.DataFrame(
        {
            "when": moments.strftime("%d.%m.%Y %H:%M"),
            "born": moments.strftime("%Y-%m-%d"),
            "place": [f"p{each}" for each in place_codes],
            "amount": np.where(rng.random(160) < 0.15, np.nan, amount.round(3)),
            "outcome": np.where(late + (place_codes % 3 == 0) + (amount > 12) > 1, "yes", "no"),
        }
    )
    frame.loc[5, "born"] = ""
    frame.to_csv(folder / "table.csv", index=False)
    settings = RunSettings(
        method="RS-post",
        budget=7,
        seed=4,
        source=TableSource(path=str(folder / "table.csv"), target="outcome"),
        space=SPACE,
    )
    return *execute_run(folder / "run.studio", settings), folder / "table.csv"


@pytest.fixture(autouse=True)
def trained_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    here = partial(train, make_pool=InlinePool)
    monkeypatch.setattr(predict, "train", here)
    monkeypatch.setattr(ExportJob, "train", lambda job: here(job.document, job.run_id))


@pytest.mark.slow
@pytest.mark.parametrize("key", ["pickle", "skops"])
def test_exported_formats_agree_on_dates(
    key: str, run_with_dates: tuple[Path, int, Path], tmp_path: Path
) -> None:
    export_format = get_format(key)
    if export_format.missing_dependency:
        pytest.skip(export_format.missing_dependency)
    with Document.open(run_with_dates[0], writable=False) as document:
        export_result = export_format.export(
            ExportJob(document, run_with_dates[1], tmp_path / f"model{export_format.suffix}")
        )
    assert export_result.rows >= 150
    json.dumps(export_result.to_json())


@pytest.mark.slow
def test_estimator_accepts_any_pandas_dtypes(run_with_dates: tuple[Path, int, Path]) -> None:
    path, run_id, csv = run_with_dates
    with Document.open(path) as document:
        trained = train(document, run_id, make_pool=InlinePool)
    text, typed_frame = pd.read_csv(csv, dtype=str), pd.read_csv(csv, parse_dates=["born"])
    assert (
        trained.estimator.predict(text).tolist() == trained.estimator.predict(typed_frame).tolist()
    )
    assert len({column.title for column in trained.columns}) == len(trained.columns)


@pytest.mark.slow
def test_unreadable_dates_are_reported(
    run_with_dates: tuple[Path, int, Path], tmp_path: Path
) -> None:
    path, run_id, csv = run_with_dates
    new = tmp_path / "new.csv"
    frame = pd.read_csv(csv, dtype=str).head(20)
    frame.loc[3, "when"] = "next week"
    frame.to_csv(new, index=False)
    with Document.open(path) as document:
        predicted = predict.predict_table(document, run_id, new)
    assert len(predicted.values) == 20
    assert any("'when'" in note and "('next week')" in note for note in predicted.notes)
