"""Covariance: which trials the surrogate holds comparable, sorted by condition."""

import math
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from studio.analysis.answers.covariances import Covariance
from studio.figures.figure import Axis, Figure, Panel, Pointer, Scale
from studio.figures.ink import MUTED, WHITE
from studio.figures.marks import Brackets, Group, Heat, Key, Line, strokes
from studio.gui.base.language import mark, said, tr
from studio.gui.plots.base.colours import branch_inks
from studio.gui.plots.base.helped import HelpedPlot
from studio.gui.plots.base.plot import Columns
from studio.gui.plots.base.questions import SEARCH
from studio.gui.plots.base.subject import Subject
from studio.gui.plots.search.covariance_model import (
    brackets,
    covariance_rest,
    covariance_words,
    steps,
)


class CovariancePlot(HelpedPlot[Covariance, Covariance]):
    """A heat map of K, with the branches in brackets along its left and its foot."""

    key: ClassVar[str] = "covariance"
    title: ClassVar[str] = mark("Covariance of the trials")
    also: ClassVar[str] = mark("kernel similarity correlation matrix")
    question: ClassVar[str] = SEARCH
    summary: ClassVar[str] = mark(
        "How similar each pair of trials is to the surrogate: what was observed for one it "
        "expects for the other."
    )
    explanation: ClassVar[str] = mark(
        "Every row and every column is a trial; a cell says how similar the two are to the "
        "surrogate's kernel, from 0 (one says nothing about the other) to 1 (the same).\n"
        "Trials are sorted by condition: those of one branch of the space (one algorithm) lie "
        "side by side, in brackets along the edges.\n"
        "A conditional kernel gives squares along the diagonal and nothing between them: what "
        "is learnt about one algorithm says nothing about another. A plain kernel mixes them.\n"
        "Bright squares mean that the surrogate expects the objective to change slowly there; "
        "dark ones that a trial says nothing about its neighbours. The length scales behind it "
        "are learnt, and averaged over their draws."
    )
    source: ClassVar[str] = mark("Lévesque 2018, equations 5.9–5.11, figures 5.2, 5.3 and 5.5")
    task: ClassVar[str] = "covariance"
    answer: ClassVar[type[Any]] = Covariance
    waiting: ClassVar[str] = mark("Comparing the trials as the surrogate does…")

    def figure(self, picture: Covariance, subject: Subject) -> Figure:
        """Return the matrix with its branches."""
        size = len(picture.numbers)
        inks, branches = branch_inks(subject.series.branches), brackets(picture.branches)
        groups = [
            Group(each.name, each.first, each.end, inks.get(each.name, MUTED))
            for each in branches
            if each.name
        ]
        ends = np.array([*steps(picture), *(each.end for each in branches[:-1])], float)
        far, edge = np.zeros(len(ends)), np.full(len(ends), float(size))
        across, down = strokes(far, edge, ends, level=True), strokes(far, edge, ends, level=False)
        ticks = [(row + 0.5, str(int(number))) for row, number in enumerate(picture.numbers)]
        room = 0.05 * size if groups else 0.0
        axis = Axis(ticks=ticks, crowd="thin", grid=False)
        return Figure(
            panels=[
                Panel(
                    x=replace(
                        axis, label=tr("trial number, sorted by branch"), low=-room, high=size
                    ),
                    y=replace(axis, label=tr("trial number"), high=size + room, flipped=True),
                )
            ],
            marks=[
                Heat(shares=picture.matrix, width=size, height=size),
                Line(
                    x=np.concatenate([across[0], down[0]]),
                    y=np.concatenate([across[1], down[1]]),
                    ink=WHITE.faint(0.55),
                    weight="hair",
                    pairs=True,
                ),
                Brackets(groups=groups, size=size),
                *(Key(ink=group.ink, name=group.name) for group in groups),
            ],
            summary=said(picture.explanation),
            rest=covariance_rest(picture, subject.series.measure),
            scale=Scale(tr("correlation k"), "0", "1"),
        )

    def words(self, picture: Covariance, subject: Subject, at: Pointer) -> str:
        """Say which pair is pointed at, and what the kernel holds of it."""
        return covariance_words(picture, subject.series, math.floor(at.y), math.floor(at.x))

    def columns(self, picture: Covariance, subject: Subject) -> Columns:
        """Return the matrix, one row a trial."""
        others = zip(picture.numbers.tolist(), picture.matrix.T, strict=True)
        return {"trial": picture.numbers} | {f"trial {number}": k for number, k in others}
