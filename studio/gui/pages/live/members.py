"""The members of the ensemble as shares of a strip, without Qt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from studio.figures.colours import ENSEMBLE
from studio.figures.ink import Ink, series
from studio.gui.plots.base.subjects import Subject
from studio.gui.session.learner_names import learner_inks, learner_name, learner_of
from studio.language import percent, tr


@dataclass(frozen=True)
class Share:
    """A member of the ensemble.

    Attributes:
        number: Its trial.
        name: Of its learner, for people.
        ink: That of its learner in every plot.
        weight: In [0, 1].
        words: What the pointer is answered.
    """

    number: int
    name: str
    ink: Ink
    weight: float
    words: str


def member_shares(subject: Subject) -> tuple[Share, ...]:
    """Return the members of now: those of a learner beside one another, the heaviest first."""
    run = subject.series
    inks = learner_inks(run.branches) | {"": series(ENSEMBLE)}
    shares = [_share(subject, number, weight, inks) for number, weight in subject.members]
    heavy: dict[str, float] = {}
    for each in shares:
        heavy[each.name] = heavy.get(each.name, 0.0) + each.weight
    return tuple(
        sorted(shares, key=lambda each: (-heavy[each.name], each.name, -each.weight, each.number))
    )


def _share(subject: Subject, number: int, weight: float, inks: Mapping[str, Ink]) -> Share:
    run = subject.series
    trial, branch = run.trial(number), run.branch(number)
    key = "" if trial is None else learner_of(trial.configuration)
    name = learner_name(key or branch) or tr("Model")
    words = tr(
        "{name}, trial {number}: weight {weight}, own error {loss}",
        name=name,
        number=number,
        weight=percent(weight),
        loss=run.measure.brief(None if trial is None else trial.loss),
    )
    return Share(number, name, inks.get(branch, series(ENSEMBLE)), weight, words)


def named_shares(shares: Sequence[Share]) -> list[tuple[str, Ink]]:
    """Return what the legend says of each learner: "Random forest 31 %", or "2 × … 31 %"."""
    entries = []
    for name, same in groupby(shares, key=lambda each: each.name):
        members = list(same)
        weight = percent(sum(each.weight for each in members), 0)
        words = tr("{name} {weight}", name=name, weight=weight)
        if len(members) > 1:
            words = tr("{count} × {name} {weight}", count=len(members), name=name, weight=weight)
        entries.append((words, members[0].ink))
    return entries
