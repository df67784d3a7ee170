"""Non-visual parts of a window, created first: models, commands, hidden bars."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from studio.gui.base.command import Command
from studio.gui.base.helper_client import HelperClient
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
from studio.gui.shell.frame.layout import make_bottom_bar
from studio.gui.shell.help.panel import HelpPanel
from studio.gui.widgets.messages import Banner, Toast


@dataclass(frozen=True)
class WindowParts:
    """The models of a window's document, its commands, and its initially hidden bars."""

    session: Session
    helper: HelperClient
    data: DataModel
    run: RunModel
    advice: AdviceModel
    starter: Starter
    command_registry: CommandRegistry
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
        command_registry=registry,
        palette_box=CommandPalette(window, commands),
        help=HelpPanel(lambda: registry.commands),
        banner=Banner(),
        toast=Toast(messages),
        replay=ReplayBar(session),
        strip=strip,
        slider=slider,
        bottom=make_bottom_bar(strip, slider),
    )
