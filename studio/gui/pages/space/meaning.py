"""What a space means: how large it is, what it draws, what to mend and what to know."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from studio.gui.pages.space.branches import ALGORITHM, learners, operators
from studio.gui.pages.space.texts import short_value
from studio.language import N_, grouped, localised, ntr, number, tr
from studio.learners.space_problems import all_problems
from studio.space.base import SpaceProblem, join
from studio.space.choices import Boolean, Categorical, Constant
from studio.space.encoding import decode
from studio.space.sampling import sample
from studio.space.space import Space
from studio.trial import Configuration

EXAMPLES = 6
"""Random configurations that are shown at a time."""

_MAX_DRAWS, _MIN_DRAWS, _MAX_NUMBERS = 1_000, 50, 60_000

_TASKS = {
    "binary": N_("two classes"),
    "multiclass": N_("several classes"),
    "regression": N_("a number"),
}


@dataclass(frozen=True)
class Activity:
    """How many dimensions random configurations have active.

    Attributes:
        least, most: The extremes among the draws.
        mean: Their mean.
        draws: How many configurations were drawn.
    """

    least: int
    most: int
    mean: float
    draws: int

    def words(self) -> str:
        """Write "2–5 active, mean 3.4"."""
        mean = number(self.mean, ".1f")
        if self.least == self.most:
            return tr("{count} active", count=self.least)
        span = f"{self.least}–{self.most}"
        return tr("{span} active, mean {mean}", span=span, mean=mean)


@dataclass(frozen=True)
class Meaning:
    """What is shown of a space.

    Attributes:
        dimensions: Coordinates that a search moves in; ``None`` while there are errors.
        size: How many configurations there are, in words; empty while there are errors.
        errors, notes: What must be mended, and what is worth knowing.
        examples: Random configurations; none while there are errors.
        activity: How many dimensions are active at a time; ``None`` while there are errors.
    """

    dimensions: int | None
    size: str
    errors: tuple[SpaceProblem, ...]
    notes: tuple[SpaceProblem, ...]
    examples: tuple[Configuration, ...]
    activity: Activity | None = None


def meaning(
    space: Space, task: str | None, seed: int, of_libraries: Sequence[SpaceProblem] = ()
) -> Meaning:
    """Work out what a space means for a task (``None``: not known yet).

    Args:
        space, task, seed: The space, what is to be predicted, and the seed of the examples.
        of_libraries: What libraries cannot take of it.
    """
    found = (*all_problems(space), *of_libraries)
    errors = tuple(p for p in found if p.severity == "error")
    notes = tuple(p for p in found if p.severity == "note")
    if errors:
        return Meaning(None, "", errors, notes, ())
    rng = np.random.default_rng(seed)
    drawn = decode(space, sample(space, rng, EXAMPLES))
    draws = max(_MIN_DRAWS, min(_MAX_DRAWS, _MAX_NUMBERS // max(1, space.dimensions)))
    counts = (~np.isnan(sample(space, rng, draws))).sum(axis=1)
    activity = Activity(int(counts.min()), int(counts.max()), float(counts.mean()), draws)
    return Meaning(
        space.dimensions,
        size_words(space.size()),
        (),
        (*advice(space, task), *notes),
        tuple(drawn),
        activity,
    )


def size_words(size: int | float) -> str:
    """Write how many configurations there are."""
    if math.isinf(size):
        return "∞"
    if size >= 10_000_000:
        return localised(f"{size:.1e}".replace("e+0", "e").replace("e+", "e"))
    return grouped(int(size))


def advice(space: Space, task: str | None) -> Iterator[SpaceProblem]:
    """Yield what would surprise a run on this space: learners that do not exist or do not fit."""
    roots = [p for p in space.parameters if p.sets == ALGORITHM]
    if not roots:
        yield SpaceProblem(
            "",
            "parameters",
            tr(
                "No hyperparameter sets “algorithm”, so a run would not know which model to "
                "train: add a learner, or let a choice set it."
            ),
            "note",
        )
        return
    known = learners()
    for root in roots:
        values = root.choices if isinstance(root, Categorical | Constant | Boolean) else ()
        unknown = [value for value in values if value not in known]
        if unknown:
            message = ntr(
                "{names} is not a learner of this program; such trials would fail.",
                "{names} are not learners of this program; such trials would fail.",
                len(unknown),
                names=join(unknown, "and"),
            )
            yield root.problem("choices", message, "note")
        unfit = [v for v in values if v in known and task and task not in known[str(v)].tasks]
        if unfit and task:
            message = ntr(
                "{names} cannot predict {what}, which this table needs; such trials would fail.",
                "{names} cannot predict {what}, which this table needs; such trials would fail.",
                len(unfit),
                names=join(unfit, "and"),
                what=tr(_TASKS[task]),
            )
            yield root.problem("choices", message, "note")
        chosen = {str(value) for value in values if value in known}
        yield from _never(space, root.name, chosen)
    yield from _operators(space)


def _never(space: Space, root: str, chosen: set[str]) -> Iterator[SpaceProblem]:
    """Yield settings that are active only where another learner is chosen than theirs."""
    for parameter in space.parameters:
        owner, dot, _ = parameter.sets.rpartition(".")
        if dot and owner in chosen:
            only = [rule.values for rule in parameter.conditions if rule.parent == root]
            if any(values is not None and owner not in values for values in only):
                message = tr(
                    "It sets {setting}, but is active only where another learner is chosen: it "
                    "changes nothing. Put it under {owner}, or remove it.",
                    setting=parameter.sets,
                    owner=owner,
                )
                yield parameter.problem("conditions", message, "note")


def _operators(space: Space) -> Iterator[SpaceProblem]:
    """Yield what is wrong with the operators that come before the learner."""
    known = operators()
    stages = {stage for stage, _ in known.values()}
    for parameter in space.parameters:
        if parameter.sets in stages:
            values = parameter.choices if isinstance(parameter, Categorical | Constant) else ()
            fitting = {key for key, (stage, _) in known.items() if stage == parameter.sets}
            unknown = [value for value in values if value not in {"empty", *fitting}]
            if unknown:
                message = ntr(
                    "{names} is not a known {stage}; such trials would fail.",
                    "{names} are not a known {stage}; such trials would fail.",
                    len(unknown),
                    names=join(unknown, "and"),
                    stage=parameter.sets,
                )
                yield parameter.problem("choices", message, "note")


def headline(space: Space, configuration: Configuration) -> tuple[str, str]:
    """Return an example as a title (the algorithm, if one is chosen) and its other values."""
    title, prefix = "", ""
    for name, value in configuration.items():
        if space.parameter(name).sets == ALGORITHM:
            title, prefix = short_value(value), f"{value}."
    rest = []
    for name, value in configuration.items():
        if space.parameter(name).sets != ALGORITHM:
            rest.append(f"{name.removeprefix(prefix)} {short_value(value)}")
    return title, "  ·  ".join(rest)
