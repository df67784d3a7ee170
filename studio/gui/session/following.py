"""Reading what is new in the open document, as it happens or as a recording of what happened."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from studio.document.follow import Changes, Follower
from studio.document.playback import Playback
from studio.errors import StudioError
from studio.language import translate

POLL_MILLISECONDS = 100

SOON_MILLISECONDS = 20
"""Until the next part where one poll has not read everything: the window stays fluent between."""


class Following(QObject):
    """Asks ten times a second what is new.

    Args:
        take_in: Gets what is new, before :meth:`poll` returns.

    Signals:
        playback_changed: The recording that is played was paused, continues, or is over.
        failed: The document can no longer be read; nothing is asked any more.
    """

    playback_changed = Signal()
    failed = Signal(str)

    def __init__(self, take_in: Callable[[Changes], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._take_in = take_in
        self._source: Follower | Playback | None = None
        self._timer = QTimer(self, interval=POLL_MILLISECONDS)
        self._timer.timeout.connect(self.poll)

    def begin(self, source: Follower | Playback) -> None:
        """Read what there is, and from now on what comes."""
        self._source = source
        self._timer.start()
        self.poll()

    def end(self) -> None:
        """Read no more."""
        self._timer.stop()
        if self._source is not None:
            self._source.close()
        self._source = None

    def prefer(self, run_id: int | None) -> None:
        """Read the trials of this run before those of others."""
        if isinstance(self._source, Follower):
            self._source.prefer(run_id)

    def poll(self) -> None:
        """Read what is new now."""
        if self._source is None:
            return
        try:
            changes = self._source.changes()
        except StudioError as error:
            self._timer.stop()
            self.failed.emit(translate(str(error)))
            return
        more = changes is not None and changes.more
        self._timer.setInterval(SOON_MILLISECONDS if more else POLL_MILLISECONDS)
        if changes is not None:
            self._take_in(changes)
            if self.playback is not None and self.playback.over:
                self.playback_changed.emit()

    @property
    def playback(self) -> Playback | None:
        """The recording that is played; ``None`` where runs are followed as they happen."""
        return self._source if isinstance(self._source, Playback) else None

    def hold(self, wanted: bool) -> None:
        """Pause the recording, or continue it."""
        if self.playback is not None:
            self.playback.paused = wanted
            self.playback_changed.emit()
