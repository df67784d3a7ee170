"""Draft of the next run's data: file, reading options, roles, target, task and split."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, Literal, Self

from studio.data.column import ColumnKind, Direction, Role
from studio.data.metrics.probabilities import LogLoss
from studio.data.metrics.registry import get_default
from studio.data.read_options import ColumnReading, ReadOptions
from studio.data.split_plan import SplitPlan
from studio.data.tasks import Task
from studio.document import shapes
from studio.errors import DamagedError, UsageError
from studio.gui.drafts.draft import Draft
from studio.helper.preview import Preview
from studio.runs.settings import RunSettings, TableSource

DATA_NOTE = "window.data"
"""The note of a document that keeps the draft."""

_ANSWERED_BY_USE = frozenset({"leak", "time"})
"""Kinds of findings that a run does not ask about again once the user keeps using the column."""

NON_TABLE_FIELDS = frozenset({"advised", "kept", "monotone", "plan", "test_path", "title"})
"""Choices that do not affect how the table is read."""


@dataclass(frozen=True)
class DataDraft(Draft):
    """Choices on the data page, stored as plain JSON in the document.

    Attributes:
        options: Reading options set by the user (the others are guessed).
        kinds, roles, treatments: The user's choices by column.
        monotone: Direction of effect by column.
        target: ``None`` for the guess.
        advised: Whether the method may choose the split by table and time limit; ``plan`` then only
            gives the test share, the row limit and the seed.
        test_path: A second file as the test set; empty for none.
        kept: Findings dismissed by the user, as (kind, column); the column is empty for the whole
            table.
        preview: The helper's last preview of this file.
        table: The document's table, if imported exactly with these choices; else ``None``.
    """

    path: str = ""
    title: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    kinds: Mapping[str, ColumnKind] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    treatments: Mapping[str, str] = field(default_factory=dict)
    monotone: Mapping[str, Direction] = field(default_factory=dict)
    target: str | None = None
    task: Task | Literal["auto"] = "auto"
    plan: SplitPlan = field(default_factory=SplitPlan)
    advised: bool = True
    test_path: str = ""
    kept: tuple[tuple[str, str], ...] = ()
    preview: Preview | None = None
    table: int | None = None

    @classmethod
    def for_file(cls, path: Path, target: str | None = None, title: str = "") -> Self:
        """Return a draft for a new file."""
        return cls(path=str(path), title=title or path.name, target=target)

    @classmethod
    def from_json(cls, content: Any, label: str = "draft") -> Self:
        """Read a draft from a document; unknown fields are dropped.

        Drafts from before advice existed have a custom split. A preview of another version is
        dropped, so that the file is read again.
        """
        stored_preview = content.get("preview") if isinstance(content, Mapping) else None
        if stored_preview is not None:
            content = {**content, "preview": None}
        draft = super().from_json(content, label)
        if stored_preview is not None:
            with contextlib.suppress(DamagedError):
                draft = draft.with_changes(preview=shapes.pick(Preview, stored_preview, label))
        if "advised" not in content:
            draft = draft.with_changes(advised=False)
        return draft

    @classmethod
    def from_run(cls, settings: RunSettings, table: int | None) -> Self:
        """Return a draft from the data source of a run's settings."""
        source = settings.source
        return cls(
            path=source.path,
            title=Path(source.path).name,
            options=source.reading,
            kinds=source.kinds,
            roles=source.roles,
            treatments=source.treatments,
            monotone=source.monotone,
            target=source.target,
            task=source.task,
            plan=settings.plan,
            advised=settings.advised,
            test_path=source.test_path,
            table=table,
        )

    def with_changes(self, **values: Any) -> Self:
        """Return a copy with other choices; the table has to be imported again.

        The split and the preview do not affect the imported table.
        """
        if set(values) - NON_TABLE_FIELDS - {"preview", "table"}:
            values.setdefault("table", None)
        return super().with_changes(**values)

    @property
    def resolved_target(self) -> str | None:
        """The column to predict: the user's choice, else the guess; ``None`` before a preview."""
        if self.target is not None or self.preview is None:
            return self.target
        return self.preview.target.name

    @property
    def resolved_task(self) -> Task | None:
        """The task: the user's choice, else the guess; ``None`` before a preview."""
        if self.task != "auto":
            return self.task
        return None if self.preview is None else self.preview.task.task

    @property
    def assumed_task(self) -> Task:
        """The task for which methods and settings are shown: binary before a preview."""
        return self.resolved_task or "binary"

    def get_default_metric(self, task: Task, *, advised: bool) -> str:
        """Return the default metric's key (:mod:`studio.data.balance`)."""
        proposed = None if self.preview is None or task != "binary" else self.preview.metric
        return LogLoss.key if advised and proposed == LogLoss.key else get_default(task).key

    def explain_unsuitable_metric(self, metric: str | None) -> str:
        """Return why a metric, by its key, does not suit the target; empty if it does."""
        reason = "" if self.preview is None or metric is None else self.preview.unfit.get(metric)
        return reason or ""

    @property
    def split_constraint(self) -> str:
        """The constraint on the split: "group", "time", or "" for neither."""
        columns = self.preview.columns if self.preview else ()
        return next((each.role for each in columns if each.role in {"group", "time"}), "")

    @property
    def test_file(self) -> str:
        """Name of the file with the test rows; empty if they are split off the table."""
        return PurePath(self.test_path).name

    @property
    def n_rows(self) -> int:
        """Number of rows in the file; 0 before a preview."""
        return self.preview.n_rows if self.preview else 0

    @property
    def n_split_rows(self) -> int:
        """Number of rows with a known target, which are split; 0 before a preview."""
        if not self.preview:
            return 0
        columns = self.preview.columns
        empty_counts = [each.missing for each in columns if each.name == self.resolved_target]
        return self.n_rows - int(sum(empty_counts))

    @property
    def readings(self) -> Mapping[str, ColumnReading]:
        """The user's formats for columns, by name."""
        # Invalid options in a foreign document are reported by the helper, which uses them.
        with contextlib.suppress(UsageError):
            return ReadOptions.from_json(self.options).readings
        return {}

    @property
    def constraints(self) -> dict[str, Direction]:
        """Directions of monotonic constraints, by column."""
        columns = () if self.preview is None else self.preview.columns
        unsuitable = {
            each.name
            for each in columns
            if each.role != "feature" or each.kind not in {"number", "date"}
        }
        return {name: each for name, each in self.monotone.items() if name not in unsuitable}

    def make_source(self) -> TableSource:
        """Return the source of a run's table; requires a target and a task."""
        kept_roles: dict[str, Role] = {
            name: "feature" for kind, name in self.kept if kind in _ANSWERED_BY_USE
        }
        # Recorded, as the result otherwise advises to learn from the words.
        kept_kinds: dict[str, ColumnKind] = {
            name: "category" for kind, name in self.kept if kind == "free-text"
        }
        return TableSource(
            path=self.path,
            test_path=self.test_path,
            target=self.resolved_target,
            task=self.assumed_task,
            reading=self.options,
            roles={**kept_roles, **self.roles},
            kinds={**kept_kinds, **self.kinds},
            treatments=self.treatments,
            monotone=self.constraints,
        )

    def request(self) -> dict[str, Any]:
        """Return the table's ``TableSpec`` for helper tasks."""
        return {
            "path": self.path,
            "options": dict(self.options),
            "kinds": dict(self.kinds),
            "roles": dict(self.roles),
            "treatments": dict(self.treatments),
            "monotone": self.constraints,
            "target": self.target,
            "task": self.task,
            "document": None,
            "stored": None,
        }
