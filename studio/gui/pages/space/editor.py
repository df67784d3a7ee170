"""The editor: the session's space as rows, the selected row and example, edits.

Widgets display the editor's state and call its methods; they are independent of each other.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from studio.document.atomic_files import write_file
from studio.errors import SpaceError, StudioError
from studio.gui.base.error_reporting import reporting_errors
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.searched_space import SearchedSpace, find_searched_space
from studio.gui.pages.space import branches, edits, moves
from studio.gui.pages.space.edits import SpaceEdit
from studio.gui.pages.space.inputs import FieldDrafts
from studio.gui.pages.space.outline import Outline, OutlineRow, RowKey, make_outline
from studio.gui.pages.space.space_summary import SpaceSummary, compute_meaning
from studio.gui.session.session import Session
from studio.language import N_, tr, translate
from studio.space.base import Parameter, SpaceProblem
from studio.space.library import read
from studio.space.space import Space
from studio.trial import Configuration

EMPTY_SPACE = Space("own-space", (), title=N_("My space"))
"""The initial space of "Empty space"."""

_COMPUTE_DELAY_MS = 60


class SpaceEditor(QObject):
    """State and edits of the Space page.

    Signals:
        changed: The space has changed; :attr:`outline` has been rebuilt.
        current_row_changed: Another row is selected (:attr:`current_row`).
        meaning_changed: :attr:`meaning`, its examples or the selected example has changed.
        rejected: Why an edit or a file was rejected, wholly or in part; "" on success.
        drafts_changed: The invalid input of this row (:attr:`drafts`) has changed.
        name_requested: The selected row was just added and should be named.
        example_chosen: Showing an example's part of the tree was requested.
    """

    changed = Signal()
    current_row_changed = Signal()
    meaning_changed = Signal()
    rejected = Signal(str)
    drafts_changed = Signal(object)
    name_requested = Signal()
    example_chosen = Signal()

    def __init__(self, session: Session, data: DataModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session, self.data = session, data
        self.outline: Outline = make_outline(EMPTY_SPACE)
        self.meaning: SpaceSummary | None = None
        self.library_problems: tuple[SpaceProblem, ...] = ()
        """Incompatibilities of the space with libraries, found by the helper."""
        self.drafts = FieldDrafts(self._on_draft_change)
        self._key: RowKey | None = None
        self._selected_keys: tuple[RowKey, ...] = ()
        self._unnamed: tuple[Space, RowKey] | None = None
        """The space after the addition of a row that has its initial name, and the row."""
        self.example_number: int | None = 0
        """The index of :attr:`example`."""
        self._seed = 1
        self._searched: tuple[object, SearchedSpace] | None = None
        self._timer = QTimer(self, interval=_COMPUTE_DELAY_MS, singleShot=True)
        self._timer.timeout.connect(self._compute_meaning)
        session.space.changed.connect(self._update_outline)
        data.changed.connect(self._timer.start)
        session.document_changed.connect(self._reset)
        self._update_outline()

    # ---- state

    @property
    def space(self) -> Space | None:
        """The space; ``None`` until one is chosen."""
        return self.session.space.value

    @property
    def searched(self) -> SearchedSpace:
        """The part of the space that a run on the current table would search."""
        key = self.space or EMPTY_SPACE, self.data.draft.constraints, self.task
        if self._searched is None or self._searched[0] != key:
            self._searched = key, find_searched_space(key[0], self.data.draft)
        return self._searched[1]

    @property
    def excluded(self) -> frozenset[int]:
        """The rows of values that are not searched, with all rows under them."""
        searched = self.searched
        if not searched.excluded:
            return frozenset()
        rows = [
            row
            for row in self.outline.rows
            if row.rule is not None
            and row.rule.values
            and all(searched.is_excluded(row.parameter.name, each) for each in row.rule.values)
        ]
        return frozenset(row.number for row in self.outline.get_subtrees(rows))

    @property
    def task(self) -> str | None:
        """The task of the table's target; ``None`` if unknown."""
        return self.data.draft.resolved_task

    @property
    def current_row(self) -> OutlineRow | None:
        """The current row."""
        return self.outline.find(self._key)

    def select_row(self, key: RowKey | None, selected_keys: tuple[RowKey, ...] = ()) -> None:
        """Select a row; ``selected_keys``: all selected rows, if there are several."""
        if (key, selected_keys) != (self._key, self._selected_keys):
            self._key, self._selected_keys = key, selected_keys
            self.current_row_changed.emit()

    @property
    def selected_rows(self) -> list[OutlineRow]:
        """The selected rows, including the current one."""
        rows = [row for key in self._selected_keys if (row := self.outline.find(key)) is not None]
        current = self.current_row
        if current is None or any(row.number == current.number for row in rows):
            return rows
        return [current]

    @property
    def example(self) -> Configuration | None:
        """The example whose active part is highlighted in the tree."""
        if self.meaning is None or self.example_number is None:
            return None
        return next(iter(self.meaning.examples[self.example_number :]), None)

    @property
    def highlighted(self) -> frozenset[int]:
        """The rows that the example activates."""
        return self.outline.get_active_rows(self.example or {})

    def choose_example(self, number: int | None) -> None:
        """Highlight another example, or none."""
        self.example_number = number
        self.meaning_changed.emit()
        if number is not None:
            self.example_chosen.emit()

    def resample(self) -> None:
        """Draw new examples."""
        self._seed += 1
        self._compute_meaning()

    # ---- edits

    def apply_edit(
        self,
        edit: Callable[[Space], SpaceEdit],
        *,
        requests_name: bool = False,
        names_row: bool = False,
    ) -> bool:
        """Apply an edit, or show why it is rejected; return whether it was made.

        Args:
            requests_name: Whether the user should name the added row.
            names_row: Whether the edit names the selected row; an undo reverts the first name
                together with the addition.
        """
        if self.space is None:
            return False
        try:
            space, edit_name, key, remark = edit(self.space)
        except SpaceError as error:
            self.rejected.emit(translate(str(error)))
            return False
        self.rejected.emit(remark)
        if space == self.space:
            return True
        if self._key is not None and key is not None and self._key.name not in space:
            self.drafts.rename(self._key, key)
        previous_key = self._key
        self._key = key if key is not None else self._find_next_row(space)
        is_first_name = names_row and self._unnamed == (self.space, previous_key)
        if is_first_name and key is not None:
            edit_name = edits.describe_addition(key)
        self.session.space.replace(space, edit_name, continues_last=is_first_name)
        self._unnamed = None
        if requests_name and key is not None:
            self._unnamed = space, key
            self.name_requested.emit()
        return True

    def add(self, kind: str) -> None:
        """Add a hyperparameter at the selected row."""
        self.apply_edit(lambda space: edits.add(space, kind, self.current_row), requests_name=True)

    def add_value(self) -> None:
        """Add a value to the selected row's choice."""
        row = self.current_row
        if row is not None:
            self.apply_edit(lambda space: edits.add_value(space, row), requests_name=True)

    def add_learner(self, key: str) -> None:
        """Add a learner by its key, with its settings."""
        for branch in branches.list_branches():
            if branch.learner == key:
                self.apply_edit(partial(branches.add_learner, branch=branch))

    def add_setting(self, learner: str, parameters: Sequence[Parameter]) -> bool:
        """Add a learner's setting after its dependencies; return whether it was added."""
        return self.apply_edit(lambda space: branches.add_setting(space, learner, parameters))

    def show_library_problems(self, problems: tuple[SpaceProblem, ...]) -> None:
        """Show incompatibilities of the current space with libraries."""
        if problems != self.library_problems:
            self.library_problems = problems
            self.changed.emit()
            self.current_row_changed.emit()
            self._compute_meaning()

    def remove(self) -> None:
        """Remove the selected rows with their subtrees."""
        self._edit_selected(moves.remove_rows)

    def duplicate(self) -> None:
        """Copy the selected hyperparameters with their subtrees."""
        self._edit_selected(moves.duplicate_rows)

    def get_copied_text(self) -> str:
        """Return the selected rows with their subtrees as text; empty if none."""
        return moves.format_rows(self.outline, self.selected_rows)

    def paste(self, text: str, target_row: OutlineRow | None = None) -> bool:
        """Paste branches from a text at the selected row or at another one."""
        target = self.current_row if target_row is None else target_row
        return self.apply_edit(lambda space: moves.paste(space, text, target))

    def step(self, direction: int) -> None:
        """Move the selected row up (-1) or down (+1)."""
        self._edit_current(lambda space, row: moves.step(space, self.outline, row, direction))

    def nest(self, parent: OutlineRow) -> None:
        """Make the selected hyperparameter conditional on a value."""
        self._edit_current(lambda space, row: moves.nest(space, row, parent))

    def unnest(self) -> None:
        """Move the selected hyperparameter one level up."""
        self._edit_current(moves.unnest)

    def _edit_current(self, edit: Callable[[Space, OutlineRow], SpaceEdit]) -> None:
        row = self.current_row
        if row is not None:
            self.apply_edit(lambda space: edit(space, row))

    def _edit_selected(self, edit: Callable[[Space, Outline, list[OutlineRow]], SpaceEdit]) -> None:
        rows = self.selected_rows
        if rows:
            self.apply_edit(lambda space: edit(space, self.outline, rows))

    def replace_space(self, space: Space) -> None:
        """Replace the space."""
        self.rejected.emit("")
        self.select_row(None)  # unfinished input belongs to the previous space
        self.example_number = 0
        self.drafts.clear()
        self.session.space.replace(
            space, tr("start from “{name}”", name=translate(space.title) or space.name)
        )

    # ---- files

    def load(self, path: Path) -> None:
        """Load the space of a JSON file, valid or not."""
        try:
            space = read(path)
        except StudioError as error:
            reason = translate(str(error))
            message = tr("{file} was not loaded. {reason}", file=path.name, reason=reason)
            self.rejected.emit(message)
        else:
            self.replace_space(space)

    def save(self, path: Path) -> None:
        """Write the space as a JSON file, atomically."""
        if self.space is None:
            return
        with reporting_errors(self.rejected.emit):
            write_file(path, self.space.to_text())
            message = tr("The space was saved as {file}.", file=path.name)
            if obstacle := self.session.space.explain_unusable(self.task):
                message += " " + tr("No run can search it yet: {reason}", reason=obstacle)
            self.rejected.emit(message)

    # ---- session

    def _reset(self) -> None:
        self._key, self._selected_keys, self.example_number = None, (), 0
        self.drafts.clear()
        self._update_outline()

    def _update_outline(self) -> None:
        previous_row, previous_outline = self.current_row, self.outline
        self.outline = make_outline(self.space or EMPTY_SPACE)
        # Until the next library checks, those of unchanged parameters remain valid.
        unchanged = {each.parameter for each in previous_outline.rows} & {
            e.parameter for e in self.outline.rows
        }
        names = {each.name for each in unchanged}
        self.library_problems = tuple(
            each for each in self.library_problems if each.parameter in names
        )
        if previous_row is not None and self.current_row is None:
            # The value may have been removed, but not its hyperparameter.
            key = previous_row.key._replace(rule=None)
            self._key = key if self.outline.find(key) is not None else None
        self.changed.emit()
        self.current_row_changed.emit()
        if self.space is None:
            self.meaning = None
            self.meaning_changed.emit()
        else:
            self._timer.start()

    def _find_next_row(self, space: Space) -> RowKey | None:
        """Return the row to select after a removal: the next sibling or the parent."""
        row = self.current_row
        if row is None:
            return None
        neighbours = [moves.find_neighbour(self.outline, row, direction) for direction in (1, -1)]
        neighbours = [each for each in neighbours if each is not None and each.key.name in space]
        next_row = neighbours[0] if neighbours else self.outline.get_parent(row)
        return None if next_row is None else next_row.key

    def _compute_meaning(self) -> None:
        self._timer.stop()
        if self.space is None:
            return
        self.meaning = compute_meaning(
            self.space, self.task, self._seed, self.library_problems, self.searched.space
        )
        self._report_obstacle()
        self.meaning_changed.emit()

    def _on_draft_change(self, key: RowKey) -> None:
        self.drafts_changed.emit(key)
        self._report_obstacle()

    def _report_obstacle(self) -> None:
        """Report to the session the first problem that prevents a run."""
        draft, meaning = self.drafts.get_first(), self.meaning
        if draft is not None:
            key, field, text = draft
            message = tr(
                "{name}, {field}: “{text}” cannot be used. Correct it, or press Escape "
                "in the field.",
                name=key.name,
                field=tr(edits.FIELD_NAMES[field.partition(" ")[0]]),
                text=text,
            )
        elif meaning is not None and meaning.errors:
            first = meaning.errors[0]
            message = f"{first.parameter}: {translate(first.message)}".removeprefix(": ")
        else:
            message = ""
        self.session.space.set_blocking_problem(message)

    def flush(self) -> None:
        """Run pending computations now."""
        if self._timer.isActive():
            self._compute_meaning()
