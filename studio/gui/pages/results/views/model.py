"""Content of the Results page as plain records."""

import math
from dataclasses import dataclass, replace
from typing import Literal

from studio.analysis.answers.ensemble import Contributions
from studio.analysis.loss_difference import describe_loss_difference
from studio.arrays import Floats
from studio.data.metrics.plain_score import PlainScore
from studio.document.results import LossInterval, Result
from studio.figures.ink import Ink
from studio.gui.plots.base.helper_requests import Query
from studio.gui.plots.base.subjects import read_space
from studio.gui.session.learner_names import (
    format_named_value,
    get_learner,
    get_learner_inks,
    get_learner_name,
)
from studio.gui.session.run_view import RunView
from studio.gui.widgets.records import SEPARATOR
from studio.language import tr
from studio.numerals import NumeralFormat
from studio.runs.settings import describe_training
from studio.trial import Trial


@dataclass(frozen=True)
class MemberRow:
    """A member of the ensemble.

    Attributes:
        weight: In [0, 1].
        contribution, test_contribution: Increase of the ensemble's loss without it, on the same
            rows.
        ink: The colour of its branch in the plots; ``None`` in a space without branches.
    """

    trial: int
    weight: float
    algorithm: str
    settings: str
    loss: float | None
    test_loss: float | None = None
    contribution: float | None = None
    test_contribution: float | None = None
    ink: Ink | None = None


@dataclass(frozen=True)
class DisplayedLoss:
    """A loss with its 95 % interval, if any."""

    title: str
    value: float | None
    interval: LossInterval | None = None


@dataclass(frozen=True)
class DisplayedResult:
    """A run's result, or its intermediate state.

    Attributes:
        rows: The rows of the losses: "test" or "validation".
        n_rows: Number of these rows; 0 if unknown.
        members: By descending weight.
        difference: 95 % interval of the ensemble's test loss minus the single model's, if known.
        overruled: Findings about leaking columns that were used nevertheless.
        omitted_members: Members of the search's ensemble missing in the final one, because their
            refits failed or would have ended too late.
        test_models: Origin of the members' test losses if the final models were refitted:
            "refitted" or "searched"; empty if there is only one kind, or if unknown.
        training: How refitted final models were trained (English); empty without a refit.
        before_refit: The ensemble's test loss before the refit; ``None`` without a refit, or if
            unknown.
    """

    is_final: bool
    rows: str
    n_rows: int
    metric: str
    ensemble: DisplayedLoss
    single: DisplayedLoss
    members: tuple[MemberRow, ...]
    notes: tuple[str, ...]
    difference: tuple[float, float] | None = None
    is_single_model: bool = False
    constant_loss: float | None = None
    headline: PlainScore | None = None
    overruled: tuple[str, ...] = ()
    omitted_members: tuple[int, ...] = ()
    test_models: Literal["", "refitted", "searched"] = ""
    training: str = ""
    before_refit: float | None = None

    @property
    def loss_format(self) -> NumeralFormat:
        """The format of displayed losses that are not shares."""
        return NumeralFormat.for_losses(self._losses)

    @property
    def brief_format(self) -> NumeralFormat:
        """The format of such losses in sentences: three digits, or four if they would be equal."""
        brief_format = NumeralFormat.for_losses(self._losses, 3)
        n_texts = len({brief_format.format(each) for each in self._losses})
        return brief_format if n_texts == len(set(self._losses)) else self.loss_format

    @property
    def _losses(self) -> list[float]:
        values = (self.ensemble.value, self.single.value, self.constant_loss)
        return [each for each in values if each is not None]

    @property
    def differs_from_headline(self) -> bool:
        """Whether the run's metric differs from the headline's."""
        score, value = self.headline, self.ensemble.value
        if score is None or value is None:
            return False
        return not math.isclose(value, 1 - score.average if score.of_classes else score.average)

    @property
    def difference_note(self) -> str:
        """Whether the difference may be due to chance (English); empty if unknown."""
        if (
            not self.is_final
            or self.rows != "test"
            or not (self.is_single_model or self.difference)
        ):
            return ""
        level = self.ensemble.value == self.single.value
        return describe_loss_difference(
            self.difference, is_same_model=self.is_single_model, are_equal=level
        )

    @property
    def is_significant_despite_overlap(self) -> bool:
        """Whether the difference is significant though both intervals overlap."""
        if self.difference is None or self.difference[0] <= 0 <= self.difference[1]:
            return False
        ensemble, single = self.ensemble.interval, self.single.interval
        if ensemble is None or single is None:
            return False
        return ensemble[0] <= single[1] and single[0] <= ensemble[1]


def make_contributions_query(path: str, view: RunView) -> Query:
    """Return the query for the members' contributions, which is repeated after a refit."""
    arguments = {"path": path, "run_id": view.row.id, "iteration": None}
    result = view.row.result
    version = (len(view.trials), result is not None, result and result.refitted)
    return Query(arguments, (path, view.row.id), version)


def make_displayed_result(view: RunView) -> DisplayedResult | None:
    """Return a run's outcome; ``None`` while no trial has succeeded."""
    result = view.row.result
    if result is not None and view.has_ended:
        return _make_final_result(view, result)
    return _make_interim_result(view)


def _make_final_result(view: RunView, result: Result) -> DisplayedResult:
    members = [(each.trial, each.weight) for each in result.members]
    is_tested = result.test_error_ensemble is not None
    last = view.get_iteration(None)
    if is_tested:
        ensemble = DisplayedLoss(tr("Ensemble"), result.test_error_ensemble, result.test_interval)
        single = DisplayedLoss(
            tr("Best single model"), result.test_error_single, result.single_interval
        )
        if single.value is None and last is not None:
            # It could not be refitted; an empty comparison would only confuse.
            title = tr("Best single model, before the refit")
            single = DisplayedLoss(title, last.single_test)
    else:
        validation = result.get_validation(last.ensemble_validation if last else None)
        ensemble = DisplayedLoss(tr("Ensemble"), validation)
        single = DisplayedLoss(tr("Best single model"), last.single_validation if last else None)
    return DisplayedResult(
        is_final=True,
        rows="test" if is_tested else "validation",
        n_rows=result.test_rows if is_tested else 0,
        training=describe_training(view.settings, refitted=True, share=result.refitted_counts)
        if result.refitted
        else "",
        before_refit=None
        if last is None
        else result.get_test_before_refit(last.ensemble_test, last.number),
        metric=result.metric,
        ensemble=ensemble,
        single=single,
        members=_make_members(view, members),
        notes=tuple(each for each in result.notes if each not in result.test_notes),
        difference=result.difference_interval,
        is_single_model=[number for number, _ in members] == [result.single.trial],
        constant_loss=result.test_error_guess,
        headline=result.headline,
        overruled=result.overruled,
        omitted_members=view.omitted_members,
    )


def _make_interim_result(view: RunView) -> DisplayedResult | None:
    last = view.get_iteration(None)
    if last is None or last.single_validation is None:
        return None
    return DisplayedResult(
        is_final=False,
        rows="validation",
        n_rows=0,
        metric=view.metric,
        ensemble=DisplayedLoss(tr("Ensemble so far"), last.ensemble_validation),
        single=DisplayedLoss(tr("Best single model so far"), last.single_validation),
        members=_make_members(view, list(last.members)),
        notes=(),
        is_single_model=sum(each.loss is not None for each in view.trials) == 1,
    )


def add_contributions(
    result: DisplayedResult, answer: Contributions, *, refitted: bool = False
) -> DisplayedResult:
    """Return the outcome with each member's contribution, for refitted or the search's models."""
    if answer.reason:
        return result
    indices = {int(number): index for index, number in enumerate(answer.members.tolist())}

    def get_known_value(values: Floats, number: int) -> float | None:
        return _replace_non_finite(float(values[indices[number]]))

    members = tuple(
        replace(
            each,
            test_loss=get_known_value(answer.member_test_losses, each.trial),
            contribution=get_known_value(answer.adds_validation, each.trial),
            test_contribution=get_known_value(answer.adds_test, each.trial),
        )
        if each.trial in indices
        else each
        for each in result.members
    )
    difference = result.difference or answer.difference
    constant_loss = (
        _replace_non_finite(answer.constant_loss)
        if result.is_final and result.rows == "test"
        else None
    )
    guess = constant_loss if result.constant_loss is None else result.constant_loss
    models: Literal["", "refitted", "searched"] = ""
    if refitted and any(each.test_loss is not None for each in members):
        models = "refitted" if answer.is_refitted else "searched"
    return replace(
        result, members=members, difference=difference, constant_loss=guess, test_models=models
    )


def _replace_non_finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _make_members(view: RunView, members: list[tuple[int, float]]) -> tuple[MemberRow, ...]:
    by_number = {trial.number: trial for trial in view.trials}
    space = read_space(view.settings.space)
    root = None if space is None else space.find_root_choice()
    inks = {} if root is None else get_learner_inks([str(choice) for choice in root.choices])

    def make_member(trial: Trial, weight: float) -> MemberRow:
        return MemberRow(
            trial.number,
            weight,
            get_algorithm_title(trial),
            describe_hyperparameters(trial),
            trial.loss,
            ink=None if root is None else inks.get(str(trial.configuration.get(root.name, ""))),
        )

    rows = [make_member(by_number[n], weight) for n, weight in members if n in by_number]
    return tuple(sorted(rows, key=lambda row: (-row.weight, row.trial)))


def get_algorithm_title(trial: Trial) -> str:
    """Return the kind of a trial's model, for display."""
    return get_learner_name(get_learner(trial.configuration)) or tr("model")


def describe_hyperparameters(trial: Trial) -> str:
    """Return a trial's hyperparameters on one line, without the algorithm's name."""
    return SEPARATOR.join(
        f"{name.rpartition('.')[2]} {format_named_value(name, value)}"
        for name, value in trial.configuration.items()
        if name != "algorithm"
    )
