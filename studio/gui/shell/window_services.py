"""What is done in a window, in one hand: for pages to be wired to, and commands to call."""

from dataclasses import dataclass

from studio.gui.shell.documents.documents import Documents
from studio.gui.shell.documents.opening import Opening
from studio.gui.shell.frame.frame import Frame
from studio.gui.shell.player import Player
from studio.gui.shell.tour import Tour
from studio.gui.shell.window_actions import WindowActions


@dataclass(frozen=True)
class WindowServices:
    """A frame and those who act in it."""

    frame: Frame
    opening: Opening
    documents: Documents
    player: Player
    tour: Tour
    acts: WindowActions


def services_of(frame: Frame) -> WindowServices:
    """Return a frame with those who act in it."""
    opening = Opening(frame)
    return WindowServices(
        frame=frame,
        opening=opening,
        documents=Documents(frame, opening),
        player=Player(frame),
        tour=Tour(frame, opening),
        acts=WindowActions(frame),
    )
