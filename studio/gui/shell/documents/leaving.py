"""The question before the window closes: what happens to runs in progress."""

from PySide6.QtWidgets import QMessageBox, QWidget

from studio.compare.conductor import ask_to_stop, conductor
from studio.gui.base import preferences
from studio.gui.session.session import Session
from studio.language import ntr, tr


def may_leave(session: Session, window: QWidget) -> bool:
    """Do with runs that are going as preferred, or ask once; False to stay."""
    folded = session.runs.folded
    # A paused run waits with or without the window, so there is nothing to ask about it.
    going = [view for view in session.runs.going if view.row.id not in folded]
    comparing = is_comparing(session)
    if not going and not comparing:
        return True
    answer = preferences.load().leaving
    if answer == "ask":
        answer = _ask(window, len(going), comparing=comparing)
    if answer in {"pause", "stop"}:
        for view in going:
            session.control.ask(view.row.id, "pause" if answer == "pause" else "stop")
        if comparing:
            # Its cells are for whoever conducts it to stop; they continue as if paused.
            ask_to_stop(session.document)
    return bool(answer)


def is_comparing(session: Session) -> bool:
    """Whether somebody works on the open document's study."""
    if not session.is_open:
        return False
    at_work = conductor(session.document)
    return at_work is not None and at_work.alive


def _ask(window: QWidget, going: int, *, comparing: bool) -> str:
    """Return "keep", "pause", "stop", or "" to stay."""
    box = QMessageBox(window)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(tr("Runs are in progress"))
    texts = (
        [ntr("A run is still in progress.", "{count} runs are still in progress.", going)]
        if going
        else []
    )
    box.setText(
        " ".join([*texts, tr("A comparison is still in progress.")] if comparing else texts)
    )
    box.setInformativeText(
        tr("Work can continue in the background; open the document again to see its progress.")
    )
    keep = box.addButton(tr("Continue in the background"), QMessageBox.ButtonRole.AcceptRole)
    pause = box.addButton(tr("Pause"), QMessageBox.ButtonRole.AcceptRole)
    stop = box.addButton(tr("Stop and keep"), QMessageBox.ButtonRole.DestructiveRole)
    cancel = box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
    keep.setToolTip(tr("The runs continue, even with every window closed"))
    pause.setToolTip(tr("The runs stop where they are and can be continued"))
    stop.setToolTip(tr("The runs end; everything found so far is kept"))
    cancel.setToolTip(tr("Stay in the window"))
    box.setDefaultButton(keep)
    box.setEscapeButton(cancel)
    box.exec()
    chosen = box.clickedButton()
    for button, answer in ((keep, "keep"), (pause, "pause"), (stop, "stop")):
        if chosen is button:
            return answer
    return ""
