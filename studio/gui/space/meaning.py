"""What a space means: how large it is, what it draws, what to mend and what to know."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from studio.gui.space.branches import ALGORITHM, learners, operators
from studio.gui.space.texts import short_value
from studio.space.base import Problem, join
from studio.space.choices import Boolean, Categorical, Constant
from studio.space.encoding import decode
from studio.space.sampling import sample
from studio.space.space import Space
from studio.trial import Configuration

EXAMPLES = 6
"""Random configurations that are shown at a time."""

_TASKS = {
    "binary": "two classes",
    "multiclass": "several classes",
    "regression": "a number",
}


@dataclass(frozen=True)
class Meaning:
    """What is told of a space.

    Attributes
    ----------
    dimensions : int or None
        Coordinates that a search moves in; ``None`` while there are errors.
    size : str
        How many configurations there are, in words; empty while there are errors.
    errors, notes : tuple of Problem
        What must be mended, and what is worth knowing.
    examples : tuple of Configuration
        Random configurations; none while there are errors.
    """

    dimensions: int | None
    size: str
    errors: tuple[Problem, ...]
    notes: tuple[Problem, ...]
    examples: tuple[Configuration, ...]


def meaning(space: Space, task: str | None, seed: int) -> Meaning:
    """Work out what a space means for a task (``None``: not known yet).

    Parameters
    ----------
    space, task, seed
        The space, what is to be predicted, and the seed of the examples.
    """
    found = space.problems()
    errors = tuple(p for p in found if p.severity == "error")
    notes = tuple(p for p in found if p.severity == "note")
    if errors:
        return Meaning(None, "", errors, notes, ())
    drawn = decode(space, sample(space, np.random.default_rng(seed), EXAMPLES))
    return Meaning(
        space.dimensions,
        size_words(space.size()),
        (),
        (*advice(space, task), *notes),
        tuple(drawn),
    )


def size_words(size: int | float) -> str:
    """Write how many configurations there are."""
    if math.isinf(size):
        return "∞"
    if size >= 10_000_000:
        return f"{size:.1e}".replace("e+0", "e").replace("e+", "e")
    return f"{int(size):,}"


def advice(space: Space, task: str | None) -> Iterator[Problem]:
    """Yield what would surprise a run on this space: learners that do not exist or do not fit."""
    roots = [p for p in space.parameters if p.sets == ALGORITHM]
    if not roots:
        yield Problem(
            "",
            "parameters",
            "No hyperparameter sets “algorithm”, so a run would not know which model to train: "
            "add a learner, or let a choice set it.",
            "note",
        )
        return
    known = learners()
    for root in roots:
        values = root.choices if isinstance(root, Categorical | Constant | Boolean) else ()
        unknown = [value for value in values if value not in known]
        if unknown:
            verb = "is no learner" if len(unknown) == 1 else "are no learners"
            message = f"{join(unknown, 'and')} {verb} of this program; such models would fail."
            yield root.problem("choices", message, "note")
        unfit = [v for v in values if v in known and task and task not in known[str(v)].tasks]
        if unfit and task:
            verb = "predicts" if len(unfit) == 1 else "predict"
            message = f"{join(unfit, 'and')} never {verb} {_TASKS[task]}, which this table needs;"
            yield root.problem("choices", f"{message} such models would fail.", "note")
        yield from _unread(space, {str(value) for value in values if value in known})
    yield from _operators(space)


def _unread(space: Space, chosen: set[str]) -> Iterator[Problem]:
    known = learners()
    for parameter in space.parameters:
        owner, dot, setting = parameter.sets.rpartition(".")
        if dot and owner in known and owner in chosen:
            if setting not in known[owner].hyperparameters:
                offered = join(known[owner].hyperparameters, "and") or "nothing"
                message = f"{owner} has no setting “{setting}”; it reads {offered}."
                yield parameter.problem("sets", message, "note")
        elif dot and owner in known:
            message = f"It sets {parameter.sets}, but {owner} is not among the algorithms."
            yield parameter.problem("sets", message, "note")


def _operators(space: Space) -> Iterator[Problem]:
    """Yield what is wrong with the operators that stand before the learner."""
    known = operators()
    stages = {stage for stage, _ in known.values()}
    for parameter in space.parameters:
        owner, dot, setting = parameter.sets.rpartition(".")
        if parameter.sets in stages:
            values = parameter.choices if isinstance(parameter, Categorical | Constant) else ()
            fitting = {key for key, (stage, _) in known.items() if stage == parameter.sets}
            unknown = [value for value in values if value not in {"empty", *fitting}]
            if unknown:
                verb = "is" if len(unknown) == 1 else "are"
                message = f"{join(unknown, 'and')} {verb} no {parameter.sets} of this program;"
                yield parameter.problem("choices", f"{message} such models would fail.", "note")
        elif dot and owner in known and setting not in known[owner][1]:
            offered = join(known[owner][1], "and") or "nothing"
            message = f"{owner} has no setting “{setting}”; it reads {offered}."
            yield parameter.problem("sets", message, "note")


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
