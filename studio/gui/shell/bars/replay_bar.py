"""The line above a page while a recording is played: what it is, its speed, and how to leave."""

from functools import partial

from PySide6.QtWidgets import QFrame

from studio.document import shapes
from studio.gui.base.language import number, tr
from studio.gui.base.theme import GRID
from studio.gui.session.session import Session
from studio.gui.shell.bars.recorded_words import NOTE, RecordingShown, shown_words
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice

SPEEDS = (0.5, 1.0, 2.0, 4.0)


class ReplayBar(QFrame):
    """Says that nothing is computed; pauses, speeds up, begins again, or ends the recording.

    Parameters
    ----------
    session : Session
        Whose recording it is; the bar is hidden while there is none.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.setProperty("role", "banner")
        self._session = session
        self._text = kit.label("", wrap=True)
        self.hold = kit.button(
            "",
            self._hold,
            kind="quiet",
            icon="pause",
            tip=tr("Pause or resume the recording"),
            name=tr("Pause the recording"),
        )
        speeds: list[tuple[object, str]] = [(each, f"{number(each)} ×") for each in SPEEDS]
        self.speed = Choice(speeds, self._take_speed)
        self.speed.setAccessibleName(tr("Speed of the recording"))
        self.speed.setToolTip(tr("How fast the recording is played"))
        self.again = kit.button(
            tr("Play again"), session.play, kind="quiet", tip=tr("Play from the beginning")
        )
        self.end = kit.button(
            tr("End the recording"),
            session.stop_playing,
            kind="quiet",
            tip=tr("Show the complete runs, as they are in the document"),
        )
        kit.row(
            (self._text, 1),
            self.hold,
            self.speed,
            self.again,
            self.end,
            on=self,
            spacing=None,
            margin=(2 * GRID, GRID // 2, GRID, GRID // 2),
        )
        session.following.playback_changed.connect(self._show)
        session.document_changed.connect(self._show)
        self._show()

    def _hold(self) -> None:
        playback = self._session.following.playback
        if playback is not None:
            self._session.following.hold(not playback.paused)

    def _take_speed(self, factor: object) -> None:
        if self._session.following.playback is not None and isinstance(factor, float):
            self._session.following.playback.speed = factor

    def _show(self) -> None:
        playback = self._session.following.playback
        self.setVisible(playback is not None)
        if playback is None:
            return
        names = ", ".join(view.row.name or view.method for view in self._session.runs.views)
        if playback.over:
            shown = (
                self._session.kept(NOTE, partial(shapes.pick, RecordingShown)) or RecordingShown()
            )
            text = shown_words(shown) or tr("The recording is over: {runs}.", runs=names)
        else:
            text = tr("Playing a recording; nothing is computed: {runs}.", runs=names)
        self._text.setText(text)
        self.speed.show_value(playback.speed)
        self.hold.setVisible(not playback.over)
        self.speed.setVisible(not playback.over)
        kit.give_icon(self.hold, "play" if playback.paused else "pause")
        self.hold.setAccessibleName(
            tr("Resume the recording") if playback.paused else tr("Pause the recording")
        )
