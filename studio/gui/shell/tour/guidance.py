"""What helps a newcomer in the window: the guided first run and the recording."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from studio.data.samples import Recording, samples
from studio.document.store import Document
from studio.errors import StudioError
from studio.gui.base import places
from studio.gui.shell.documents.opening import Opening
from studio.gui.shell.frame.frame import Frame
from studio.gui.shell.tour.tour import TourCard, TourStep
from studio.language import tr, translate


class Guidance(QObject):
    """Starts the guide and the recording, and knows what a step of the guide points at.

    Args:
        frame: What is pointed at.
        opening: Opens the sample of the guide.
    """

    def __init__(self, frame: Frame, opening: Opening) -> None:
        super().__init__(frame)
        self._frame, self._opening = frame, opening
        kept = (frame.top_bar, frame.rail)
        self.card = TourCard(self.place, self.show, self._ready, kept, frame)
        frame.session.runs.changed.connect(self.card.go_on)
        self._path = frame.session.path
        frame.session.document_changed.connect(self._document_changed)

    def show_around(self) -> None:
        """Open the first sample and begin the guide."""
        self._opening.open_sample(samples()[0])
        self._path = self._frame.session.path
        self.card.go(1)

    def _document_changed(self) -> None:
        """End the tour with the document that is shown around in."""
        if self._frame.session.path != self._path:
            self.card.go(0)

    def play_recording(self, recording: Recording) -> None:
        """Open a copy of a recording that ships and play it, its runs in one plot.

        A copy, since a document keeps what is done in it; the one of an earlier time, unless there
        are other runs in it by now.
        """
        frame = self._frame
        try:
            path = _copied(recording)
            frame.session.open(path)
        except StudioError as error:
            frame.banner.say(str(error))
            return
        except OSError as error:
            frame.banner.say(
                tr(
                    "The recording could not be copied ({reason}). Is the disk full?",
                    reason=error.strerror or str(error),
                )
            )
            return
        sample = next(each for each in samples() if each.key == recording.sample)
        frame.data.change(path=str(sample.path), title=sample.title)
        self.play(recording.plots)

    def play(self, plots: Sequence[str] | None = None) -> None:
        """Play the open document's runs again, the older ones overlaid on the newest.

        Args:
            plots: Keys of the plots that show it, until it ends; empty for the simple view. What is
                open if not given.
        """
        from studio.gui.pages.live.page import LivePage

        session = self._frame.session
        session.play()
        for view in session.runs.views[-4:]:
            session.shown.overlay(view.row.id, wanted=view.row.id != session.shown.run_id)
        self._frame.show_page("live")
        page = self._frame.page_widget("live")
        if plots is not None and isinstance(page, LivePage):
            page.lend(plots)

    def show(self, step: TourStep) -> None:
        """Bring a step's page, and what the step speaks of, to the screen."""
        from studio.gui.pages.data.page import DataPage
        from studio.gui.pages.results.page import ResultsPage

        self._frame.show_page(step.page)
        page = self._frame.page_widget(step.page)
        if isinstance(page, DataPage) and step.points_at == "table":
            page.show_rows()
        if isinstance(page, ResultsPage):
            page.show_answer()

    def _ready(self, step: TourStep) -> bool:
        """Whether there is a run for the steps that speak of one."""
        return step.page == "data" or bool(self._frame.session.runs.ids)

    def place(self, name: str) -> QWidget | None:
        """Return the widget that a step of the guide points at."""
        frame = self._frame
        fixed: dict[str, QWidget] = {
            "run": frame.top_bar.run_button,
            "slider": frame.slider,
        }
        if name in fixed:
            return fixed[name]
        page = {"table": "data", "split": "data", "plots": "live", "result": "results"}[name]
        shown = frame.page_widget(page)
        inside = {"table": "tables", "split": "split_card", "result": "answer"}.get(name)
        found = getattr(shown, inside, None) if inside else shown
        return found if isinstance(found, QWidget) else None


def _copied(recording: Recording) -> Path:
    """Return a document with the recorded runs and no others."""
    wanted = _runs(recording.path)
    stem = translate(recording.title)
    for earlier in sorted(places.untitled_folder().glob(f"{stem}*{places.SUFFIX}")):
        if _runs(earlier) == wanted:
            return earlier
    path = places.untitled(stem)
    with Document.open(recording.path, writable=False) as document:
        document.copy_to(path)
    return path


def _runs(path: Path) -> list[tuple[str, float, int]]:
    """Return what identifies the runs of a document; nothing where it cannot be read."""
    try:
        with Document.open(path, writable=False) as document:
            return [
                (row.name, row.created, document.trials.count(row.id))
                for row in document.runs.all()
            ]
    except StudioError:
        return []
