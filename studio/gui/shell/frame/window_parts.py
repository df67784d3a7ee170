"""Non-visual parts of a window, created first: models, commands, hidden bars."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from studio.gui.base.command import Command
from studio.gui.base.helper_client import HelperClient
from studio.gui.base.theme import GRID
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.drafts.starter import Starter
from studio.gui.session.session import Session
from studio.gui.shell.bars.replay_bar import ReplayBar
from studio.gui.shell.bars.runs_strip import RunsStrip
from studio.gui.shell.bars.time_slider import TimeSlider
from studio.gui.shell.commands.command_registry import CommandRegistry
from studio.gui.shell.commands.palette import CommandPalette
from studio.gui.shell.help.panel import HelpPanel
from studio.gui.widgets import kit
from studio.gui.widgets.messages import Banner, Toast

if TYPE_CHECKING:
    from studio.gui.shell.help.panel import HelpPanel

Layout = TypeVar("Layout", bound=QBoxLayout)


def make_bottom_bar(*rows: QWidget) -> QWidget:
    """Create the bar below all pages from these rows, under a separator."""
    bar = QFrame()
    bar.setProperty("role", "bar")
    kit.column(*rows, on=bar, spacing=GRID // 2, margin=(2 * GRID, GRID, 2 * GRID, GRID))
    container = QWidget()
    stacked = _remove_margins(QVBoxLayout(container))
    stacked.addWidget(kit.make_separator())
    stacked.addWidget(bar)
    return container


class CentralWidget(QWidget):
    """The window's central widget: first the bars and page, later the rest."""

    def __init__(self, top: QWidget, rail: QWidget, page: QWidget) -> None:
        super().__init__()
        self.setProperty("role", "page")
        self._page = page
        self._pages = _remove_margins(QVBoxLayout())
        self._pages.addWidget(page, 1)
        self._middle = _remove_margins(QHBoxLayout())
        self._middle.addWidget(rail)
        self._middle.addWidget(kit.make_separator(vertical=True))
        self._middle.addLayout(self._pages, 1)
        self._column = _remove_margins(QVBoxLayout(self))
        self._column.addWidget(top)
        self._column.addWidget(kit.make_separator())
        self._column.addLayout(self._middle, 1)

    def complete(self, above: Sequence[QWidget], bottom: QWidget, panel: "HelpPanel") -> None:
        """Insert the initially hidden parts.

        Args:
            above: Lines between the top bar and the page.
            bottom: The bar over the whole width.
            panel: Help; it is beside the page if there is room, else over it.
        """
        from studio.gui.shell.help.panel import HelpPlacement

        for index, line in enumerate(above):
            self._pages.insertWidget(index, line)
        HelpPlacement(panel, self._page, self._middle, self)
        self._column.addWidget(bottom)


def _remove_margins(layout: Layout) -> Layout:
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    return layout


@dataclass(frozen=True)
class WindowParts:
    """The models of a window's document, its commands, and its initially hidden bars."""

    session: Session
    helper: HelperClient
    data: DataModel
    run: RunModel
    advice: AdviceModel
    starter: Starter
    book: CommandRegistry
    palette_box: CommandPalette
    help: HelpPanel
    banner: Banner
    toast: Toast
    replay: ReplayBar
    strip: RunsStrip
    slider: TimeSlider
    bottom: QWidget


def make_parts(
    window: QWidget,
    messages: QWidget,
    commands: Callable[[], list[Command]],
    session: Session | None,
    helper: HelperClient | None,
) -> WindowParts:
    """Create the parts of a window, by default with a new session and helper."""
    session = session or Session(window)
    helper = helper or HelperClient(window)
    data, run = DataModel(session, helper, window), RunModel(session, helper, window)
    registry = CommandRegistry(window)
    strip, slider = RunsStrip(), TimeSlider()
    return WindowParts(
        session=session,
        helper=helper,
        data=data,
        run=run,
        advice=AdviceModel(data, run, session, helper, window),
        starter=Starter(session, helper, data, run, window),
        book=registry,
        palette_box=CommandPalette(window, commands),
        help=HelpPanel(lambda: registry.commands),
        banner=Banner(),
        toast=Toast(messages),
        replay=ReplayBar(session),
        strip=strip,
        slider=slider,
        bottom=make_bottom_bar(strip, slider),
    )
