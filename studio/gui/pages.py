"""The pages of the window: what stands on the rail, and how each is made at its first time."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from studio.gui.language import mark
from studio.gui.welcome_page import WelcomePage

if TYPE_CHECKING:
    from studio.gui.window import MainWindow

WELCOME = "welcome"
PAGES = (
    ("data", mark("Data"), mark("The table, what to predict, how rows are divided")),
    ("space", mark("Space"), mark("Which models and settings are tried: the search space")),
    ("run", mark("Run"), mark("Method, budget and limits of the next run")),
    ("live", mark("Live"), mark("Watch the chosen run")),
    ("compare", mark("Compare"), mark("Methods against each other on many tables")),
    ("results", mark("Results"), mark("The final ensemble: predict and export")),
)
"""Key (also the icon's name), title and one line of each page on the rail."""


def make_page(key: str, window: "MainWindow") -> QWidget:
    """Return a new page, wired to the window; its module is imported only now."""
    return {
        WELCOME: _welcome,
        "data": _data,
        "space": _space,
        "run": _run,
        "live": _live,
        "compare": _compare,
        "results": _results,
    }[key](window)


def _welcome(window: "MainWindow") -> QWidget:
    page = WelcomePage()
    page.sample_chosen.connect(window.opening.open_sample)
    page.table_wanted.connect(window.documents.choose_table)
    page.document_wanted.connect(window.documents.choose_document)
    page.compare_wanted.connect(window.documents.compare)
    page.recent_chosen.connect(window.opening.open_path)
    page.recording_wanted.connect(window.guidance.play_recording)
    page.guide_wanted.connect(window.guidance.show_around)
    return page


def _data(window: "MainWindow") -> QWidget:
    from studio.gui.data_page import DataPage

    page = DataPage(window.data, window.run, window.advice)
    page.table_wanted.connect(window.documents.choose_table)
    return page


def _space(window: "MainWindow") -> QWidget:
    from studio.gui.space.page import SpacePage

    return SpacePage(window.session, window.helper)


def _run(window: "MainWindow") -> QWidget:
    from studio.gui.run_page import RunPage

    window.run.ask_catalogue()
    page = RunPage(
        window.run,
        window.data,
        window.session,
        advice=window.advice,
        starter=window.starter,
        helper=window.helper,
    )
    page.live_wanted.connect(lambda: window.show_page("live"))
    page.form.advice.space_wanted.connect(lambda: window.show_page("space"))
    page.failures.space_wanted.connect(lambda: window.show_page("space"))
    page.failed.connect(window.banner.say)
    return page


def _live(window: "MainWindow") -> QWidget:
    from studio.gui.live_page import LivePage

    page = LivePage(window.session, window.helper)
    page.play_wanted.connect(window.slider.play_or_pause)
    return page


def _compare(window: "MainWindow") -> QWidget:
    from studio.gui.compare.page import ComparePage

    window.run.ask_catalogue()
    page = ComparePage(window.session, window.data, window.run, window.helper)
    page.run_wanted.connect(window.acts.look_at)
    page.failed.connect(window.banner.say)
    return page


def _results(window: "MainWindow") -> QWidget:
    from studio.gui.results_page import ResultsPage

    window.run.ask_catalogue()
    return ResultsPage(window.session, window.run, window.helper)
