"""How much each hyperparameter matters: bars in their order, and what is said of them."""

from dataclasses import replace

import numpy as np

from studio.analysis.answers.surrogate import Importances
from studio.gui.plots.base.series import RunSeries
from studio.gui.session.learner_names import learner_name, parameter_name
from studio.language import ntr, percent, tr, translate
from studio.space.branches import branch_names, branching
from studio.space.space import Space


def in_order(answer: Importances) -> Importances:
    """Return the bars from top to bottom: the whole space's first, then the branch's, each sorted.

    Unknown ones are the last in their scope.
    """
    keys = np.where(np.isnan(answer.share), 1.0, -answer.share)
    order = sorted(range(len(keys)), key=lambda at: (answer.scopes[at] != "", keys[at]))
    return replace(
        answer,
        names=tuple(answer.names[at] for at in order),
        scopes=tuple(answer.scopes[at] for at in order),
        share=answer.share[order],
        spread=answer.spread[order],
        tried=answer.tried[order],
    )


def labels(answer: Importances) -> tuple[str, ...]:
    """Return what is written beside each bar: no branch, since its bracket says so."""
    return tuple(
        name.removeprefix(f"{scope}.") if scope else name
        for name, scope in zip(answer.names, answer.scopes, strict=True)
    )


def branches_with_any(space: Space) -> tuple[str, ...]:
    """Return the branches that have hyperparameters of their own, in the order of the space."""
    root = branching(space)
    if root is None:
        return ()
    return tuple(str(each) for each in root.choices if branch_names(space, str(each)))


def first_branch(space: Space, series: RunSeries) -> str:
    """Return the branch tried most of those that have hyperparameters; empty for none."""
    offered = branches_with_any(space)
    tried = (each for each in series.most_tried() if each in offered)
    return next(tried, next(iter(offered), ""))


def percent_text(picture: Importances, at: int) -> str:
    """Write a bar's share: "62 ± 5 %"."""
    share, spread = float(picture.share[at]), 100.0 * float(picture.spread[at])
    if np.isnan(share):
        return tr("too few trials")
    if spread < 0.05:
        return percent(share, 0)
    digits = 0 if spread >= 1.0 else 1
    return f"{100.0 * share:.0f} ± {percent(spread / 100, digits)}"


def importance_words(picture: Importances, at: int) -> str:
    """Say what a bar means."""
    if not 0 <= at < len(picture.names):
        return ""
    trials = ntr("{count} trial has it", "{count} trials have it", int(picture.tried[at]))
    if np.isnan(picture.share[at]):
        return tr(
            "{name}  ·  too few trials to tell yet: {trials}",
            name=parameter_name(picture.names[at]),
            trials=trials,
        )
    scope = picture.scopes[at]
    where = (
        tr("within {branch}", branch=learner_name(scope)) if scope else tr("over the whole space")
    )
    return tr(
        "{name} by itself explains {share} of the variance {where}  ·  {trials}",
        name=parameter_name(picture.names[at]),
        share=percent_text(picture, at),
        where=where,
        trials=trials,
    )


def importance_rest(picture: Importances) -> str:
    """Say what was averaged."""
    models = (
        ntr("{count} tree", "{count} trees", picture.models)
        if picture.models_are == "trees"
        else ntr("{count} draw of its settings", "{count} draws of its settings", picture.models)
    )
    return tr(
        "main effects by {model}  ·  ± over {models}", model=translate(picture.model), models=models
    )
