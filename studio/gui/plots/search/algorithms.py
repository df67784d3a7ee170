"""Chosen algorithms: what share of the trials and of the ensemble each branch has, over time."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np

from studio.arrays import Floats
from studio.figures.compose import iterations, later
from studio.figures.figure import Axis, Figure, Panel, Pointer, Ticks
from studio.figures.ink import Ink
from studio.figures.marks import Area, Mark
from studio.gui.plots.base.asking import Helper
from studio.gui.plots.base.plot import Columns, PlotOf
from studio.gui.plots.base.questions import SEARCH
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subject import Subject
from studio.gui.plots.quality.progress_model import stairs
from studio.gui.plots.search.algorithms_model import (
    VIEWS,
    BranchShares,
    SharesPicture,
    branch_at,
    member_words,
    rest_words,
    trial_words,
)
from studio.gui.session.learner_names import learner_inks, learner_name
from studio.language import N_, tr

_PERCENT = Axis(
    low=-4.0, high=104.0, ticks=[(share, str(share)) for share in (0, 50, 100)], grid=False
)


class AlgorithmsPlot(PlotOf[SharesPicture]):
    """Stacked areas: the trials' branches above, the members' below."""

    key: ClassVar[str] = "algorithms"
    title: ClassVar[str] = N_("Chosen algorithms")
    also: ClassVar[str] = N_("which models learners shares pie")
    question: ClassVar[str] = SEARCH
    summary: ClassVar[str] = N_(
        "Which algorithms the search tries (above), and which the ensemble is made of (below)."
    )
    explanation: ClassVar[str] = N_(
        "Every colour is an algorithm, and its height at an iteration is its share. Above "
        "are the trials: a search that learns tries good algorithms more and more often, and "
        "a band that becomes thin was abandoned. Below are the members of the ensemble, "
        "counted by their weight in its vote. A band that is thin above but thick below "
        "means that a few trials of that algorithm are worth a lot to the ensemble. The list "
        "at the top right chooses whether the last 20 trials are counted, which shows "
        "changes sooner, or all trials so far."
    )
    source: ClassVar[str] = N_("Lévesque 2018, figures 5.8 and 5.9")
    picks: ClassVar[bool] = True

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self._counter = BranchShares(RunSeries())
        self.view = self.offer(
            VIEWS, tr("Trials that are counted"), tr("Count the last 20 trials, or all so far")
        )

    def missing(self, subject: Subject) -> str:
        """Say so where the space has no algorithms to choose among."""
        self.view.setVisible(subject.series.branch_parameter is not None)
        if subject.series.branch_parameter is None:
            return tr(
                "This run's space has no choice of an algorithm at its root, so there are no "
                "shares to compare. Runs over a space with such a choice show them here."
            )
        return super().missing(subject)

    def prepare(self, subject: Subject) -> None:
        """Count the branches."""
        if self._counter.series is not subject.series:
            self._counter = BranchShares(subject.series)
        self.picture = self._counter.picture(subject.chosen, self.view.key)

    def figure(self, picture: SharesPicture, subject: Subject) -> Figure:
        """Return both stacks."""
        known = list(dict.fromkeys([*subject.series.branches, *picture.branches]))
        inks = learner_inks(known)
        back = subject.chosen is not None and picture.shown < picture.last
        shown = picture.shown if back else picture.last
        marks = [
            *_stack(picture, picture.trials, inks, panel=0),
            *_stack(picture, picture.members, inks, panel=1),
            *later(shown, picture.last, tr("pale: later"), panels=2),
        ]
        above = Panel(
            x=replace(iterations(picture.last), grid=False),
            y=replace(_PERCENT, label=tr("trials (%)")),
            share=10,
            right=_names(picture, picture.trials),
        )
        below = Panel(
            x=replace(above.x, label=tr("iteration (finished trials)"), values=True),
            y=replace(_PERCENT, label=tr("members (%)")),
            share=13,
            row=1,
            right=_names(picture, picture.members),
        )
        return Figure(panels=[above, below], marks=marks, rest=rest_words(self._counter, picture))

    def words(self, picture: SharesPicture, subject: Subject, at: Pointer) -> str:
        """Say whose area is pointed at."""
        if not 0.5 <= at.x <= picture.last + 0.5:
            return ""
        column = int(np.abs(picture.iterations - at.x).argmin())
        shares = (picture.members if at.panel else picture.trials)[:, column]
        row = branch_at(shares, at.y / 100.0)
        if row < 0:
            return ""
        branch, iteration = picture.branches[row], int(picture.iterations[column])
        if at.panel:
            return member_words(self._counter, branch, iteration, float(shares[row]))
        return trial_words(self._counter, branch, iteration, self.view.key)

    def columns(self, picture: SharesPicture, subject: Subject) -> Columns:
        """Return both shares of every branch, by iteration drawn."""
        whose = {"trials": picture.trials, "members": picture.members}
        return {"iteration": picture.iterations} | {
            f"{what} {branch}": share
            for what, shares in whose.items()
            for branch, share in zip(picture.branches, shares, strict=True)
        }


def _stack(
    picture: SharesPicture, shares: Floats, inks: Mapping[str, Ink], *, panel: int
) -> Iterable[Mark]:
    """Yield an area for each branch of shares (b, t), down to 0, behind those below it."""
    heights = 100.0 * shares.cumsum(axis=0)
    for row, branch in enumerate(picture.branches):
        curve = stairs(picture.iterations, heights[row])
        yield Area(
            x=np.append(0.5, curve.x),
            y=np.append(curve.y[:1], curve.y),
            ink=inks[branch],
            panel=panel,
            depth=len(shares) - row,
            name=learner_name(branch),
        )


def _names(picture: SharesPicture, shares: Floats) -> Ticks:
    """Return where each branch's area of shares (b, t) is at the end, for its name."""
    if not picture.last:
        return ()
    last = 100.0 * shares[:, -1]
    middles = last.cumsum() - 0.5 * last
    return [
        (float(middle), learner_name(branch))
        for branch, share, middle in zip(picture.branches, last, middles, strict=True)
        if share > 0
    ]
