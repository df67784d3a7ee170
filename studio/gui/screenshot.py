"""Screenshots of the window without a display, for pull requests, guides and servers."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studio.awake_clock import read_awake_seconds
from studio.document.atomic_files import is_document, write_file
from studio.errors import StudioError, UsageError
from studio.scratch import make_scratch_folder
from studio.system.screen import draw_in_memory

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from studio.gui.pages.live.docks import DockArea
    from studio.gui.shell.window import MainWindow

_MAX_SECONDS = 120.0
_SETTLING_SECONDS = 1.0
_QUIET_SECONDS = 0.6
"""Milliseconds after the helper's last answer, for layout and painting."""

_EVENT_LOOP_TURNS = 20
"""Turns of the event loop at the end: nested layouts update in the next turn, which may take as
long as the pause on a busy machine.
"""


@dataclass(frozen=True)
class ScreenshotOptions:
    """Content and size of a screenshot.

    Attributes:
        page: "welcome", "data", "space", "run", "live", "compare" or "results".
        size: Width and height in device-independent pixels.
        scale: Pixels of the picture per device-independent pixel, 1 or more: 2 for high density.
        language: "en", or another included language; "xx" for the tests' lengthened
            pseudo-language.
        question: Key of the Results page's question; empty for the first.
        plots: Keys of the plots to show on the Live page; empty for its default arrangement.
        omits_window: Whether to capture only the page, or only the given plots, in that size if the
            window can shrink to it.
    """

    page: str = "live"
    is_dark: bool = False
    size: tuple[int, int] = (1440, 900)
    scale: float = 1.0
    language: str = "en"
    question: str = ""
    plots: tuple[str, ...] = ()
    is_presentation: bool = False
    omits_window: bool = False


def capture(document: Path, output: Path, options: ScreenshotOptions) -> None:
    """Open a document in a hidden window and write its picture.

    User settings are neither read nor changed, so the same document gives the same picture.

    Args:
        document: A ``.studio`` file, unchanged except for the window's own notes.

    Raises:
        StudioError: If the document cannot be opened or the picture cannot be written.
        UsageError: If a plot's or question's key is unknown.
    """
    if is_document(output):
        raise StudioError(
            "{output} is a document, which a picture would replace. Choose another name for -o.",
            output=output,
        )
    draw_in_memory()
    if options.scale != 1.0:
        os.environ["QT_SCALE_FACTOR"] = str(options.scale)
    with make_scratch_folder() as folder, _raise_uncaught():
        _isolate_settings(folder)
        _capture_window(document, output, options)


@contextmanager
def _raise_uncaught() -> Iterator[None]:
    """Raise uncaught errors at the end, as Qt would ignore them."""
    errors: list[BaseException] = []
    previous_hook = sys.excepthook
    sys.excepthook = lambda kind, error, trace: errors.append(error)
    try:
        yield
    finally:
        sys.excepthook = previous_hook
    if errors:
        raise errors[0]


def _isolate_settings(folder: Path) -> None:
    from PySide6.QtCore import QSettings

    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(folder))


def _capture_window(document: Path, output: Path, options: ScreenshotOptions) -> None:
    from PySide6.QtCore import QEvent, QSize, Qt

    from studio.gui.app import make_app
    from studio.gui.base import localisation, preferences
    from studio.gui.base.preferences import REDUCED_MOTION, Preferences, get_appearance
    from studio.gui.base.saving import encode_png
    from studio.gui.shell.frame.page_list import WELCOME
    from studio.gui.shell.window import MainWindow

    app = make_app()
    view = "expert" if options.plots else "simple"
    # Animations are disabled, as a screenshot would show an intermediate state.
    theme_key = "dark" if options.is_dark else "light"
    preferences.save(Preferences(look=theme_key, live=view, motion=REDUCED_MOTION))
    localisation.apply_language(options.language)
    get_appearance().apply()
    window = MainWindow()
    try:
        window.resize(*options.size)
        if options.page != WELCOME:
            window.session.open(document)
            window.show_page(options.page)
        window.show()
        if options.question:
            _open_question(window, options.question)
        if options.plots:
            window.show_page("live")
            _arrange_plots(window, options.plots)
        get_appearance().set_presenting(options.is_presentation)
        # Presentation mode fills the screen; the screenshot has the requested size.
        window.setWindowState(Qt.WindowState.WindowNoState)
        window.resize(*options.size)
        if options.omits_window:
            app.processEvents()
            widget_size = _find_captured_widget(window, options).size()
            window.resize(window.size() + QSize(*options.size) - widget_size)
        # Waits for the helper's replies; without them, the picture is incomplete but correct.
        start_time = now = read_awake_seconds()
        quiet_until = start_time + _SETTLING_SECONDS
        while now < min(quiet_until, start_time + _MAX_SECONDS):
            app.processEvents()
            time.sleep(0.02)
            now = read_awake_seconds()
            if window.helper.is_busy:
                quiet_until = max(quiet_until, now + _QUIET_SECONDS)
        for _ in range(_EVENT_LOOP_TURNS):
            app.processEvents()
        write_file(output, encode_png(_find_captured_widget(window, options).grab().toImage()))
    finally:
        get_appearance().set_presenting(False)
        window.session.close()
        window.helper.close()
        window.deleteLater()
        # Clean up now, while the application exists; at the end of the process it would be too
        # late.
        app.sendPostedEvents(window, QEvent.Type.DeferredDelete.value)


def _find_captured_widget(window: "MainWindow", options: ScreenshotOptions) -> "QWidget":
    if not options.omits_window:
        return window
    return _get_dock_area(window) if options.plots else window.get_page_widget(options.page)


def _get_dock_area(window: "MainWindow") -> "DockArea":
    from studio.gui.pages.live.page import LivePage

    page = window.get_page_widget("live")
    assert isinstance(page, LivePage)
    return page.area


def _open_question(window: "MainWindow", question: str) -> None:
    from studio.gui.pages.results.page import ResultsPage

    window.show_page("results")
    page = window.get_page_widget("results")
    assert isinstance(page, ResultsPage)
    if question not in page.views.chips:
        chip_names = ", ".join(page.views.chips)
        raise UsageError(
            "There is no question {question!r}; there are {known}.",
            question=question,
            known=chip_names,
        )
    page.views.open(question)


def _arrange_plots(window: "MainWindow", keys: tuple[str, ...]) -> None:
    """Show only these plots of the Live page."""
    area = _get_dock_area(window)
    unknown = [key for key in keys if key not in area.docks]
    if unknown:
        raise UsageError(
            "There is no plot {unknown!r}; choose among {known}.",
            unknown=unknown[0],
            known=", ".join(area.docks),
        )
    area.arrange(keys)
