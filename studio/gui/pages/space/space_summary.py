"""Summary of a space: its size, random examples, problems and hints."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import Integers
from studio.gui.pages.space.branches import LEARNERS
from studio.gui.pages.space.formatting import format_choice
from studio.language import N_, group_digits, localise_number, ntr, number, tr, translate
from studio.learners.choice import ALGORITHM
from studio.learners.operators.base import EMPTY, STAGES
from studio.learners.operators.registry import REGISTRY as OPERATORS
from studio.learners.space_problems import find_all_problems
from studio.space.base import SpaceProblem, join_values
from studio.space.choices import get_values
from studio.space.encoding import decode, sample
from studio.space.space import Space
from studio.trial import Configuration

N_EXAMPLES = 6
"""Number of random configurations shown."""

_MAX_DRAWS, _MIN_DRAWS, _MAX_NUMBERS = 1_000, 50, 60_000

_TASKS = {
    "binary": N_("two classes"),
    "multiclass": N_("several classes"),
    "regression": N_("a number"),
}


@dataclass(frozen=True)
class SpaceSummary:
    """The displayed summary of a space; an invalid space has no size and no examples.

    Attributes:
        size: Number of configurations, in words.
    """

    n_dimensions: int | None
    size: str
    errors: tuple[SpaceProblem, ...]
    notes: tuple[SpaceProblem, ...]
    examples: tuple[Configuration, ...]
    active_dimensions: str = ""
    n_draws: int = 0


def compute_meaning(
    space: Space,
    task: str | None,
    seed: int,
    library_problems: Sequence[SpaceProblem] = (),
    searched: Space | None = None,
) -> SpaceSummary:
    """Summarise a space for a task (``None``: unknown), including problems with libraries.

    ``searched``: the searched part, whose size and examples are shown; ``None``: all of it.
    """
    problems = (*find_all_problems(space), *library_problems)
    errors = tuple(p for p in problems if p.severity == "error")
    notes = tuple(p for p in problems if p.severity == "note")
    if errors:
        return SpaceSummary(None, "", errors, notes, ())
    part = space if searched is None else searched
    rng = np.random.default_rng(seed)
    examples = decode(part, sample(part, rng, N_EXAMPLES))
    draws = max(_MIN_DRAWS, min(_MAX_DRAWS, _MAX_NUMBERS // max(1, part.dimensions)))
    counts = (~np.isnan(sample(part, rng, draws))).sum(axis=1)
    return SpaceSummary(
        part.dimensions,
        format_size(part.count_configurations()),
        (),
        (*find_learner_problems(part, task), *notes),
        tuple(examples),
        _format_activity(counts),
        draws,
    )


def _format_activity(counts: Integers) -> str:
    """Format the range of active dimensions, counts of shape (draws,): "2–5 active"."""
    smallest, largest = int(counts.min()), int(counts.max())
    if smallest == largest:
        return tr("{count} active", count=smallest)
    mean = number(float(counts.mean()), ".1f")
    return tr("{span} active, mean {mean}", span=f"{smallest}–{largest}", mean=mean)


def format_size(size: int | float) -> str:
    """Format the number of configurations."""
    if math.isinf(size):
        return "∞"
    if size >= 10_000_000:
        return localise_number(f"{size:.1e}".replace("e+0", "e").replace("e+", "e"))
    return group_digits(int(size))


def find_learner_problems(space: Space, task: str | None) -> Iterator[SpaceProblem]:
    """Yield warnings about learners that are unknown or unsuitable for the task."""
    roots = [p for p in space.parameters if p.sets == ALGORITHM]
    if not roots:
        message = tr(
            "No hyperparameter sets “algorithm”, so a run would not know which model to "
            "train: add a learner, or let a choice set it."
        )
        yield SpaceProblem("", "parameters", message, "note")
        return
    for root in roots:
        values = get_values(root)
        unknown = [value for value in values if value not in LEARNERS]
        if unknown:
            message = ntr(
                "{names} is not a learner of this program; such trials would fail.",
                "{names} are not learners of this program; such trials would fail.",
                len(unknown),
                names=translate(join_values(unknown, "and")),
            )
            yield root.make_problem("choices", message, "note")
        learners = [str(value) for value in values if value in LEARNERS]
        unsuitable = [key for key in learners if task and task not in LEARNERS[key].tasks]
        if unsuitable and task:
            message = ntr(
                "{names} cannot predict {what}, which this table needs; such trials would fail.",
                "{names} cannot predict {what}, which this table needs; such trials would fail.",
                len(unsuitable),
                names=translate(join_values(unsuitable, "and")),
                what=tr(_TASKS[task]),
            )
            yield root.make_problem("choices", message, "note")
        for parameter in space.parameters:
            owner = parameter.sets.rpartition(".")[0]
            if owner in learners and any(
                rule.parent == root.name and rule.values is not None and owner not in rule.values
                for rule in parameter.conditions
            ):
                message = tr(
                    "It sets {setting}, but is active only where another learner is chosen: it "
                    "changes nothing. Put it under {owner}, or remove it.",
                    setting=parameter.sets,
                    owner=owner,
                )
                yield parameter.make_problem("conditions", message, "note")
    for parameter in space.parameters:
        if parameter.sets in STAGES:
            known_operators = {
                EMPTY,
                *(each.key for each in OPERATORS if each.stage == parameter.sets),
            }
            unknown = [value for value in get_values(parameter) if value not in known_operators]
            if unknown:
                message = ntr(
                    "{names} is not a known {stage}; such trials would fail.",
                    "{names} are not a known {stage}; such trials would fail.",
                    len(unknown),
                    names=translate(join_values(unknown, "and")),
                    stage=parameter.sets,
                )
                yield parameter.make_problem("choices", message, "note")


def format_headline(space: Space, configuration: Configuration) -> tuple[str, str]:
    """Return an example's title (the chosen algorithm) and its other values."""
    values = dict(configuration)
    title, prefix = "", ""
    for name in configuration:
        if space.get_parameter(name).sets == ALGORITHM:
            value = values.pop(name)
            title, prefix = format_choice(space.get_parameter(name), value), f"{value}."
    other_values = (
        f"{name.removeprefix(prefix)} {format_choice(space.get_parameter(name), value)}"
        for name, value in values.items()
    )
    return title, "  ·  ".join(other_values)
