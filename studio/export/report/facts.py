"""What a report tells, gathered from the document; nothing is trained for it."""

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from studio import __version__
from studio.analysis.contributions import Contributions, contributions
from studio.analysis.verdict import verdict
from studio.arrays import AnyArray, Floats
from studio.document.runs import RunRow
from studio.document.store import Document
from studio.document.trials import Iteration
from studio.ensembles.base import combine
from studio.errors import ExportError
from studio.export.about import PACKAGES
from studio.proposers.catalogue import methods
from studio.runs.load import load_history
from studio.runs.prepare import Prepared, build_ensemble, prepare
from studio.runs.uncertainty import interval_of
from studio.trial import Trial


@dataclass(frozen=True)
class Estimate:
    """A loss with its 95 % interval, where there is one."""

    value: float | None
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Facts:
    """All that stands in a report.

    Attributes
    ----------
    row : RunRow
        The run.
    prepared : Prepared
        Its data, split, space and method.
    method : dict
        The preset's entry in the catalogue.
    trials, iterations : tuple
        As the document has them.
    rows : str
        Which rows the errors are of: "test" or "validation".
    n_rows : int
        How many.
    ensemble, single : Estimate
        Losses.
    best : int
        The best single trial.
    members : Contributions
        Members and what each adds.
    verdict : str
        Whether the difference may be chance; empty without test rows.
    truth, predicted : array
        Of those rows: class codes or values, and what the ensemble of the search predicts.
    versions : tuple of (str, str)
        Programs and their versions.
    """

    row: RunRow
    prepared: Prepared
    method: dict[str, Any]
    trials: tuple[Trial, ...]
    iterations: tuple[Iteration, ...]
    rows: str
    n_rows: int
    ensemble: Estimate
    single: Estimate
    best: int
    members: Contributions
    verdict: str
    truth: AnyArray
    predicted: AnyArray
    versions: tuple[tuple[str, str], ...]

    @property
    def unit(self) -> str:
        """The metric's unit: "%", "" or "target"."""
        return self.prepared.metric.unit

    @property
    def file(self) -> str:
        """The name of the table's file."""
        return PurePath(self.prepared.settings.source.path).name or self.prepared.table.source

    @property
    def failed(self) -> list[Trial]:
        """Trials that gave no predictions."""
        return [trial for trial in self.trials if trial.loss is None]


def gather(document: Document, run_id: int) -> Facts:
    """Read what a report needs.

    Raises
    ------
    ExportError
        If the run has no successful trial yet.
    """
    row = document.run(run_id)
    trials = document.trials(run_id)
    if all(trial.loss is None for trial in trials):
        raise ExportError(
            "This run has no successful trial yet, so there is nothing to report. Let it run first."
        )
    prepared = prepare(document, run_id)
    iterations = document.iterations(run_id)
    members = contributions(Path(document.path), run_id)
    truth, predicted, rows = _predicted(document, run_id, prepared)
    result = row.result or {}
    if rows == "test" and result.get("test_error_ensemble") is None:
        interval = interval_of(prepared, prepared.split.test, predicted)
        ensemble = _estimate(members.test, interval)
        single = Estimate(iterations[-1].single_test)
    else:
        ensemble, single = _estimates(result, iterations[-1])
    same = members.members.tolist() == [members.single]
    given = result.get("difference_interval")
    difference = tuple(given) if given else members.difference
    level = ensemble.value == single.value
    named = {each["name"]: each for each in methods()}
    return Facts(
        row=row,
        prepared=prepared,
        method=named.get(prepared.method.preset, {}),
        trials=trials,
        iterations=iterations,
        rows=rows,
        n_rows=int(truth.size),
        ensemble=ensemble,
        single=single,
        best=members.single,
        members=members,
        verdict=verdict(difference, same=same, level=level) if rows == "test" else "",
        truth=truth,
        predicted=predicted,
        versions=_versions(),
    )


def _predicted(document: Document, run_id: int, prepared: Prepared) -> tuple[AnyArray, Floats, str]:
    """Return truth and the ensemble's predictions of the test rows, else the validation rows."""
    history = load_history(document, run_id, prepared)
    ensemble = build_ensemble(prepared, history)
    test = prepared.split.test
    stored = {number: document.predictions(run_id, number, "test") for number in ensemble.members}
    if test.size and all(each is not None for each in stored.values()):
        found = {number: each for number, each in stored.items() if each is not None}
        return prepared.problem.y[test], combine(found.__getitem__, ensemble), "test"
    if not history.comparable:
        return np.empty(0), np.empty(0), "validation"
    return history.truth, combine(history.predictions, ensemble), "validation"


def _estimates(result: Mapping[str, Any], last: Iteration) -> tuple[Estimate, Estimate]:
    """Return the losses of ensemble and best single: on test rows, else on validation rows."""
    if result.get("test_error_ensemble") is None:
        return Estimate(last.ensemble_validation), Estimate(last.single_validation)
    return (
        _estimate(result["test_error_ensemble"], result.get("test_interval")),
        _estimate(result.get("test_error_single"), result.get("single_interval")),
    )


def _estimate(value: float | None, interval: Any) -> Estimate:
    return Estimate(value, (float(interval[0]), float(interval[1])) if interval else None)


def _versions() -> tuple[tuple[str, str], ...]:
    found = [("Ensemble Studio", __version__), ("Python", platform.python_version())]
    for name in PACKAGES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    found.append(("System", f"{platform.system()} {platform.machine()}"))
    return tuple(found)
