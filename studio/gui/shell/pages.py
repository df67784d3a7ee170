"""How each page is made at its first time, and wired to what is done in the doing.frame."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from studio.gui.pages.welcome.page import WelcomePage
from studio.gui.shell.window_services import WindowServices


def make_page(key: str, doing: WindowServices) -> QWidget:
    """Return a new page, wired; its module is imported only now."""
    return MAKERS[key](doing)


def wire_welcome(page: WelcomePage, doing: WindowServices) -> None:
    """Wire the first page, which is seen before anything can be done."""
    page.sample_chosen.connect(doing.opening.open_sample)
    page.table_wanted.connect(doing.documents.choose_table)
    page.document_wanted.connect(doing.documents.choose_document)
    page.compare_wanted.connect(doing.documents.compare)
    page.recent_chosen.connect(doing.opening.open_path)
    page.recording_wanted.connect(doing.player.play_recording)
    page.guide_wanted.connect(doing.tour.start)


def _data(doing: WindowServices) -> QWidget:
    from studio.gui.pages.data.page import DataPage

    page = DataPage(doing.frame.data, doing.frame.run, doing.frame.advice)
    page.table_wanted.connect(doing.documents.choose_table)
    return page


def _space(doing: WindowServices) -> QWidget:
    from studio.gui.pages.space.page import SpacePage

    return SpacePage(doing.frame.session, doing.frame.helper)


def _run(doing: WindowServices) -> QWidget:
    from studio.gui.pages.run.page import RunPage

    doing.frame.run.ask_catalogue()
    page = RunPage(
        doing.frame.run,
        doing.frame.data,
        doing.frame.session,
        advice=doing.frame.advice,
        starter=doing.frame.starter,
        helper=doing.frame.helper,
    )
    page.live_wanted.connect(lambda: doing.frame.show_page("live"))
    page.runs.compare_wanted.connect(lambda: doing.frame.show_page("compare"))
    page.form.advice.space_wanted.connect(lambda: doing.frame.show_page("space"))
    page.failures.space_wanted.connect(lambda: doing.frame.show_page("space"))
    page.failed.connect(doing.frame.banner.say)
    return page


def _live(doing: WindowServices) -> QWidget:
    from studio.gui.pages.live.page import LivePage

    page = LivePage(doing.frame.session, doing.frame.helper)
    page.play_wanted.connect(doing.frame.slider.player.toggle)
    page.result_wanted.connect(lambda: doing.frame.show_page("results"))
    page.said.connect(doing.frame.toast.say)
    return page


def _compare(doing: WindowServices) -> QWidget:
    from studio.gui.pages.compare.page import ComparePage

    doing.frame.run.ask_catalogue()
    page = ComparePage(doing.frame.session, doing.frame.data, doing.frame.run, doing.frame.helper)
    page.run_wanted.connect(doing.acts.look_at)
    page.failed.connect(doing.frame.banner.say)
    return page


def _results(doing: WindowServices) -> QWidget:
    from studio.gui.pages.results.page import ResultsPage

    doing.frame.run.ask_catalogue()
    page = ResultsPage(doing.frame.session, doing.frame.run, doing.frame.helper)
    page.page_wanted.connect(doing.frame.show_page)
    page.said.connect(doing.frame.toast.say)
    return page


MAKERS: dict[str, Callable[[WindowServices], QWidget]] = {
    "data": _data,
    "space": _space,
    "run": _run,
    "live": _live,
    "compare": _compare,
    "results": _results,
}
"""What makes each page, by its key."""
