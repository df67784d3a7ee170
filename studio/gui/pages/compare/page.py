"""The Compare page: the set-up form, or the progress of an existing study."""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from studio.compare.choices import ComputeResources
from studio.errors import StudioError
from studio.gui.base.command import Command
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.compare.model import StudyModel
from studio.gui.pages.compare.setup_model import SetupModel
from studio.gui.pages.compare.targets import ask_about_columns
from studio.gui.plots.base.helper_requests import Helper
from studio.gui.session.session import Session
from studio.language import tr, translate

if TYPE_CHECKING:
    from studio.gui.pages.compare.setup_form import SetupForm
    from studio.gui.pages.compare.study_view import StudyView


class ComparePage(QWidget):
    """Shows the set-up form, or the study of the document.

    Each is imported on demand, so that the page opens quickly.
    """

    run_requested = Signal(int)
    """Show the run of this id."""

    failed = Signal(str)

    step_keys = (Qt.Key.Key_Left, Qt.Key.Key_Right)

    def __init__(self, session: Session, data: DataModel, models: RunModel, helper: Helper) -> None:
        super().__init__()
        self.setProperty("role", "page")
        self._session = session
        self.model = StudyModel(session, helper, self)
        self.setup = SetupModel(session, data, models, helper, self)
        self._layers = QStackedLayout(self)
        self.model.failed.connect(self.failed)
        self.model.changed.connect(self._show)
        self._show()

    def step_by_key(self, key: int) -> None:
        """Show the next tab of a comparison on the right arrow, the previous one on the left."""
        if not self.is_showing_study:
            return
        tabs, step = self.study_view.tabs, 1 if key == Qt.Key.Key_Right else -1
        tabs.setCurrentIndex(min(max(tabs.currentIndex() + step, 0), tabs.count() - 1))

    @cached_property
    def form(self) -> "SetupForm":
        """The set-up form, created on first use."""
        from studio.gui.pages.compare.setup_form import SetupForm

        form = SetupForm(self.setup)
        form.start_requested.connect(self.start)
        self._layers.addWidget(form)
        return form

    @cached_property
    def study_view(self) -> "StudyView":
        """The study view, created on first use."""
        from studio.gui.pages.compare.study_view import StudyView

        view = StudyView(self.model)
        view.grid.run_requested.connect(self.run_requested)
        view.extend_requested.connect(self.open_extend_dialog)
        view.failed.connect(self.failed)
        self._layers.addWidget(view)
        return view

    @property
    def is_showing_study(self) -> bool:
        """Whether the page shows a comparison rather than the set-up form."""
        return self._layers.currentWidget() is self.__dict__.get("study_view")

    def list_commands(self) -> Iterator[Command]:
        """Return the page's commands."""
        group, model = tr("Compare"), self.model
        yield Command(
            "compare.start", group, tr("Start the comparison"), self.start, "",
            lambda: model.study is None and not self.setup.blocking_reason, "play",
        )  # fmt: skip
        yield Command(
            "compare.continue", group, tr("Continue the comparison"), model.resume, "",
            lambda: model.can_continue, "play",
        )  # fmt: skip
        yield Command(
            "compare.continue-here", group, tr("Continue the comparison on this computer"),
            self.continue_locally, "",
            lambda: model.can_continue and bool(model.resources.cluster), "play",
        )  # fmt: skip
        yield Command(
            "compare.stop", group, tr("Stop the comparison"), model.stop, "",
            lambda: model.is_alive, "stop",
        )  # fmt: skip
        yield Command(
            "compare.export-all", group, tr("Export the comparison's tables, diagrams and report…"),
            self.export_all, "", lambda: bool(model.results.finished), "export",
            search_terms=tr("csv latex svg png figures paper markdown page text"),
        )  # fmt: skip

    def export_all(self) -> None:
        """Ask for a folder and write tables, diagrams and the report there."""
        self.study_view.export_all()

    def start(self) -> None:
        """Store the study in a new document (or the open one, if empty) and start it."""
        if blocking_reason := self.setup.blocking_reason:
            self.failed.emit(blocking_reason)
            return
        data = ask_about_columns(self.setup.draft.data, self.setup.target_reader)
        if data is None:
            return
        self.setup.change(data=data)
        draft = self.setup.draft
        try:
            # before create(), as a new document has no space on the Space page
            study = self.setup.to_study()
            if (path := self.setup.new_document_path) is not None:
                self._session.create(path)
                self.setup.set_draft(draft)
        except StudioError as error:
            self.failed.emit(translate(str(error)))
            return
        self.model.start_study(study, ComputeResources(draft.workers, draft.cluster))

    def continue_locally(self) -> None:
        """Continue on this computer, without the study's cluster."""
        self.model.resume(ComputeResources(self.setup.draft.workers))

    def open_extend_dialog(self, kind: str) -> None:
        """Ask for methods, data sets or repetitions to add, and continue with them."""
        model, study = self.model, self.model.study
        if study is None:
            return
        from studio.gui.pages.compare.extend_dialog import ExtendDialog

        methods, target_reader = self.setup.available_methods, self.setup.target_reader
        dialog = ExtendDialog(
            kind, study, methods, model.unusable_data_sets, target_reader=target_reader, parent=self
        )
        dialog.finished.connect(dialog.deleteLater)
        dialog.accepted.connect(lambda: model.extend(**dialog.get_changed_settings()))
        dialog.open()

    def showEvent(self, event: QShowEvent) -> None:
        """Compute the statistics while the page is visible."""
        super().showEvent(event)
        self.model.set_watched(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop computing the statistics."""
        self.model.set_watched(False)

    def _show(self) -> None:
        self._layers.setCurrentWidget(self.form if self.model.study is None else self.study_view)
