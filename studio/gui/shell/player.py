"""Recordings of runs that ship with the program, and the runs of any document, played again."""

from collections.abc import Sequence
from pathlib import Path

from studio.data.samples import Recording, samples
from studio.document.store import Document
from studio.errors import StudioError
from studio.gui.base import places
from studio.gui.shell.frame.frame import Frame
from studio.language import tr, translate


class Player:
    """Plays runs again on the Live page.

    Args:
        frame: The window with this page.
    """

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

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
            page.show_temporarily(plots)


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
