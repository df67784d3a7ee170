"""Model of the Data page: holds the draft, requests previews, stores both."""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from studio.analysis.answers.column_facts import ColumnFacts
from studio.data.column import Direction
from studio.data.read_cost import estimate_read_time
from studio.data.read_options import ColumnReading
from studio.data.row_facts import METADATA_ROLES
from studio.data.samples import list_samples
from studio.gui.base import known_tables
from studio.gui.base.helper_client import HelperClient, HelperRequest
from studio.gui.drafts.data_draft import DATA_NOTE, NON_TABLE_FIELDS, DataDraft
from studio.gui.drafts.draft import DraftModel
from studio.gui.session.session import Session
from studio.helper.answers import Encoded, decode
from studio.helper.preview import Preview, PreviewColumn, preview
from studio.helper.tables import FileFit, check_second_file, compute_column_facts
from studio.language import ntr, tr, translate
from studio.printable import sanitise_line
from studio.proposers.presets import get_default
from studio.system.files import get_file_signature

QUICK_PREVIEW_MIN_BYTES = 4_000_000
"""File size in bytes from which the first rows are previewed before the rest."""


class DataModel(DraftModel[DataDraft]):
    """The data of the next run."""

    state_changed = Signal()
    """:attr:`busy`, :attr:`error` or :attr:`test_note` has changed."""

    def __init__(
        self, session: Session, helper: HelperClient, parent: QObject | None = None
    ) -> None:
        super().__init__(session, DataDraft(), DATA_NOTE, parent)
        self._helper = helper
        self._ticket: HelperRequest | None = None
        self.busy = ""
        self.error = ""
        self.test_note = ""
        self._checked_test_key: tuple[object, ...] = ()
        self._is_changed_unread = False
        self._preview_json: tuple[Preview | None, Any] = (None, None)

    @property
    def has_file(self) -> bool:
        """Whether a file is chosen."""
        return bool(self.draft.path)

    @property
    def can_read(self) -> bool:
        """Whether the user has opened or approved the draft's files; samples need none."""
        approved = self._session.approved_files
        files = {*_get_file_names(self.draft)} - {"", *approved}
        unknown = {each for each in files if not known_tables.was_opened(each)}
        return not unknown or unknown <= {str(each.path) for each in list_samples()}

    @property
    def in_document(self) -> bool:
        """Whether the document holds the rows, so that a run needs no file."""
        return self.draft.table is not None and not self.draft.test_path

    @property
    def unread_file_message(self) -> str:
        """A message about a file named in the document but not read; empty for none."""
        needs_preview = self._is_changed_unread or self.draft.preview is None
        needs_file = needs_preview or not self.in_document
        if not self.has_file or self.can_read or not needs_file:
            return ""
        return tr(
            "This document refers to the table {files}. The document may come from someone else, "
            "so its files are opened only on request.",
            files=", ".join(sanitise_line(each) for each in _get_file_names(self.draft) if each),
        )

    @property
    def is_ready(self) -> bool:
        """Whether a run could start: the file is read, its target and task are known."""
        return self.draft.resolved_task is not None and not self.error

    def open_file(self, path: Path, target: str | None = None, title: str = "") -> None:
        """Choose another file and reset all guesses."""
        self.approve_files(path)
        self.set_draft(DataDraft.for_file(path, target, title))
        self._read_file()

    def read(self) -> None:
        """Read the files named in the document, at the user's request."""
        self.approve_files(*_get_file_names(self.draft))
        self._read_file()

    def approve_files(self, *files: Path | str) -> None:
        """Record files as opened or approved by the user, which permits reading them."""
        paths = [str(each) for each in files if str(each)]
        self._session.approved_files.update(paths)
        known_tables.record_opened(paths)

    def reload_if_changed(self) -> bool:
        """Reload the file if it has changed on disk; return whether it has."""
        preview = self.draft.preview
        if self.draft.table is not None or preview is None or not preview.written:
            return False
        current_stamp = get_file_signature(Path(self.draft.path))
        if not current_stamp or current_stamp == preview.written:
            return False
        self._read_file()
        return True

    def change(self, **values: Any) -> None:
        """Change choices of the draft, and request a preview if it depends on them."""
        previous = self.draft
        if "plan" in values:
            values.setdefault("advised", False)  # the user's own split replaces the advice
        super().change(**values)
        if self.draft == previous:
            return
        if not set(values) - NON_TABLE_FIELDS:
            self._check_test_file()
        elif self.can_read:
            self._request_preview(quick=False)
        else:
            self._mark_unread()

    def set_role(self, column: str, role: str) -> None:
        """Set the role of a column (:data:`studio.data.column.ROLES`)."""
        self.set_roles([column], role)

    def set_roles(self, columns: Sequence[str], role: str) -> None:
        """Set the roles of columns; the target keeps its role.

        Only one column can be the target, group, time or weight: the first of ``columns`` gets the
        role, and the column that had it is ignored (a former target becomes a feature again).
        """
        if not columns:
            return
        roles = dict(self.draft.roles)
        if role == "target":
            roles.pop(columns[0], None)
            # The effects on the previous target do not apply to this one.
            self.change(target=columns[0], roles=roles, task="auto", kept=(), monotone={})
            return
        selected = [name for name in columns if name != self.draft.resolved_target]
        if not selected:
            self.state_changed.emit()
            return
        if role in METADATA_ROLES:
            selected = selected[:1]
            roles = {name: "ignore" if each == role else each for name, each in roles.items()}
        self.change(roles={**roles, **dict.fromkeys(selected, role)})

    def set_row_role(self, role: str, column: str | None) -> None:
        """Set the group, time or weight column, replacing the previous one; ``None`` for none."""
        if column is not None:
            self.set_roles([column], role)
            return
        self.change(roles={name: each for name, each in self.draft.roles.items() if each != role})

    def set_kind(self, column: str, kind: str) -> None:
        """Set a column's kind: numbers ("number") or words ("category")."""
        self.set_kinds([column], kind)

    def set_kinds(self, columns: Sequence[str], kind: str) -> None:
        """Set columns' kinds: numbers ("number") or words ("category")."""
        # Decisions about odd numbers do not apply to words.
        treatments = {k: each for k, each in self.draft.treatments.items() if k not in {*columns}}
        kinds = {**self.draft.kinds, **dict.fromkeys(columns, kind)}
        self.change(kinds=kinds, treatments=treatments)

    def set_effect(self, column: str, direction: Direction | None) -> None:
        """Set the direction of a column's effect; ``None`` for no constraint."""
        effects = {name: each for name, each in self.draft.monotone.items() if name != column}
        if direction is not None:
            effects[column] = direction
        self.change(monotone=effects)

    def set_reading(self, column: str, reading: ColumnReading) -> None:
        """Set a column's format; an empty format means that it is inferred from the cells."""
        readings = {**self.draft.readings, column: reading}
        texts = {name: text for name, each in readings.items() if (text := each.to_text())}
        kinds = dict(self.draft.kinds)
        if reading.order is not None and kinds.get(column) != "date":
            kinds.pop(column, None)  # a date order implies a column of dates
        options = {key: each for key, each in self.draft.options.items() if key != "columns"}
        self.change(options={**options, **({"columns": texts} if texts else {})}, kinds=kinds)

    def request_facts(
        self,
        column: PreviewColumn,
        on_reply: Callable[[ColumnFacts], None],
        rejected: Callable[[str], None],
    ) -> None:
        """Request a column's details; a newer request replaces this one."""
        if not self.can_read:
            self._mark_unread()
            rejected(self.unread_file_message)
            return
        request = {
            "table": self.draft.request(),
            "name": column.name,
            "kind": column.kind,
            "target": self.draft.resolved_target,
            "is_classification": self.draft.resolved_task != "regression",
        }
        self._helper.request(
            compute_column_facts,
            request,
            lambda reply: on_reply(decode(ColumnFacts, *reply)),
            rejected,
            channel="column_facts",
        )

    def set_option(self, name: str, value: Any) -> None:
        """Set a reading option of the file; ``None`` restores the guess."""
        # The header row and its presence are a single choice.
        replaced = {"header", "header_row"} if name in {"header", "header_row"} else {name}
        options = {key: each for key, each in self.draft.options.items() if key not in replaced}
        if value is not None:
            options[name] = value
        self.change(options=options)

    def request(self) -> dict[str, Any]:
        """Return the table for helper tasks, from the document once it is imported."""
        draft = self.draft
        if draft.table is None:
            return draft.request()
        return {**draft.request(), "document": str(self._session.path), "stored": draft.table}

    def mark_imported(self, table: int) -> None:
        """Record that the document holds the table of the current draft."""
        self.set_draft(self.draft.with_changes(table=table))

    def stop(self) -> None:
        """Cancel reading; the previous preview stays."""
        if self._ticket is not None:
            self._ticket.cancel()
        self._set_state(busy="", error=tr("Reading was stopped. Open the file again."))

    def _make_initial_draft(self) -> DataDraft:
        """Return the data source of the newest run, in a document made on the command line."""
        runs = self._session.runs.views if self._session.is_open else []
        if not runs:
            return DataDraft()
        view = self._session.runs.find_template() or runs[-1]
        return DataDraft.from_run(view.settings, view.row.table_id)

    def _load(self) -> None:
        if self._ticket is not None:
            self._ticket.cancel()
        self._checked_test_key, self.test_note = (), ""
        self.busy = self.error = ""
        self._is_changed_unread = False
        super()._load()
        self.state_changed.emit()
        if not self.has_file or not self.can_read:
            return
        # This includes documents closed before the file was read. A missing file is
        # reported now, not when a run starts, unless the document holds the table.
        file_exists = Path(self.draft.path).is_file()
        if self.draft.preview is None if file_exists else self.draft.table is None:
            self._read_file()

    def _mark_unread(self) -> None:
        """Mark the preview as outdated by changed choices, without reading the file."""
        self._is_changed_unread = True
        self.state_changed.emit()

    def _to_json(self, draft: DataDraft) -> dict[str, Any]:
        """Return a draft as plain JSON; a preview of thousands of columns is converted once."""
        cached_preview, cached_json = self._preview_json
        if draft.preview is None or draft.preview is not cached_preview:
            content = draft.to_json()
            self._preview_json = (draft.preview, content["preview"])
            return content
        return {**dataclasses.replace(draft, preview=None).to_json(), "preview": cached_json}

    def _read_file(self) -> None:
        """Read the file; for a large one, the first rows before the rest."""
        self._request_preview(quick=_get_file_size(Path(self.draft.path)) > QUICK_PREVIEW_MIN_BYTES)

    def _request_preview(self, *, quick: bool) -> None:
        name = Path(self.draft.path).name
        text = tr("Reading {name} (first rows)…") if quick else tr("Reading {name}…")
        wait_text = estimate_read_time(Path(self.draft.path))
        self._set_state(busy=f"{text.format(name=name)} {translate(wait_text)}".strip(), error="")
        request = {"table": self.draft.request(), "quick": quick}
        self._ticket = self._helper.request(
            preview, request, self._on_preview, self._on_error, channel="preview"
        )

    def _on_preview(self, reply: Encoded) -> None:
        preview = decode(Preview, *reply)
        if not reply[1]:  # a request without arrays is plain JSON
            self._preview_json = (preview, reply[0])
        self.set_draft(self.draft.with_changes(preview=preview))
        if preview.complete:
            self._set_state(busy="", error="")
            self._check_test_file()
        else:
            self._request_preview(quick=False)
            self._set_state(busy=tr("Showing the first rows; reading the whole file…"), error="")
        self._offer_default_space()

    def _check_test_file(self) -> None:
        """Check whether the second file fits the table, once per table and file."""
        draft = self.draft
        request = {"table": self.request(), "test_path": draft.test_path}
        request_key = tuple(map(repr, request.values())) if draft.test_path else ()
        if request_key == self._checked_test_key or not self.can_read:
            return
        self._checked_test_key, self.test_note = request_key, ""
        if request_key:
            self.test_note = tr("Checking whether it fits the table…")
            self._helper.request(
                check_second_file,
                request,
                self._on_test_file,
                self._on_test_file_error,
                "second_file",
            )
        self.state_changed.emit()

    def _on_test_file(self, reply: Encoded) -> None:
        file_fit = decode(FileFit, *reply)
        rows = ntr("{count} row can be used.", "{count} rows can be used.", file_fit.rows)
        self.test_note = " ".join([rows, *map(translate, file_fit.notes)])
        self.state_changed.emit()

    def _on_test_file_error(self, message: str) -> None:
        self.test_note = translate(message)
        self.state_changed.emit()

    def _on_error(self, message: str) -> None:
        self._set_state(busy="", error=translate(message))

    def _set_state(self, *, busy: str, error: str) -> None:
        self.busy, self.error = busy, error
        self.state_changed.emit()

    def _offer_default_space(self) -> None:
        """Select the default method's space if the current one is for another task."""
        from studio.proposers.spaces import get_space

        task = self.draft.resolved_task
        if task is None or not self._session.is_open:
            return
        space = self._session.space.value
        if space is None or (space.tasks and task not in space.tasks):
            default = get_space(get_default(task), task)
            self._session.space.replace(default, tr("use the space of the task"))


def _get_file_names(draft: DataDraft) -> tuple[str, str]:
    """Return the names of the draft's table and test table, if any."""
    return draft.path, draft.test_path


def _get_file_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # the helper reports the error
