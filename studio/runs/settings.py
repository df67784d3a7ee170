"""What a run is asked to do: one frozen record, plain JSON in the document."""

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self, get_args

from studio.data.column import ColumnKind, Role
from studio.data.splits import SplitPlan
from studio.document import shapes
from studio.errors import UsageError
from studio.parts import OptionValue
from studio.runs.limits import LEAST_MEMORY, MEGABYTE

AUTO = "auto"
"""As method: the task's default; a run that was given no other name takes the method's then."""

SUGGESTED = "suggested"
"""The same by its older name."""

OPEN = (AUTO, SUGGESTED)
"""Methods that are decided when the table has been read."""

DEFAULT_BUDGET = 100
"""Evaluations of a run for which neither a number nor a time was given."""

DEFAULT_TRIAL_SECONDS = 300.0
"""Longest time that one trial may take unless told otherwise."""

ClassWeights = Literal["none", "balanced"]

TaskWish = Literal["auto", "binary", "multiclass", "regression"]


@dataclass(frozen=True)
class Source:
    """Which file a run's table is read from, and how (everything not named is guessed).

    Attributes
    ----------
    path : str
        The CSV file; empty when the table is in the document already.
    test_path : str
        A second file whose rows are the test set; empty for none.
    target : str or None
        The column to predict.
    task : str
        "auto", or what the target is to be taken for.
    reading : Mapping
        A :class:`studio.data.reading.ReadOptions` as JSON.
    roles, kinds : Mapping
        Roles and kinds of columns, by name, where the user chose them.
    """

    path: str = ""
    test_path: str = ""
    target: str | None = None
    task: TaskWish = "auto"
    reading: Mapping[str, Any] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    kinds: Mapping[str, ColumnKind] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain JSON."""
        return dataclasses.asdict(self)


@dataclass(frozen=True)
class RunSettings:
    """Everything that decides a run's result, and the limits under which it works.

    Attributes
    ----------
    method : str
        The key of a preset (METHODS 10), "auto" for the task's default, or "suggested".
    overrides : Mapping
        Options of the method's parts that differ from the preset: ``"surrogate.kernel"`` → value,
        or a whole part: ``"surrogate"`` → its key.
    space : Mapping or None
        The search space as JSON; ``None`` for the task's default.
    source : Source
        Where the table comes from.
    metric : str or None
        The key of a metric; ``None`` for the task's default.
    budget : int or None
        Number of evaluations.
    seconds : float or None
        Wall seconds from the start to the result, pauses left out.
    plan : SplitPlan
        How rows are divided.
    seed : int
        The seed of everything that is drawn.
    workers : int
        Trials at the same time.
    trial_seconds : float
        Longest time of one trial.
    trial_memory : int or None
        Most memory of one trial in MB; ``None`` for a share of what the machine has.
    cluster : str
        Address of a Dask scheduler on whose workers trials are trained; empty for this machine.
    class_weights : "none" or "balanced"
        Whether every class weighs the same at every fit, whatever its number of rows.
    refit : bool
        Whether the chosen models are trained once more on all rows but the test rows before they
        are tested and exported; else they stay as the search trained them: on D_T only
        (METHODS 5), with folds as the committee of their fold models.
    advised : bool
        Whether ``plan`` (but for its test rows, cap and seed) is left to the program, which
        decides by the table and the time (:mod:`studio.runs.advice`).
    keep : bool
        Whether the trained ensemble is kept in the document, so that nobody trains it again.
    forked : Mapping
        Where the run was forked from: "run" and "iteration"; empty for a run of its own.
    """

    method: str = AUTO
    overrides: Mapping[str, OptionValue] = field(default_factory=dict)
    space: Mapping[str, Any] | None = None
    source: Source = field(default_factory=Source)
    metric: str | None = None
    budget: int | None = None
    seconds: float | None = None
    plan: SplitPlan = field(default_factory=SplitPlan)
    seed: int = 0
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    trial_seconds: float = DEFAULT_TRIAL_SECONDS
    trial_memory: int | None = None
    cluster: str = ""
    class_weights: ClassWeights = "none"
    refit: bool = True
    advised: bool = False
    keep: bool = True
    forked: Mapping[str, int] = field(default_factory=dict)

    def problems(self) -> list[str]:
        """Return a sentence for each setting that cannot work; empty when all is well."""
        found = []
        if self.budget is not None and self.budget < 1:
            found.append(f"The budget must be at least one evaluation; {self.budget} was given.")
        if self.seconds is not None and not self.seconds > 0:
            found.append(f"The time budget must be positive; {self.seconds:g} s was given.")
        if self.seed < 0:
            found.append(f"The seed must be 0 or more; {self.seed} was given.")
        if self.workers < 1:
            found.append(f"At least one worker is needed; {self.workers} was given.")
        if not self.trial_seconds > 0:
            found.append(f"A trial needs some time; {self.trial_seconds:g} s was given.")
        if self.trial_memory is not None and self.trial_memory * MEGABYTE < LEAST_MEMORY:
            found.append(
                f"A trial needs at least {LEAST_MEMORY // MEGABYTE} MB of memory, about half of it "
                f"for the program itself; {self.trial_memory} MB was given."
            )
        if self.class_weights not in get_args(ClassWeights):
            found.append(
                f"Class weights are {' or '.join(get_args(ClassWeights))}; "
                f"{self.class_weights!r} was given."
            )
        return found

    def check(self) -> None:
        """Raise UsageError with all problems, if there are any."""
        found = self.problems()
        if found:
            raise UsageError(" ".join(found))

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain JSON."""
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        plain["overrides"] = dict(self.overrides)
        plain["forked"] = dict(self.forked)
        plain["source"] = self.source.to_json()
        plain["plan"] = self.plan.to_json()
        return plain

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """Make the record from JSON.

        Raises
        ------
        UsageError
            If it names what this version does not know, or divides rows in an impossible way.
        DocumentError
            If a value is not of its type.
        """
        values = _known(cls, given)
        if isinstance(source := values.get("source"), dict):
            _known(Source, source)
        return shapes.build(cls, values, "settings of a run")


def _known(cls: type, given: Mapping[str, Any]) -> dict[str, Any]:
    names = {f.name for f in dataclasses.fields(cls)}
    unknown = sorted(set(given) - names)
    if unknown:
        raise UsageError(
            f"This version knows no setting called {', '.join(unknown)}; "
            "the file may have been written by a newer one."
        )
    return dict(given)
