"""The learning problem of a run: a matrix, a target, and their meaning."""

import dataclasses
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.data.column import Column, Direction, Role
from studio.data.duplicates import Duplicates, find_duplicates
from studio.data.findings import explain_ignored_columns
from studio.data.labels import to_whole_numbers
from studio.data.monotone import drop_violating_parts, get_constraint_signs
from studio.data.recipe import ColumnRecipe, Recipe, TargetRecipe
from studio.data.row_facts import get_group_codes, get_times, get_weights
from studio.data.table import Table
from studio.data.tasks import TASKS, Task, guess_task
from studio.errors import DataError
from studio.phrases import count_phrase, join_phrases, join_quoted, phrase
from studio.system.memory import release_freed

_BLOCK_ROWS = 8192  # rows of the matrix built at a time


@dataclass(frozen=True)
class Problem:
    """A supervised learning problem.

    Attributes:
        X: Shape (n, d), float64. Numbers unchanged, categories as their codes 0, 1, …; NaN where
            missing.
        y: Shape (n,). Class codes 0..C-1 (int64), or values (float64).
        classes: By code: whole numbers if all of them are, else text; empty for regression.
        feature_names: Length d.
        categorical: Shape (d,). Which columns hold category codes.
        categories: Length d. The labels of a categorical column by code; ``None`` for numbers.
        rows: Shape (n,), int64. Each row's number in the table (from 0).
        weights: Shape (n,). At least 0, finite, not all 0; ``None``: equal.
        groups: Shape (n,), int64. Group codes; a split keeps groups whole.
        times: Shape (n,). For splits in order of time: in any unit, or seconds since 1970; NaN only
            in rows added to those of the table.
        monotone: Shape (d,). Direction of effect of each column
            (:func:`studio.data.monotone.get_constraint_signs`).
    """

    X: Floats
    y: AnyArray
    task: Task
    classes: tuple[str | int, ...]
    target_name: str
    feature_names: tuple[str, ...]
    categorical: Flags
    categories: tuple[tuple[str, ...] | None, ...]
    rows: Integers
    notes: tuple[str, ...]
    _recipe: Recipe
    weights: Floats | None = None
    groups: Integers | None = None
    times: Floats | None = None
    monotone: Integers | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes C; 0 for regression."""
        return len(self.classes)

    @cached_property
    def duplicates(self) -> Duplicates:
        """Groups of rows equal in all features, and whether they are copies."""
        return find_duplicates([*self.X.T], self.y)

    def make_recipe(self) -> Recipe:
        """Return the recipe that converts another raw table to a matrix like X."""
        return self._recipe

    def with_rows(
        self,
        X: Floats,
        y: AnyArray,
        weights: Floats | None = None,
        groups: Integers | None = None,
        times: Floats | None = None,
    ) -> "Problem":
        """Return the problem with the rows of a second file appended.

        They belong to no row of the table (``rows`` is -1). If the problem has weights, groups or
        times but these rows do not, they have weight 1, separate groups and no time; if it has
        none, those of these rows are ignored.

        Args:
            X: Shape (m, d). As encoded by :meth:`make_recipe`.
            y: Shape (m,). Their targets, of the same type as the problem's own.
            weights, groups, times: Shape (m,). As read by :mod:`studio.data.second_file`.
        """
        count = len(y)
        weights = np.ones(count) if weights is None else weights
        times = np.full(count, np.nan) if times is None else times
        if groups is None and self.groups is not None:
            groups = int(self.groups.max()) + 1 + np.arange(count, dtype=np.int64)
        return dataclasses.replace(
            self,
            X=np.vstack([self.X, X]),
            y=np.concatenate([self.y, y]),
            rows=np.concatenate([self.rows, np.full(count, -1, dtype=np.int64)]),
            weights=None if self.weights is None else np.concatenate([self.weights, weights]),
            groups=None if self.groups is None else np.concatenate([self.groups, groups]),
            times=None if self.times is None else np.concatenate([self.times, times]),
        )

    @classmethod
    def from_table(
        cls,
        table: Table,
        task: Task | str = "auto",
        monotone: Mapping[str, Direction] | None = None,
    ) -> "Problem":
        """Build the problem of predicting a table's target from its features.

        Args:
            table: One of its columns has the role "target", at least one the role "feature".
            task: "auto" uses :func:`studio.data.tasks.guess_task`.
            monotone: Direction of effect by a column's name in the table.

        Raises:
            DataError: If there is no target, no feature, no row with a target, the target does not
                fit the task, a column is unsuitable for its role (group, time, weight), or a
                constraint cannot be applied. UsageError: If there are constraints and more than two
                classes.
        """
        if task != "auto" and task not in TASKS:
            raise DataError(
                "The task must be one of auto, {known}; {task!r} was given.",
                known=", ".join(TASKS),
                task=task,
            )
        target = table.target
        if target is None:
            raise DataError("No column to predict is selected. Give one the role “target”.")
        monotone = monotone or {}
        table = drop_violating_parts(table, monotone)
        features = table.features
        if not features:
            raise DataError(
                "No column is left to predict {target!r} from. {why}",
                target=target.name,
                why=_explain_missing_features(table),
            )
        if target.missing == table.n_rows:
            raise DataError(
                "Every cell of {target!r} is missing, so it cannot be predicted. Choose "
                "another column.",
                target=target.name,
            )
        chosen_task = (
            next((each for each in TASKS if each == task), None) or guess_task(target).task
        )
        _check_decimal_mark(table, target, chosen_task)
        times = _get_row_times(table)
        has_time = np.ones(table.n_rows, dtype=np.bool_) if times is None else ~np.isnan(times)
        target = _keep_targets(target, has_time)
        y: AnyArray
        classes: tuple[str | int, ...] = ()
        if chosen_task == "regression":
            y, has_target = _get_target_values(target)
            _check_values(y, target.name)
            notes = _collect_notes(table, target, has_target, has_time)
        else:
            y, has_target, classes = _encode_classes(target, chosen_task)
            notes = _collect_notes(table, target, has_target, has_time) + _describe_rare_classes(
                y, classes, target.name
            )
        rows = np.flatnonzero(has_target)
        weight, group = table.get_single_column("weight"), table.get_single_column("group")
        recipe = Recipe(
            tuple(ColumnRecipe.from_column(column) for column in features),
            TargetRecipe(
                target.name,
                target.aliases,
                number_format=target.number_format,
                limits=target.limits,
                merged=target.merged if classes else (),
                missing_words=target.missing_words,
                task=chosen_task,
                classes=classes,
            ),
        )
        return cls(
            X=_build_matrix(features, rows),
            y=y,
            task=chosen_task,
            classes=classes,
            target_name=target.name,
            feature_names=tuple(column.name for column in features),
            categorical=np.array([column.kind == "category" for column in features]),
            categories=tuple(
                column.categories if column.kind == "category" else None for column in features
            ),
            rows=rows,
            notes=tuple(notes),
            _recipe=recipe,
            weights=None if weight is None else get_weights(weight, rows),
            groups=None if group is None else get_group_codes(group, rows),
            times=None if times is None else times[rows],
            monotone=get_constraint_signs(features, monotone, chosen_task, y),
        )


def _explain_missing_features(table: Table) -> str:
    """Return why each column is ignored, and how to use the first of them."""
    ignored = next((each.name for each in table.columns if each.role == "ignore"), None)
    if ignored is None:
        return phrase("The table needs at least one more column.")
    use = phrase(
        "To use it, give it the role “feature” on the Data page, or with --role {option} on the "
        "command line.",
        option=shlex.quote(f"{ignored}=feature"),
    )
    return join_phrases((*explain_ignored_columns(table.columns, table.findings), use))


def _get_row_times(table: Table) -> Floats | None:
    """Return the time of each row, (n,), NaN where unknown; ``None`` without the role."""
    time, group = table.get_single_column("time"), table.get_single_column("group")
    if time is None:
        return None
    if group is not None:
        raise DataError(
            "Rows can be kept in whole groups ({group!r}) or in time order ({time!r}), not both. "
            "Remove the role from one of the two columns.",
            group=group.name,
            time=time.name,
        )
    return get_times(time)


def _keep_targets(target: Column, flags: Flags) -> Column:
    """Return the target with all rows missing except some, (n,), so that they are dropped."""
    if flags.all():
        return target
    values = target.values.copy()
    values[~flags] = np.nan if target.kind == "number" else -1
    reduced = dataclasses.replace(target, values=values)
    if reduced.missing == len(flags):
        raise DataError(
            "No row has both a value of {target!r} and a time. Check both.", target=target.name
        )
    return reduced


def _build_matrix(features: tuple[Column, ...], rows: Integers) -> Floats:
    release_freed()  # free the text cells, which may take as much memory
    X = np.empty((len(rows), len(features)))
    # In blocks of rows, as a column's values are not contiguous in the matrix.
    for start in range(0, len(rows), _BLOCK_ROWS):
        block_rows: Integers | slice = rows[start : start + _BLOCK_ROWS]
        block = X[start : start + _BLOCK_ROWS]
        if rows[start] + len(block) == rows[start + len(block) - 1] + 1:  # the rows are contiguous
            block_rows = slice(int(rows[start]), int(rows[start]) + len(block))
        for j, column in enumerate(features):
            values = column.values[block_rows]
            if column.kind == "category" and (values < 0).any():
                values = np.where(values < 0, np.nan, values)
            block[:, j] = values
    return X


ONE_CLASS = phrase(
    "{target!r} is {label!r} in every row that has a value ({rows}): with one class there is "
    "nothing to learn. Choose another target, or add rows of other classes."
)


def _get_target_values(target: Column) -> tuple[Floats, Flags]:
    values = target.convert_to_kind("number").values
    has_value: Flags = ~np.isnan(values)
    if not has_value.any():
        examples = join_quoted(label[:40] for label in target.categories[:3])
        raise DataError(
            "{target!r} contains words ({shown}), not numbers, so regression is not possible. "
            "Choose classification or another column.",
            target=target.name,
            shown=examples,
        )
    return values[has_value].astype(np.float64), has_value


def _encode_classes(target: Column, task: Task) -> tuple[Integers, Flags, tuple[str | int, ...]]:
    """Return the kept rows' class codes, (m,), which rows are kept, (n,), and sorted classes."""
    column = target.convert_to_kind("category")
    has_class: Flags = column.values >= 0
    used_codes, codes = np.unique(column.values[has_class], return_inverse=True)
    labels = [column.categories[i] for i in used_codes]
    if len(labels) < 2:
        raise DataError(
            ONE_CLASS,
            target=target.name,
            label=labels[0],
            rows=count_phrase("1 row", "{count:,} rows", len(codes)),
        )
    if task == "binary" and len(labels) > 2:
        raise DataError(
            "{target!r} has {n_classes:,} classes; binary classification needs exactly two. "
            "Choose multi-class instead.",
            target=target.name,
            n_classes=len(labels),
        )
    return codes.astype(np.int64), has_class, tuple(to_whole_numbers(labels) or labels)


def _collect_notes(table: Table, target: Column, has_target: Flags, has_time: Flags) -> list[str]:
    n_untimed, n_rows = int((~has_time).sum()), int(has_target.sum())
    n_dropped = int((has_time & ~has_target).sum())
    untimed = count_phrase(
        "1 row without a time was left out.",
        "{count:,} rows without a time were left out.",
        n_untimed,
    )
    dropped_rows_text = count_phrase(
        "1 row without a value of {target!r} was left out.",
        "{count:,} rows without values of {target!r} were left out.",
        n_dropped,
        target=target.name,
    )
    wide_text = phrase(
        "There are more columns ({n_features:,}) than rows ({n_rows:,}); flexible methods will fit "
        "noise. Trust the test error only.",
        n_features=len(table.features),
        n_rows=n_rows,
    )
    return [
        *[note for count, note in ((n_untimed, untimed), (n_dropped, dropped_rows_text)) if count],
        *filter(None, map(_describe_role, table.columns)),
        *explain_ignored_columns(table.columns, table.findings),
        *[wide_text] * (len(table.features) > n_rows),
    ]


def _describe_role(column: Column) -> str:
    """Return a note on a role of the rows, shown at the start of a run; empty without one."""
    name = column.name
    notes: dict[Role, str] = {
        "group": phrase("Rows with the same {column!r} stay together in every split.", column=name),
        "time": phrase(
            "Rows are split in order of {column!r}; the latest are the test rows.", column=name
        ),
        "weight": phrase(
            "Rows are weighted by {column!r}, in training and in every loss.", column=name
        ),
    }
    return notes.get(column.role, "")


def _check_values(y: Floats, name: str) -> None:
    if np.all(y == y[0]):
        raise DataError(
            "{target!r} is {value:.15g} in every row that has a value ({rows}): there is nothing "
            "to predict. Choose another target, or add rows with other values.",
            target=name,
            value=y[0],
            rows=count_phrase("1 row", "{count:,} rows", len(y)),
        )


def _check_decimal_mark(table: Table, target: Column, task: Task) -> None:
    """Name the decimal mark as the cause if numbers read as words cannot be predicted."""
    marks = (each for each in table.findings if each.kind == "decimal-mark")
    reason = next((each.sentence for each in marks if target.name in each.columns), "")
    distinct = len(target.categories) == table.n_rows - target.missing
    if reason and (task == "regression" or distinct):
        raise DataError("{target!r} cannot be predicted. {why}", target=target.name, why=reason)


def _describe_rare_classes(y: Integers, classes: tuple[str | int, ...], name: str) -> list[str]:
    counts = np.bincount(y, minlength=len(classes))
    if counts.max() == 1:
        raise DataError(
            "All {n_y:,} values of {name!r} are distinct, so they are not classes. Choose "
            "regression if they are numbers, or another column.",
            n_y=len(y),
            name=name,
        )
    single = [str(classes[i]) for i in np.flatnonzero(counts == 1)]
    if not single:
        return []
    names = join_quoted(label[:40] for label in single[:3])
    return [
        count_phrase(
            "1 class has a single row ({listed}); it is used for training where possible, so it "
            "cannot be tested.",
            "{count:,} classes have a single row ({listed}); they are used for training where "
            "possible, so they cannot be tested.",
            len(single),
            listed=names,
        )
    ]
