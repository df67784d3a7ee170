"""What the results page shows of a run, as plain records."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.gui.run_view import RunView
from studio.trial import Trial


@dataclass(frozen=True)
class MemberRow:
    """A member of the ensemble.

    Attributes
    ----------
    trial : int
        Its number.
    weight : float
        Its share of the say, in [0, 1].
    algorithm : str
        What kind of model it is.
    settings : str
        Its hyperparameters on one line.
    loss : float or None
        Its own loss on the validation rows.
    """

    trial: int
    weight: float
    algorithm: str
    settings: str
    loss: float | None


@dataclass(frozen=True)
class Estimate:
    """A loss with its interval.

    Attributes
    ----------
    title : str
        Whose loss.
    value : float or None
        The loss.
    low, high : float or None
        Ends of the 95 % interval, where there is one.
    """

    title: str
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Outcome:
    """A run's result, or what stands so far.

    Attributes
    ----------
    final : bool
        Whether the run has finished and its members were trained once more.
    rows : str
        Which rows the losses are of: "test" or "validation".
    n_rows : int
        How many they are, 0 where not known.
    metric : str
        The metric's key.
    ensemble, single : Estimate
        The ensemble, and the best single model.
    members : tuple of MemberRow
        Heaviest first.
    notes : tuple of str
        What was noticed, in sentences.
    """

    final: bool
    rows: str
    n_rows: int
    metric: str
    ensemble: Estimate
    single: Estimate
    members: tuple[MemberRow, ...]
    notes: tuple[str, ...]


def outcome(view: RunView) -> Outcome | None:
    """Return a run's outcome; ``None`` while no trial has succeeded."""
    result = view.row.result
    if result is not None and view.ended:
        return _final(view, result)
    return _so_far(view)


def _final(view: RunView, result: Mapping[str, Any]) -> Outcome:
    members = [(int(each["trial"]), float(each["weight"])) for each in result["members"]]
    tested = result["test_error_ensemble"] is not None
    last = view.iteration(None)
    if tested:
        ensemble = _estimate("Ensemble", result["test_error_ensemble"], result["test_interval"])
        single = _estimate(
            "Best single model", result["test_error_single"], result.get("single_interval")
        )
    else:
        ensemble = Estimate("Ensemble", last.ensemble_validation if last else None)
        single = Estimate("Best single model", last.single_validation if last else None)
    return Outcome(
        final=True,
        rows="test" if tested else "validation",
        n_rows=int(result.get("test_rows", 0)) if tested else 0,
        metric=str(result.get("metric", "")),
        ensemble=ensemble,
        single=single,
        members=_members(view, members),
        notes=tuple(str(note) for note in result.get("notes", ())),
    )


def _so_far(view: RunView) -> Outcome | None:
    last = view.iteration(None)
    if last is None or last.single_validation is None:
        return None
    return Outcome(
        final=False,
        rows="validation",
        n_rows=0,
        metric=str(view.settings.get("metric") or ""),
        ensemble=Estimate("Ensemble so far", last.ensemble_validation),
        single=Estimate("Best single model so far", last.single_validation),
        members=_members(view, list(last.members)),
        notes=(),
    )


def _estimate(title: str, value: float | None, interval: Any) -> Estimate:
    low, high = interval if interval else (None, None)
    return Estimate(title, value, low, high)


def _members(view: RunView, members: list[tuple[int, float]]) -> tuple[MemberRow, ...]:
    by_number = {trial.number: trial for trial in view.trials}
    rows = [_member(by_number[n], weight) for n, weight in members if n in by_number]
    return tuple(sorted(rows, key=lambda row: (-row.weight, row.trial)))


def _member(trial: Trial, weight: float) -> MemberRow:
    return MemberRow(trial.number, weight, algorithm(trial), settings(trial), trial.loss)


def overlap(one: Estimate, other: Estimate) -> bool:
    """Whether two intervals have values in common; False where one of them is not known."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return False
    return one.low <= other.high and other.low <= one.high


def algorithm(trial: Trial) -> str:
    """Return what kind of model a trial trained."""
    return str(trial.configuration.get("algorithm", "model"))


def settings(trial: Trial) -> str:
    """Return a trial's hyperparameters on one line, without the algorithm's name."""
    parts = []
    for name, value in trial.configuration.items():
        if name != "algorithm":
            shown = f"{value:.4g}" if isinstance(value, float) else str(value)
            parts.append(f"{name.rpartition('.')[2]} {shown}")
    return ", ".join(parts)
