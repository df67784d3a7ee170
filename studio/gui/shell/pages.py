"""Creation of each page on first use, and its connection to the window's services."""

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QWidget

from studio.gui.pages.welcome.page import WelcomePage
from studio.gui.shell.window_services import WindowServices


def connect_welcome(page: WelcomePage, services: WindowServices) -> None:
    """Connect the first page, which is visible before any command is available."""
    page.sample_chosen.connect(services.document_opener.open_sample)
    page.table_requested.connect(services.documents.choose_table)
    page.document_requested.connect(services.documents.choose_document)
    page.compare_page_requested.connect(services.documents.compare)
    page.recent_chosen.connect(services.document_opener.open_path)
    page.recording_requested.connect(services.player.play_recording)
    page.guide_requested.connect(services.tour.start)


def _make_data_page(services: WindowServices) -> QWidget:
    from studio.gui.pages.data.page import DataPage

    frame = services.frame
    page = DataPage(frame.data, frame.run, frame.advice)
    page.table_requested.connect(services.documents.choose_table)
    return page


def _make_space_page(services: WindowServices) -> QWidget:
    from studio.gui.pages.space.page import SpacePage

    return SpacePage(services.frame.session, services.frame.data, services.frame.helper)


def _make_run_page(services: WindowServices) -> QWidget:
    from studio.gui.pages.run.page import RunPage

    frame = services.frame
    frame.run.request_catalogue()
    page = RunPage(
        frame.run,
        frame.data,
        frame.session,
        advice=frame.advice,
        starter=frame.starter,
        helper=frame.helper,
        speed_meter=frame.top_bar.speed_meter,
    )
    page.live_page_requested.connect(partial(frame.show_page, "live"))
    page.data_page_requested.connect(partial(frame.show_page, "data"))
    page.runs.compare_page_requested.connect(partial(frame.show_page, "compare"))
    page.form.advice.space_page_requested.connect(partial(frame.show_page, "space"))
    page.form.start_card.space_page_requested.connect(partial(frame.show_page, "space"))
    page.failures.space_page_requested.connect(partial(frame.show_page, "space"))
    page.failed.connect(frame.banner.show_message)
    return page


def _make_live_page(services: WindowServices) -> QWidget:
    from studio.gui.pages.live.page import LivePage

    frame = services.frame
    page = LivePage(frame.session, frame.helper)
    page.playback_requested.connect(frame.slider.toggle_play)
    page.result_requested.connect(services.actions.show_result)
    page.action_finished.connect(frame.toast.show_message)
    page.show_starting(frame.starter.step)
    frame.starter.busy_changed.connect(page.show_starting)
    return page


def _make_compare_page(services: WindowServices) -> QWidget:
    from studio.gui.pages.compare.page import ComparePage

    frame = services.frame
    frame.run.request_catalogue()
    page = ComparePage(frame.session, frame.data, frame.run, frame.helper)
    page.run_requested.connect(services.actions.show_run)
    page.failed.connect(frame.banner.show_message)
    return page


def _make_results_page(services: WindowServices) -> QWidget:
    from studio.gui.pages.results.page import ResultsPage

    frame = services.frame
    frame.run.request_catalogue()
    page = ResultsPage(frame.session, frame.run, frame.helper)
    page.page_requested.connect(frame.show_page)
    page.exclusion_requested.connect(services.actions.run_without)
    frame.starter.started.connect(lambda _: page.show_answer())
    page.action_finished.connect(frame.toast.show_message)
    page.topic_changed.connect(lambda _: frame.update_help())
    return page


PAGE_FACTORIES: dict[str, Callable[[WindowServices], QWidget]] = {
    "data": _make_data_page,
    "space": _make_space_page,
    "run": _make_run_page,
    "live": _make_live_page,
    "compare": _make_compare_page,
    "results": _make_results_page,
}
"""Returns a new page by its key, connected; its module is imported on demand."""
