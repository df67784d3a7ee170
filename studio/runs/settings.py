"""Settings of a run: one frozen record, plain JSON in the document."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from studio.data.column import ColumnKind, Direction, Role
from studio.data.split_plan import SplitPlan
from studio.document import shapes
from studio.document.runs import RunRow
from studio.errors import UsageError
from studio.language import N_
from studio.learners.targets import PredictionTarget
from studio.parts import OptionValue
from studio.phrases import phrase
from studio.runs.choices import DeclaredSettings

_AS_SEARCHED = phrase("Members of the search (not refitted)")
_REFITTED_NOTE = phrase("Members refitted on all rows except the test rows")
_SOME_REFITTED_NOTE = N_(
    "{count:,} of {members} members refitted on all rows except the test rows, the others not "
    "refitted"
)
_AVERAGED_NOTE = phrase(
    "Members refitted on all rows except the test rows, each averaged with its models of the search"
)
_SOME_AVERAGED_NOTE = N_(
    "{count:,} of {members} members refitted on all rows except the test rows and averaged with "
    "their models of the search, the others not refitted"
)

AUTO = "auto"
"""Method key: the task's default; the run is named after it unless it has a name."""

FORMER_AUTO_KEY = "suggested"
"""The former name of the same key."""

OPEN_METHODS = (AUTO, FORMER_AUTO_KEY)
"""Methods resolved once the table has been read."""

TaskChoice = Literal["auto", "binary", "multiclass", "regression"]


@dataclass(frozen=True, kw_only=True)
class TableChoices:
    """Choices about a table except its target; unset choices are inferred.

    Attributes:
        task: "auto", or the task to assume.
        reading: A :class:`studio.data.reading.ReadOptions` as JSON.
        treatments: Treatments of odd values (:mod:`studio.data.treatments`), by column.
        monotone: Direction of effect (:mod:`studio.data.monotone`), by column.
    """

    task: TaskChoice = "auto"
    reading: Mapping[str, Any] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    kinds: Mapping[str, ColumnKind] = field(default_factory=dict)
    treatments: Mapping[str, str] = field(default_factory=dict)
    monotone: Mapping[str, Direction] = field(default_factory=dict)

    @property
    def decided_columns(self) -> frozenset[str]:
        """The columns about which the user made a choice."""
        return frozenset((*self.roles, *self.kinds, *self.treatments))

    def adapt_to_target(self, target: str) -> "TableChoices":
        """Return the choices that are valid for another target."""
        roles = {name: role for name, role in self.roles.items() if name != target}
        return dataclasses.replace(self, task="auto", roles=roles, monotone={})


@dataclass(frozen=True)
class TableSource(TableChoices):
    """The file of a run's table, and its reading options.

    Attributes:
        path: The CSV file; empty if the table is in the document.
        test_path: A second file as the test set; empty for none.
    """

    path: str = ""
    test_path: str = ""
    target: str | None = None

    @property
    def choices(self) -> TableChoices:
        """The choices apart from the file and the target."""
        names = (each.name for each in dataclasses.fields(TableChoices))
        return TableChoices(**{name: getattr(self, name) for name in names})

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain JSON."""
        return dataclasses.asdict(self)


@dataclass(frozen=True)
class RunSettings(DeclaredSettings):
    """All settings that determine a run's result, and its limits.

    The declared settings are in :mod:`studio.runs.choices`.

    Attributes:
        method: The key of a preset, "auto" for the task's default, or "suggested".
        overrides: Options that differ from the preset: ``"surrogate.kernel"`` → value, or a whole
            part: ``"surrogate"`` → its key.
        space: As JSON; ``None`` for the task's default.
        advised: Whether ``plan`` (except test rows, cap and seed) is derived from the table and the
            time (:mod:`studio.runs.advice`).
        optional_refit: Whether a run without ``refit`` ends with a refit if that is worthwhile and
            quick (:mod:`studio.runs.reserve`).
        averaged_refit: Whether the models of such a refit are averaged with those of the search.
        aim: The statistic to be predicted; determined once the table has been read.
        forked: The origin of a fork: "run" and "iteration"; empty for a new run.
    """

    method: str = AUTO
    overrides: Mapping[str, OptionValue] = field(default_factory=dict)
    space: Mapping[str, Any] | None = None
    source: TableSource = field(default_factory=TableSource)
    plan: SplitPlan = field(default_factory=SplitPlan)
    advised: bool = False
    optional_refit: bool = False
    averaged_refit: bool = False
    aim: PredictionTarget = field(default_factory=PredictionTarget)
    forked: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain JSON."""
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        fields["overrides"] = dict(self.overrides)
        fields["forked"] = dict(self.forked)
        fields["source"] = self.source.to_json()
        fields["plan"] = self.plan.to_json()
        fields["aim"] = dataclasses.asdict(self.aim)
        return fields

    @classmethod
    def from_row(cls, row: RunRow) -> Self:
        """Return the settings of a document's run; errors name the run."""
        return cls.from_json(row.settings, f"run {row.id}")

    @classmethod
    def from_json(cls, settings_json: Mapping[str, Any], label: str = "settings of a run") -> Self:
        """Create the record from JSON.

        Args:
            settings_json: As returned by :meth:`to_json`.

        Raises:
            UsageError: If it contains unknown names or an impossible split.
            DocumentError: If a value has the wrong type.
        """
        values = _select_known(cls, settings_json)
        if isinstance(source := values.get("source"), dict):
            _select_known(TableSource, source)
        return shapes.build(cls, values, label)


def describe_training(
    settings: RunSettings, *, refitted: bool, share: tuple[int, int] = (0, 0)
) -> str:
    """Describe how final models were trained, in the same words everywhere.

    Args:
        share: The number of refitted members, and of all.
    """
    if refitted and share[0] < share[1]:
        text = _SOME_AVERAGED_NOTE if settings.averaged_refit else _SOME_REFITTED_NOTE
        return phrase(text, count=share[0], members=share[1])
    if refitted:
        return _AVERAGED_NOTE if settings.averaged_refit else _REFITTED_NOTE
    if (folds := settings.plan.folds) is None:
        return _AS_SEARCHED
    return phrase(
        "Members of the search (not refitted), each the average of its {folds} fold models",
        folds=folds,
    )


def summarise_refit(share: tuple[int, int]) -> str:
    """Say in a few words whether final models were refitted; ``share`` as above."""
    n_refitted, n_members = share
    if not n_refitted:
        return phrase("not refitted")
    if n_refitted == n_members:
        return phrase("refitted")
    return phrase("{count:,} of {members} refitted", count=n_refitted, members=n_members)


def explain_refit(training: str) -> str:
    """State which models the test errors belong to, by :func:`describe_training`."""
    return phrase("Test errors are those of the final models. {training}.", training=training)


def _select_known(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    names = {f.name for f in dataclasses.fields(cls)}
    unknown = sorted(set(values) - names)
    if unknown:
        raise UsageError(
            "This version has no setting called {unknown}; the file may come from a newer one.",
            unknown=", ".join(unknown),
        )
    return dict(values)


@dataclass(frozen=True)
class Advice:
    """Advice for a table; the metric is left to the user."""

    method: str
    space: str
    plan: SplitPlan
    division: str
    table: str
    sentence: str
