"""Status line of a job: progress, a stop button, and the outcome. One job at a time."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QProgressBar, QWidget

from studio.gui.base.command_job import CommandJob, JobTracker
from studio.gui.base.theme import GRID
from studio.gui.widgets import kit
from studio.gui.widgets.keyboard_focus import focus_nearest
from studio.language import format_share, group_digits, tr


class MessageLine(QWidget):
    """A message, hidden while empty.

    Args:
        is_row: Whether message and link share one line.
    """

    def __init__(self, *, is_row: bool = False) -> None:
        super().__init__()
        self.message_label = (
            kit.ElidedLabel() if is_row else kit.label("", wrap=True, selectable=True)
        )
        self.show_folder_button = kit.button(
            tr("Show in folder"), self._open_folder, kind="link", tip=tr("Open the file's folder")
        )
        self.open_button = kit.button(
            tr("Open"), self._open_file, kind="link", tip=tr("Open the report in the browser")
        )
        self._file: Path | None = None
        links = kit.row(self.open_button, self.show_folder_button, None)
        if is_row:
            kit.row((self.message_label, 1), links, parent=self)
        else:
            self._column = kit.column(self.message_label, links, parent=self, spacing=GRID // 2)
        self.open_button.hide()
        self.show_folder_button.hide()
        self.hide()

    def show_text(self, text: str) -> None:
        """Show a text; an empty one hides the line."""
        self._file = None
        self.open_button.hide()
        self.show_folder_button.hide()
        kit.show_text(self.message_label, text)
        self.setVisible(bool(text))

    def show_written_file(self, text: str, file: Path) -> None:
        """Show a message about a written file, with a link to it."""
        self.show_text(text)
        self._file = file
        self.open_button.setVisible(file.suffix == ".html")
        self.show_folder_button.show()
        first_button = self.show_folder_button if self.open_button.isHidden() else self.open_button
        first_button.setFocus()

    def _open_file(self) -> None:
        if self._file is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._file)))

    def _open_folder(self) -> None:
        if self._file is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._file.parent)))


Answer = dict[str, Any]


class JobLine(MessageLine):
    """Runs a command of the program and shows its progress; hidden while idle."""

    def __init__(self, job_tracker: JobTracker, name: str) -> None:
        super().__init__()
        self._job_tracker = job_tracker
        self._job: CommandJob | None = None  # of this line; the tracker's may be another line's
        self._on_done: Callable[[Answer], None] = lambda answer: None
        self._on_failed: Callable[[], None] = lambda: None
        self._fallback: QWidget | None = None
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(name)
        self.stop_button = kit.button(
            tr("Stop"), self.stop, tip=tr("Cancel; no partial file is left")
        )
        self._column.insertLayout(1, kit.row(self.bar, self.stop_button))
        self._column.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._show(None)

    @property
    def is_busy(self) -> bool:
        """Whether this line's job is running."""
        return self._job is not None

    def run(
        self,
        arguments: Sequence[str],
        done: Callable[[Answer], None],
        begin: str,
        failed: Callable[[], None] = lambda: None,
    ) -> None:
        """Run ``studio`` with these arguments; ``failed`` is called if there is no result."""
        if self._job_tracker.is_busy:
            return
        job = CommandJob([*arguments, "--json", "--progress"], self)
        job.progress.connect(self._on_progress)
        job.noted.connect(self.show_text)
        job.done.connect(self._on_success)
        job.failed.connect(self._on_failure)
        self._on_done, self._on_failed = done, failed
        self.show_text(begin)
        self._show(job)
        # The clicked button is disabled now, so the focus moves to the stop button.
        self.stop_button.setFocus()
        job.start()

    def show_text(self, text: str) -> None:
        """Show a text; an empty one hides the line, unless its job is running."""
        super().show_text(text)
        if not text:
            self.setMinimumHeight(0)
        self.setVisible(bool(text) or self.is_busy)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """When the line is hidden, pass the focus to a neighbour, not to the top of the window."""
        if not self.isHidden():
            return super().focusNextPrevChild(forward)
        focus_nearest(self)
        self._fallback = self.window().focusWidget()
        return True

    def stop(self) -> None:
        """Cancel the job."""
        if self._job is not None:
            self.stop_button.setEnabled(False)
            self.show_text(tr("Stopping…"))
            self._job.stop()

    def _on_progress(self, step: str, done: int, total: int) -> None:
        self.bar.setRange(0, total)
        self.bar.setValue(done)
        is_phase = step.endswith("…")  # its progress is a share, not a number of trials
        if total and is_phase:
            step = f"{step} {format_share(done / total, 0)}"
        elif total:
            step = tr(
                "{what}: {done} of {all}",
                what=step,
                done=group_digits(done),
                all=group_digits(total),
            )
        self.show_text(step if total or is_phase else f"{step}…")

    def _on_success(self, answer: Answer) -> None:
        had_focus = self.window().focusWidget() is self.stop_button
        self._show(None)
        left_focus = {self, self.window().focusWidget()}
        self._on_done(answer)
        if had_focus and self.window().focusWidget() in {*left_focus, self._fallback}:
            focus_nearest(self)

    def _on_failure(self, message: str) -> None:
        had_focus = self.window().focusWidget() is self.stop_button
        self._show(None)
        self.show_text(message)
        self._on_failed()
        if had_focus:
            focus_nearest(self)

    def _show(self, job: CommandJob | None) -> None:
        busy = job is not None
        if not busy and self.stop_button.hasFocus():
            self.setFocus()  # or Qt would focus the next card, and scroll to it
        self.bar.setRange(0, 0)
        # The bar's space is kept, so that the visible buttons below do not move.
        self.setMinimumHeight(self.height() if self.isVisible() and not busy else 0)
        self.bar.setVisible(busy)
        self.stop_button.setVisible(busy)
        self.stop_button.setEnabled(busy)
        self.setVisible(busy or bool(self.message_label.text()))
        ended, self._job = self._job, job
        if ended is not None:
            ended.deleteLater()
        if ended is not job:
            self._job_tracker.register(job)
