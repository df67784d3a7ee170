"""Importance plot: the share of each hyperparameter in the variance of the loss."""

from dataclasses import replace
from typing import Any

import numpy as np

from studio.analysis.answers.surrogate import HyperparameterImportances
from studio.figures.compose import make_horizontal_bars, make_rows_axis
from studio.figures.figure import Axis, Figure, Panel, Pointer
from studio.figures.ink import make_series_ink
from studio.figures.marks import Line, Mark, WordMarks, make_strokes
from studio.gui.plots.base.helper_requests import Helper
from studio.gui.plots.base.plot import SEARCH, Columns, HelperPlot
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.session.learner_names import get_learner_inks, get_learner_name, get_parameter_name
from studio.helper.computations import compute_importances
from studio.language import N_, format_share, ntr, tr, translate
from studio.space.branches import find_branching_choice, list_branch_parameters
from studio.space.space import Space

_MAX_SHARE = 100.0
"""The end of the axis: a share of the variance in percent, with its spread."""


def sort_bars(answer: HyperparameterImportances) -> HyperparameterImportances:
    """Return the whole space's bars, then the branch's, each sorted with unknown shares last."""
    keys = np.where(np.isnan(answer.share), 1.0, -answer.share)
    order = sorted(range(len(keys)), key=lambda index: (answer.scopes[index] != "", keys[index]))
    return replace(
        answer,
        names=tuple(answer.names[index] for index in order),
        scopes=tuple(answer.scopes[index] for index in order),
        share=answer.share[order],
        spread=answer.spread[order],
        n_active_trials=answer.n_active_trials[order],
    )


def make_labels(answer: HyperparameterImportances) -> tuple[str, ...]:
    """Return the label of each bar, without the branch, which its bracket names."""
    return tuple(
        name.removeprefix(f"{scope}.") if scope else name
        for name, scope in zip(answer.names, answer.scopes, strict=True)
    )


def list_searched_branches(space: Space) -> tuple[str, ...]:
    """Return the branches with hyperparameters, in the order of the space."""
    root = find_branching_choice(space)
    if root is None:
        return ()
    return tuple(str(each) for each in root.choices if list_branch_parameters(space, str(each)))


def choose_first_branch(space: Space, series: RunSeries) -> str:
    """Return the most tried branch with hyperparameters; empty for none."""
    selectable = list_searched_branches(space)
    by_frequency = (each for each in series.get_most_tried() if each in selectable)
    return next(by_frequency, next(iter(selectable), ""))


def format_percentage(data: HyperparameterImportances, index: int) -> str:
    """Format a bar's share: "62 ± 5 %"."""
    share, spread = float(data.share[index]), 100.0 * float(data.spread[index])
    if np.isnan(share):
        return tr("too few trials")
    if spread < 0.05:
        return format_share(share, 0)
    digits = 0 if spread >= 1.0 else 1
    return f"{100.0 * share:.0f} ± {format_share(spread / 100, digits)}"


def _describe_scope(branch: str) -> str:
    return (
        tr("within {branch}", branch=get_learner_name(branch))
        if branch
        else tr("over the whole space")
    )


def describe_importance(data: HyperparameterImportances, index: int) -> str:
    """Describe a bar."""
    if not 0 <= index < len(data.names):
        return ""
    trials = ntr("{count} trial has it", "{count} trials have it", int(data.n_active_trials[index]))
    if np.isnan(data.share[index]):
        name = get_parameter_name(data.names[index])
        return tr("{name}  ·  too few trials to tell yet: {trials}", name=name, trials=trials)
    return tr(
        "On its own, {name} explains {share} of the variance {where}  ·  {trials}",
        name=get_parameter_name(data.names[index]),
        share=format_percentage(data, index),
        where=_describe_scope(data.scopes[index]),
        trials=trials,
    )


def describe_surrogate(data: HyperparameterImportances) -> str:
    """Return the surrogate, and the number of trees or draws behind "±"."""
    models = (
        ntr("{count} tree", "{count} trees", data.models)
        if data.model_kind == "trees"
        else ntr("{count} draw of its settings", "{count} draws of its settings", data.models)
    )
    return tr(
        "main effects by {model}  ·  ± over {models}", model=translate(data.model), models=models
    )


class ImportancePlot(HelperPlot[HyperparameterImportances, HyperparameterImportances]):
    """Sorted bars with the spread over the surrogate's models."""

    key = "importance"
    title = N_("Importance of hyperparameters")
    search_terms = N_("fanova which setting matters tuning sensitivity")
    question = SEARCH
    summary = N_(
        "How much of the difference between configurations each hyperparameter explains on its own."
    )
    explanation = N_(
        "The surrogate predicts the validation loss of random configurations. Some of them are "
        "better than others; this shows which hyperparameters explain the difference. 60 % means: "
        "if only this hyperparameter varied, and all others were averaged out, 60 % of the "
        "variance would remain.\nExactly: the main effect V_j / V of functional ANOVA, V_j = Var "
        "over θ_j of E over the others of f(θ), V = Var f(θ), f the surrogate's mean, computed "
        "over random configurations in which θ_j takes each of its values.\nThe first bars are "
        "over the whole space, with the choice of the branch (algorithm) among them. Those of a "
        "branch are within its configurations only, so a bar of 100 % there may matter little "
        "compared with the choice of the algorithm.\nThe rest, up to 100 %, is due to interactions "
        "between hyperparameters. The line at a bar's end is one standard deviation over the "
        "surrogate's individual models: where it is long, there are too few trials to tell."
    )
    source = N_(
        "Hutter, Hoos and Leyton-Brown 2014 (ICML), equations 3–8, with averages over random "
        "configurations in place of a forest's leaves"
    )
    task = compute_importances
    waiting_message = N_("Computing importances…")

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        text = tr("Branch whose hyperparameters are shown")
        self.branch = self.add_view_choice(
            {}, text, tr("The branch (algorithm) whose hyperparameters are shown"), min_letters=9
        )

    # Requests --------------------------------------------------------------------------------

    def prepare(self, subject: Subject) -> None:
        if subject.space is not None:
            branches = list_searched_branches(subject.space)
            first = choose_first_branch(subject.space, subject.series)
            self.branch.set_choices([(name, get_learner_name(name)) for name in branches], first)
            self.branch.setVisible(bool(branches))
        super().prepare(subject)

    def get_task_arguments(self, subject: Subject) -> dict[str, Any] | None:
        return None if subject.space is None else {"branch": self.branch.key or ""}

    def explain_impossible(self, subject: Subject) -> str:
        return "" if subject.space is not None else tr("The space of this run cannot be read.")

    def read(
        self, answer: HyperparameterImportances, subject: Subject
    ) -> HyperparameterImportances:
        return sort_bars(answer)

    # Drawing ---------------------------------------------------------------------------------

    def make_figure(self, data: HyperparameterImportances, subject: Subject) -> Figure:
        inks = get_learner_inks(subject.series.branches)
        scopes, rows = np.array(data.scopes), np.arange(len(data.names), dtype=float)
        shares, spread = np.nan_to_num(100.0 * data.share), 100.0 * data.spread
        is_known = np.isfinite(data.share)
        low, high = np.clip([shares - spread, shares + spread], 0.0, _MAX_SHARE)
        whisker_x, whisker_y = make_strokes(
            low[is_known], high[is_known], rows[is_known], is_horizontal=True
        )
        marks: list[Mark] = []
        for scope in dict.fromkeys(data.scopes):
            in_scope = scopes == scope
            ink, name = inks.get(scope, make_series_ink(0)), _describe_scope(scope)
            marks.append(make_horizontal_bars(shares[in_scope], rows[in_scope], ink, name))
        text = tr("share of the variance on its own (%)")
        x = Axis(text, low=-0.5, high=_MAX_SHARE, ticks=[(k, str(k)) for k in range(0, 101, 20)])
        return Figure(
            panels=[Panel(x=x, y=make_rows_axis(make_labels(data)))],
            marks=[
                *marks,
                Line(x=whisker_x, y=whisker_y, is_segments=True, name=tr("± 1 standard deviation")),
                WordMarks(
                    x=np.where(is_known, np.nan_to_num(high), 0.0) + 1.0,
                    y=rows,
                    texts=[format_percentage(data, index) for index in range(len(rows))],
                ),
            ],
            default_text=describe_surrogate(data),
        )

    def describe_hovered(
        self, data: HyperparameterImportances, subject: Subject, pointer: Pointer
    ) -> str:
        return describe_importance(data, round(pointer.y))

    def get_table_columns(self, data: HyperparameterImportances, subject: Subject) -> Columns:
        return {
            "hyperparameter": data.names,
            "measured within": data.scopes,
            "percent of the variance": 100.0 * data.share,
            "sd": 100.0 * data.spread,
            "trials": data.n_active_trials,
        }
