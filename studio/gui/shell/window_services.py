"""Window services for pages and commands."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtWidgets import QFrame, QLineEdit, QScrollArea, QWidget

from studio.data.samples import Recording, list_samples
from studio.document.store import Document
from studio.errors import StudioError
from studio.gui.base import user_paths
from studio.gui.base.command import HasSettings, HasUndo, format_shortcut
from studio.gui.base.preferences import get_appearance
from studio.gui.base.undo import UndoStack
from studio.gui.shell.documents.documents import Documents
from studio.gui.shell.documents.opening import DocumentOpener
from studio.gui.shell.frame.frame import WindowFrame
from studio.gui.shell.tour import Tour
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Field
from studio.language import tr, translate

if TYPE_CHECKING:
    from studio.gui.pages.compare.page import ComparePage
    from studio.gui.pages.results.page import ResultsPage
    from studio.gui.pages.run.page import RunPage


_HIGHLIGHT_NAME = "pointed"
_HIGHLIGHT_MS = 3000
_MARGIN = 4


def highlight_field(target: QWidget) -> None:
    """Scroll to a field, focus it and highlight it briefly, once its page is laid out."""
    QTimer.singleShot(0, target, lambda: _show_highlight(target))


def _show_highlight(target: QWidget) -> None:
    kit.scroll_into_view(target)
    editor = _find_focusable(target)
    editor.setFocus(Qt.FocusReason.ShortcutFocusReason)
    if isinstance(editor, QLineEdit):
        editor.selectAll()
    for old_frame in target.window().findChildren(QFrame, _HIGHLIGHT_NAME):
        old_frame.hide()
    content = target.parentWidget()
    framed_widget = content if isinstance(content, Field) else target
    parent = _find_scroll_area(target)
    frame = QFrame(parent)
    frame.setObjectName(_HIGHLIGHT_NAME)
    frame.setProperty("role", "pointed")
    frame.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    box = QRect(framed_widget.mapTo(parent, QPoint()), framed_widget.size())
    frame.setGeometry(box.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN))
    frame.show()
    QTimer.singleShot(_HIGHLIGHT_MS, frame, frame.deleteLater)


def _find_scroll_area(target: QWidget) -> QWidget:
    """Return the scroll area around a field, else its window."""
    widget = target
    while not widget.isWindow() and (parent := widget.parentWidget()) is not None:
        area = parent.parentWidget()
        if isinstance(area, QScrollArea) and area.widget() is widget:
            return widget
        widget = parent
    return widget


def _find_focusable(target: QWidget) -> QWidget:
    parts = [target, *target.findChildren(QWidget)]
    focusable = (each for each in parts if each.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return next((each for each in focusable if each.isEnabled() and not each.isHidden()), target)


class WindowActions:
    """The window's own actions."""

    def __init__(self, frame: WindowFrame) -> None:
        self._frame = frame
        self._histories: dict[str, UndoStack[Any]] = {
            "data": frame.data.history,
            "run": frame.run.history,
            "space": frame.session.space.history,
            "results": frame.session.decisions.history,
        }

    def get_history(self) -> UndoStack[Any]:
        """Return the current page's history; an empty one if the page has none."""
        return self._histories.get(self._frame.page, UndoStack(None))

    @property
    def undo_text(self) -> str:
        """Name of the change that undo would revert on the current page; empty for none."""
        return self._undo_owner().undo_text

    def undo(self) -> None:
        """Undo."""
        self._undo_owner().undo()

    def _undo_owner(self) -> HasUndo:
        """Return the owner of the next undo: the page for temporary actions, else its history."""
        page = self._frame.get_page_widget(self._frame.page)
        return page if isinstance(page, HasUndo) and page.undo_text else self.get_history()

    def show_run(self, run: int) -> None:
        """Select a run and show it."""
        self._frame.session.run_selection.choose_run(run)
        if self._frame.page not in {"live", "results"}:
            self._frame.show_page("live")

    def rename(self, run: int) -> None:
        """Show a run in the list of runs and start renaming it."""
        self._show_run_page().rename(run)

    def remove(self, run: int) -> None:
        """Show a run in the list of runs and request confirmation of its removal."""
        self._show_run_page().remove(run)

    def show_next_run(self) -> None:
        """Show the settings of the next run, and highlight the button that starts it."""
        highlight_field(self._show_run_page().show_form())

    def _show_run_page(self) -> "RunPage":
        self._frame.show_page("run")
        return cast("RunPage", self._frame.get_page_widget("run"))

    def show_plot(self, key: str) -> None:
        """Show a plot of the Live page, wherever it is docked."""
        self._frame.show_page("live")
        from studio.gui.pages.live.page import LivePage

        page = self._frame.get_page_widget("live")
        if isinstance(page, LivePage):
            page.open_plot(key)

    def show_answer(self, key: str) -> None:
        """Show a question of the Results page."""
        self._show_results_page().show_view(key)

    def show_result(self) -> None:
        """Show the test error of the selected run, whatever was viewed last on the Results page."""
        self._show_results_page().show_answer()

    def export(self, key: str) -> None:
        """Show the Results page and request a path for exporting the shown run in a format."""
        self._show_results_page().export_card.export_format(key)

    def _show_results_page(self) -> "ResultsPage":
        self._frame.show_page("results")
        return cast("ResultsPage", self._frame.get_page_widget("results"))

    def run_without(self, columns: Sequence[str]) -> None:
        """Start a run with the settings of the shown run, excluding some columns."""
        view = self._frame.session.run_selection.run
        if view is not None:
            self._frame.starter.start_without(view, columns)

    def choose_method(self, name: str) -> None:
        """Choose a method for the next run, with its space, and show the Run page."""
        self._frame.show_page("run")
        self._frame.run.choose_method(name, self._frame.data.draft.assumed_task)

    def show_slides(self) -> None:
        """Show the slides of the selected run; without one, start presentation mode.

        Repeating the command ends it. On the Compare page, the comparison is presented instead:
        first in presentation mode, then the tab's plot in full screen.
        """
        if (comparison := self._get_comparison_page()) is not None:
            if get_appearance().is_presenting:
                comparison.study_view.fill_screen()
            else:
                self.toggle_presenting()
            return
        view = self._frame.session.run_selection.run
        if view is None or not view.iterations:
            self.toggle_presenting()
            return
        from studio.gui.shell.story.story import Story

        open_stories = [each for each in self._frame.findChildren(Story) if not each.isHidden()]
        if open_stories and open_stories[0].was_presenting:
            open_stories[0].end()
            return
        if open_stories:
            self.toggle_presenting()
            return
        Story(self._frame, self._frame.session, self._frame.helper)

    def _get_comparison_page(self) -> "ComparePage | None":
        if self._frame.page != "compare":
            return None
        page = cast("ComparePage", self._frame.get_page_widget("compare"))
        return page if page.is_showing_study else None

    def toggle_presenting(self) -> None:
        """Start or end presentation mode; at the start, explain how to end it."""
        height = self._frame.screen().availableSize().height()
        get_appearance().set_presenting(not get_appearance().is_presenting, height)
        if get_appearance().is_presenting:
            self._frame.toast.show_message(
                tr("Presentation mode: press {key} to leave it.", key=format_shortcut("Esc"))
            )

    def toggle_full_screen(self) -> None:
        """Toggle full screen."""
        self._frame.setWindowState(self._frame.windowState() ^ Qt.WindowState.WindowFullScreen)

    def show_setting(self, page: str, name: str) -> None:
        """Show a page and highlight one of its fields."""
        self._frame.show_page(page)
        page_widget = self._frame.get_page_widget(page)
        if isinstance(page_widget, HasSettings):
            highlight_field(page_widget.reveal(name))

    def show_column(self, name: str) -> None:
        """Show a column of the table on the Data page."""
        self._frame.show_page("data")
        from studio.gui.pages.data.page import DataPage

        page = self._frame.get_page_widget("data")
        assert isinstance(page, DataPage)
        page.choose_column(name)

    def show_settings(self, name: str = "") -> None:
        """Open the settings, optionally at one of them."""
        from studio.gui.shell.settings_dialog import SettingsDialog

        dialog = SettingsDialog(self._frame)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        if name:
            highlight_field(dialog.reveal(name))

    def show_about(self) -> None:
        """Show the version, its components, and the locations of its files."""
        from studio.gui.shell.help.about import AboutDialog

        AboutDialog(self._frame).open()

    def show_help(self) -> None:
        """Show or close help for the page."""
        if self._frame.help.isVisible():
            self._frame.help.hide()
        else:
            self._frame.help.open_context_help(self._frame.help_topic)

    def show_guide(self, chapter: str = "", heading: str = "") -> None:
        """Show the guide, from a heading of a chapter."""
        self._frame.help.show()
        self._frame.help.show_guide(chapter, heading)


class RecordingPlayer:
    """Plays back runs on the Live page."""

    def __init__(self, frame: WindowFrame) -> None:
        self._frame = frame

    def play_recording(self, recording: Recording) -> None:
        """Open a copy of a shipped recording and play it, its runs in one plot.

        A copy is used, as documents store changes; an earlier one is reused unless its runs
        changed.
        """
        frame = self._frame
        try:
            path = _copy_recording(recording)
            frame.session.open(path)
        except StudioError as error:
            frame.banner.show_message(str(error))
            return
        except OSError as error:
            reason = error.strerror or str(error)
            frame.banner.show_message(
                tr("The recording could not be copied ({reason}). Is the disk full?", reason=reason)
            )
            return
        sample = next(each for each in list_samples() if each.key == recording.sample)
        frame.data.change(path=str(sample.path), title=sample.title)
        self.play(recording.plots)

    def play(self, plots: Sequence[str] | None = None) -> None:
        """Play back the open document's runs, the older ones overlaid on the newest.

        Args:
            plots: Keys of the plots to show until it ends; empty for the simple view; by default
                the open plots.
        """
        from studio.gui.pages.live.page import LivePage

        session = self._frame.session
        session.play()
        for view in session.runs.views[-4:]:
            session.run_selection.overlay(
                view.row.id, enabled=view.row.id != session.run_selection.run_id
            )
        self._frame.show_page("live")
        page = self._frame.get_page_widget("live")
        if plots is not None and isinstance(page, LivePage):
            page.show_temporarily(plots)


def _copy_recording(recording: Recording) -> Path:
    """Return a document with exactly the recorded runs."""
    recorded_runs = _read_runs(recording.path)
    stem = translate(recording.title)
    for old_copy in sorted(user_paths.ensure_untitled_folder().glob(f"{stem}*{user_paths.SUFFIX}")):
        if _read_runs(old_copy) == recorded_runs:
            return old_copy
    path = user_paths.find_untitled_path(stem)
    with Document.open(recording.path, writable=False) as document:
        document.copy_to(path)
    return path


def _read_runs(path: Path) -> list[tuple[str, float, int]]:
    """Return the ids of a document's runs; empty if it is unreadable."""
    try:
        with Document.open(path, writable=False) as document:
            return [
                (row.name, row.created, document.trials.count(row.id))
                for row in document.runs.list_all()
            ]
    except StudioError:
        return []


class WindowServices:
    """A frame with its controllers."""

    def __init__(self, frame: WindowFrame) -> None:
        self.frame, self.document_opener = frame, DocumentOpener(frame)
        self.documents = Documents(frame, self.document_opener)
        self.player, self.actions = RecordingPlayer(frame), WindowActions(frame)
        self.tour = Tour(frame, self.document_opener)
