"""Ensemble objective: what every trial is worth alone, and what it would be to the ensemble."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from studio.analysis.answers.ensemble import EnsembleObjective
from studio.figures.colours import ENSEMBLE, SINGLE
from studio.figures.compose import LEAST, expectation, named
from studio.figures.figure import Axis, Figure, Panel, Pointer
from studio.figures.ink import HUES, MUTED, series
from studio.figures.marks import Dots, Line, Mark, Rule
from studio.gui.plots.base.asking import Helper
from studio.gui.plots.base.chooser import grouped
from studio.gui.plots.base.helped import HelpedPlot
from studio.gui.plots.base.plot import Columns
from studio.gui.plots.base.questions import ENSEMBLE as ENSEMBLE_QUESTION
from studio.gui.plots.base.subject import Subject
from studio.gui.plots.ensemble.objective_model import (
    ObjectivePicture,
    objective_picture,
    objective_words,
    rest_words,
)
from studio.gui.plots.search.slice_model import parameter_groups
from studio.gui.session.learner_names import learner_brief, parameter_name
from studio.language import N_, tr, translate

NEXT, ALL = -1, -2
"""Slots to choose beside the numbered ones: the one that is searched for next, and each in turn."""


class ObjectivePlot(HelpedPlot[EnsembleObjective, ObjectivePicture]):
    """f(γ) as ×, f(γ|E) as +, members circled; EO's slots one at a time or all."""

    key: ClassVar[str] = "objective"
    title: ClassVar[str] = N_("Ensemble objective")
    also: ClassVar[str] = N_("ensemble loss surface two dimensions")
    question: ClassVar[str] = ENSEMBLE_QUESTION
    summary: ClassVar[str] = N_(
        "The loss of each trial alone (×), and of the ensemble with it (+)."
    )
    explanation: ClassVar[str] = N_(
        "Every finished trial has two marks, one above the other: × is its own loss, + is the "
        "loss of the ensemble if this trial were added. Lower is better.\n"
        "The dashed line is the ensemble as it is now. A + below the line would improve it, even "
        "if the trial's × is high: it is right where the others are wrong.\n"
        "Circles mark the members of the ensemble.\n"
        "Ensemble optimisation (EO) fills one place, a slot, at a time: it removes that slot's "
        "member and looks for the model that best complements the others. Choose a slot, or see "
        "all of them; each needs something different. Both marks then show EO's own loss.\n"
        "With other methods the same is shown for their ensemble and the run's metric, though "
        "their search does not use it.\n"
        "Along a hyperparameter the band is what EO's surrogate expects (mean ± one standard "
        "deviation), the other hyperparameters held as in the best trial."
    )
    source: ClassVar[str] = N_(
        "Lévesque et al. 2016 (EO), figures 1 and 3; Lévesque 2018, figures 4.2 and 4.4"
    )
    task: ClassVar[str] = "ensemble_objective"
    answer: ClassVar[type[Any]] = EnsembleObjective
    waiting: ClassVar[str] = N_("Adding every trial to the ensemble…")

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self.slot = self.offer(
            {},
            tr("Slot left open"),
            tr("The slot whose member is removed before each trial is added"),
            letters=7,
        )
        self.along = self.offer(
            {},
            tr("Horizontal axis"),
            tr("Trial number, or a hyperparameter"),
            letters=8,
        )
        self._offer_slots((), -1)

    # Asking -------------------------------------------------------------------------------

    def forget(self) -> None:
        """Forget the slots with the run."""
        super().forget()
        self._offer_slots((), -1)

    def prepare(self, subject: Subject) -> None:
        """Offer what trials can be laid out along, and the slots that there are."""
        if subject.space is not None:
            number = ("", tr("trial number"))
            self.along.offer([number, *grouped(parameter_groups(subject.space))])
        super().prepare(subject)
        if self.picture is not None:
            holders = [int(number) for number in self.picture.answer.holders]
            self._offer_slots(holders, self.picture.answer.searched)

    def asked_for(self, subject: Subject) -> dict[str, Any] | None:
        """Ask for the slot and the hyperparameter chosen."""
        slot = int(self.slot.key)
        return {
            "slot": slot if slot >= 0 else None,
            "parameter": self.along.key or None,
            "every_slot": slot == ALL,
        }

    def read(self, answer: EnsembleObjective, subject: Subject) -> ObjectivePicture:
        """Return the marks, and the curves of the surrogate or of the slots."""
        return objective_picture(answer, subject.series.measure)

    @property
    def _along(self) -> str:
        """What the trials are laid out along."""
        return self.along.key or tr("trial number")

    def _offer_slots(self, holders: Sequence[int], searched: int) -> None:
        """List EO's slots with their members; hidden for methods that have none."""
        first = tr("Next: slot {number}", number=searched + 1) if searched >= 0 else tr("Next slot")
        names = [(NEXT, first), (ALL, tr("All slots"))]
        for place, trial in enumerate(holders):
            held = tr("trial {number}", number=trial) if trial else tr("empty")
            names.append((place, tr("Slot {number}: {held}", number=place + 1, held=held)))
        self.slot.offer(names)
        self.slot.setVisible(bool(holders))

    # Drawing ------------------------------------------------------------------------------

    def figure(self, picture: ObjectivePicture, subject: Subject) -> Figure:
        """Return the trials alone, and with the ensemble or with each of its slots."""
        answer, alone = picture.answer, MUTED if picture.slot_y else series(SINGLE)
        above = answer.own > picture.y_high
        edge = np.full(int(above.sum()), picture.edge)
        return Figure(
            panels=[self._panel(picture)],
            marks=[
                Dots(x=picture.x, y=answer.own, shape="cross", size=9, ink=alone,
                     name=tr("trial alone, f(γ)")),
                Dots(x=picture.x[above], y=edge, shape="up", size=7, ink=alone.faint(0.7),
                     outline=None),
                *(_slots(picture) if picture.slot_y else _together(picture)),
                Rule(at=answer.whole, level=True, name=tr("ensemble now"), depth=-0.5),
            ],
            summary=self._summary(picture),
            rest=rest_words(picture),
        )  # fmt: skip

    def _panel(self, picture: ObjectivePicture) -> Panel:
        answer, called = picture.answer, parameter_name(self._along)
        if answer.choices:
            low, high = -0.6, len(answer.choices) - 0.4
        else:
            ends = np.concatenate([picture.x, picture.line_x])
            low, high = (float(ends.min()), float(ends.max())) if ends.size else (0.0, 1.0)
            edge = 0.03 * (high - low) or 0.5
            # Of few trials the axis shows ten, so that it has no ticks between their numbers.
            least = high if self.along.key else low + LEAST
            low, high = low - edge, max(high + edge, least)
        return Panel(
            x=Axis(
                label=tr("{name}, log", name=called) if answer.log else called,
                low=low,
                high=high,
                ticks=list(enumerate(map(learner_brief, answer.choices))) or None,
                crowd="cut",
                log=answer.log,
            ),
            y=Axis(picture.measure.label, picture.y_low, picture.y_high),
            zooms=True,
        )

    def _summary(self, picture: ObjectivePicture) -> str:
        if picture.answer.slot < 0:
            return tr(
                "× the trial alone, + the ensemble as it is with this trial added. {note}",
                note=translate(picture.answer.note),
            )
        if picture.slot_y:
            return tr(
                "One curve per slot: the ensemble's loss with each trial in it. Diamonds: "
                "its member."
            )
        return tr(
            "× alone, + the ensemble with it in slot {number} of {all}: what EO's search sees.",
            number=picture.answer.slot + 1,
            all=len(picture.answer.holders),
        )

    def words(self, picture: ObjectivePicture, subject: Subject, at: Pointer) -> str:
        """Say which trial is pointed at, and what it is worth."""
        reach = (8 * at.dx or 1.0, 8 * at.dy or 1.0)
        return objective_words(picture, subject.series, at.x, at.y, reach)

    def columns(self, picture: ObjectivePicture, subject: Subject) -> Columns:
        """Return the trials: number, place, both losses, and whether they are members."""
        answer = picture.answer
        return {
            "trial": answer.numbers,
            self._along: 10**picture.x if answer.log else picture.x,
            "alone": answer.own,
            "with the ensemble": answer.together,
            "member": answer.members,
        }


def _together(picture: ObjectivePicture) -> Sequence[Mark]:
    """Return what the ensemble would be worth with each trial, who is in it, what is expected."""
    answer, ensemble = picture.answer, series(ENSEMBLE)
    inside = answer.members
    rings = np.minimum(answer.own, picture.edge)[inside]
    name = tr("ensemble with it, f(γ|E)")
    marks: list[Mark] = [
        Dots(x=picture.x, y=answer.together, shape="plus", size=10, ink=ensemble, name=name),
        Dots(x=picture.x[inside], y=rings, shape="ring", size=16, name=tr("member")),
    ]
    if len(picture.line_x) > 1:
        mean = answer.mean
        about = expectation(
            picture.line_x, mean, mean - answer.sd, mean + answer.sd, ensemble,
            stepped=bool(answer.choices),
        )  # fmt: skip
        marks += named(about, tr("expected by the surrogate"), "")
    return marks


def _slots(picture: ObjectivePicture) -> Sequence[Mark]:
    """Return a curve a slot, dashed where the colours begin again, and who holds it."""
    where = {int(number): place for place, number in enumerate(picture.answer.numbers)}
    held = [
        (where[int(number)], slot)
        for slot, number in enumerate(picture.answer.holders)
        if int(number) in where
    ]
    places = [place for place, _ in held]
    return [
        *(
            Line(
                x=x,
                y=y,
                ink=series(slot % HUES),
                dashed=slot >= HUES,
                name=tr("slot {number}", number=slot + 1),
                depth=-1,
            )
            for slot, (x, y) in enumerate(zip(picture.slot_x, picture.slot_y, strict=True))
        ),
        Dots(
            x=picture.x[places],
            y=np.minimum(picture.answer.own, picture.edge)[places],
            shape="diamond",
            size=13,
            inks=[series(slot % HUES) for _, slot in held],
        ),
    ]
