"""How much each hyperparameter matters: what the helper's answer means for the plot."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.gui.base.language import ntr, percent, said, tr
from studio.gui.plots.series import RunSeries
from studio.space.branches import branch_names, branching
from studio.space.space import Space


@dataclass(frozen=True)
class ImportancePicture:
    """Bars from top to bottom: the whole space's first, then the branch's, each sorted.

    Attributes
    ----------
    names : tuple of str, length p
        The hyperparameters.
    labels : tuple of str, length p
        What is written beside each bar.
    scopes : tuple of str, length p
        Where each is measured: "" for the whole space, else the branch.
    percent, spread : Floats, shape (p,)
        Mean and standard deviation of the share of the variance, in percent; NaN where unknown.
    tried : Integers, shape (p,)
        Trials that have it.
    model, models : str
        What was averaged, and over what the spread is.
    reason : str
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    scopes: tuple[str, ...]
    percent: Floats
    spread: Floats
    tried: Integers
    model: str
    models: str
    reason: str


def importance_picture(
    words: Mapping[str, Any], arrays: Mapping[str, AnyArray]
) -> ImportancePicture:
    """Read the helper's answer.

    Parameters
    ----------
    words, arrays : mapping
        The fields of :class:`studio.analysis.surrogate.importances.Importances`.
    """
    names, scopes = list(words["names"]), list(words["scopes"])
    share = np.asarray(arrays["share"], dtype=float)
    # Unknown ones last in their scope.
    keys = np.where(np.isnan(share), 1.0, -share)
    order = sorted(range(len(names)), key=lambda at: (scopes[at] != "", keys[at]))
    count = int(words["models"])
    return ImportancePicture(
        names=tuple(str(names[at]) for at in order),
        labels=tuple(_label(str(names[at]), str(scopes[at])) for at in order),
        scopes=tuple(str(scopes[at]) for at in order),
        percent=100.0 * share[order],
        spread=100.0 * arrays["spread"][order],
        tried=arrays["tried"][order],
        model=said(str(words["model"])),
        models=(
            ntr("{count} tree", "{count} trees", count)
            if words["models_are"] == "trees"
            else ntr("{count} draw of its settings", "{count} draws of its settings", count)
        ),
        reason=str(words["reason"]),
    )


def _label(name: str, scope: str) -> str:
    """Leave out the branch where the name begins with it: its bracket says so."""
    return name.removeprefix(f"{scope}.") if scope else name


def branches_with_any(space: Space) -> tuple[str, ...]:
    """Return the branches that have hyperparameters of their own, in the order of the space."""
    root = branching(space)
    if root is None:
        return ()
    return tuple(str(each) for each in root.choices if branch_names(space, str(each)))


def first_branch(space: Space, series: RunSeries) -> str:
    """Return the branch tried most of those that have hyperparameters; empty for none."""
    offered = branches_with_any(space)
    tried = [series.branch(trial.number) for trial in series.trials]
    return max(offered, key=tried.count, default="")


def percent_text(picture: ImportancePicture, at: int) -> str:
    """Write a bar's share: "62 ± 5 %"."""
    if np.isnan(picture.percent[at]):
        return tr("too few trials")
    spread = float(picture.spread[at])
    if spread < 0.05:
        return percent(picture.percent[at] / 100, 0)
    digits = 0 if spread >= 1.0 else 1
    return f"{picture.percent[at]:.0f} ± {percent(spread / 100, digits)}"


def importance_words(picture: ImportancePicture, at: int) -> str:
    """Say what a bar means."""
    if not 0 <= at < len(picture.names):
        return ""
    trials = ntr("{count} trial has it", "{count} trials have it", int(picture.tried[at]))
    if np.isnan(picture.percent[at]):
        return tr(
            "{name}  ·  nothing can be told yet: {trials}", name=picture.names[at], trials=trials
        )
    scope = picture.scopes[at]
    where = tr("within {branch}", branch=scope) if scope else tr("over the whole space")
    return tr(
        "{name} by itself makes {share} of the variance {where}  ·  {trials}",
        name=picture.names[at],
        share=percent_text(picture, at),
        where=where,
        trials=trials,
    )


def importance_rest(picture: ImportancePicture) -> str:
    """Say what was averaged."""
    return tr(
        "main effects by {model}  ·  ± over {models}",
        model=picture.model,
        models=picture.models,
    )
