"""The story of a run: F5 starts it, arrow keys change slides, Esc ends it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QTabBar

from studio.analysis.answers.predictions import PredictionErrors
from studio.analysis.headline import load_headline
from studio.analysis.headline_text import make_headline_parts
from studio.analysis.verdict import make_verdict
from studio.document.decision import Decision
from studio.gui.base import preferences, theme
from studio.gui.base.localisation import set_languages
from studio.gui.base.preferences import get_appearance
from studio.gui.pages.live.member_strip import list_shares
from studio.gui.pages.live.page import LivePage
from studio.gui.plots.base.helper_requests import HelperRequester, Query
from studio.gui.plots.quality.progress import HeadlinePlot
from studio.gui.shell.story.slides import LargeNumberLabel, MemberBar, PixelPicture
from studio.gui.shell.story.story import Story, StoryClosingCover
from studio.gui.shell.window import MainWindow
from studio.language import ENGLISH, tr
from studio.measure import Measure, format_duration
from studio.questions.columns.answer import ColumnEffectsPlan, name_important_columns
from tests.gui.plots.examples import EFFECTS, PLAN

pytestmark = pytest.mark.slow


@pytest.fixture
def window(recorded_window: MainWindow, helper: Any) -> Iterator[MainWindow]:
    helper.replaced |= {
        "make_column_plan": lambda _: PLAN,
        "compute_column_effects": lambda _: EFFECTS,
    }
    yield recorded_window
    set_languages(ENGLISH)


def make_plain(title: str) -> str:
    """Return a title with usual spaces."""
    return title.replace("\N{NO-BREAK SPACE}", " ")


def start_story(window: MainWindow, qtbot: Any) -> Story:
    qtbot.keyClick(window, Qt.Key.Key_F5)
    story = window.findChild(Story)
    assert story is not None
    return story


def test_story_is_controlled_by_keys(window: MainWindow, qtbot: Any) -> None:
    story = start_story(window, qtbot)
    expected_scale = min(window.height() / 440, window.width() / 700)
    assert theme.scale() == pytest.approx(expected_scale, abs=0.05)
    assert story.geometry() == window.rect()
    qtbot.waitUntil(lambda: "/" in story.position_label.text())
    titles = [make_plain(each.title_label.text()) for each in story.slides]
    assert "“digit”" in titles[0]
    assert titles[1].startswith("80 trials ")
    count = len(titles)
    for key, slide_number in (
        (Qt.Key.Key_Left, 1),
        (Qt.Key.Key_Right, 2),
        (Qt.Key.Key_Space, 3),
        (Qt.Key.Key_End, count),
        (Qt.Key.Key_Right, count),
        (Qt.Key.Key_PageUp, count - 1),
        (Qt.Key.Key_Home, 1),
    ):
        qtbot.keyClick(story, key)
        assert story.position_label.text() == f"{slide_number} / {count}"
    view = window.session.run_selection.run
    assert view is not None and window.session.path is not None
    answer = make_verdict(load_headline(window.session.path, view.row.id)).answer
    qtbot.waitUntil(lambda: make_plain(story.slides[0].title_label.text()).endswith(f"? {answer}"))
    score = load_headline(window.session.path, view.row.id)
    assert make_plain(story.slides[-1].title_label.text()) == make_headline_parts(score)[0], (
        "as the Answer page"
    )
    window.resize(1300, 820)
    assert story.geometry() == window.rect()
    qtbot.keyClick(story, Qt.Key.Key_Escape)
    assert not story.isVisible()
    qtbot.waitUntil(lambda: theme.scale() == 1.0)
    qtbot.waitUntil(lambda: window.findChild(Story) is None)


def test_window_is_covered_until_font_size_is_restored(window: MainWindow, qtbot: Any) -> None:
    story = start_story(window, qtbot)
    qtbot.keyClick(story, Qt.Key.Key_Escape)
    cover = window.findChild(StoryClosingCover)
    assert cover is not None and theme.scale() > 1.0
    changes: list[bool] = []

    def note_whether_covered(_: object) -> None:
        is_covered = cover.isVisible() and cover.geometry().contains(window.rect())
        changes.append(is_covered and window.childAt(window.rect().center()) is cover)

    theme.get_notifier().changed.connect(note_whether_covered)
    qtbot.waitUntil(lambda: window.findChild(StoryClosingCover) is None)
    theme.get_notifier().changed.disconnect(note_whether_covered)
    assert changes == [True]
    assert theme.scale() == 1.0 and not get_appearance().is_presenting


def test_closed_story_focuses_no_button(window: MainWindow, qtbot: Any) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.setFocus()
    for _ in range(2):
        window.window_actions.show_slides()
        story = window.findChild(Story)
        assert story is not None
        assert window.focusWidget() is story
        qtbot.keyClick(story, Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda: window.findChild(Story) is None)
        assert not isinstance(window.focusWidget(), QAbstractButton)


def test_slides_and_pixel_rows_fit_small_window(window: MainWindow, qtbot: Any) -> None:
    window.resize(911, 512)
    story = start_story(window, qtbot)
    assert theme.scale() == pytest.approx(1.2), "still larger than usual"
    qtbot.waitUntil(lambda: bool(story.findChildren(PixelPicture)))
    assert all(each.heightForWidth(160) == 160 for each in story.findChildren(PixelPicture))
    for slide in story.slides:
        qtbot.wait(1)
        needed = slide.layout().minimumHeightForWidth(slide.width())
        assert needed <= slide.height(), slide.title_label.text()
        qtbot.keyClick(story, Qt.Key.Key_Right)


@pytest.mark.parametrize("language", [ENGLISH, "fr"])
def test_plot_height_is_independent_of_font_size(
    language: str, window: MainWindow, qtbot: Any
) -> None:
    preferences.save(preferences.load().with_changes(type_scale=2.0))
    set_languages(language)
    window.resize(1366, 768)
    story = start_story(window, qtbot)
    qtbot.keyClick(story, Qt.Key.Key_Right)
    slide = story.slides[1]
    plot, caption = slide.findChild(HeadlinePlot), slide.caption_label
    assert plot is not None
    qtbot.waitUntil(lambda: plot.height() >= 0.55 * window.height())
    assert caption.height() < 2.5 * caption.fontMetrics().lineSpacing()
    assert plot.canvas.height() > 0.7 * plot.height(), "most of it is not the legend"


def test_f5_toggles_story_or_presentation_mode(window: MainWindow, qtbot: Any) -> None:
    for presents in (True, False):
        qtbot.keyClick(window, Qt.Key.Key_F5)
        assert get_appearance().is_presenting is presents
    window.session.close()
    qtbot.keyClick(window, Qt.Key.Key_F5)
    assert get_appearance().is_presenting
    assert not any(each.isVisible() for each in window.findChildren(Story))


def test_number_of_slides_is_shown_once_it_is_final(
    window: MainWindow, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HelperRequester, "submit", lambda *_: None)
    story = start_story(window, qtbot)
    assert not story.position_label.text()
    count = len(story.slides)
    story._add_slide_of_rows(Query({}, None, 0), PredictionErrors(count=3, classes=("a", "b")))
    assert not story.position_label.text(), "the columns are still unknown"
    story._effects._on_plan(ColumnEffectsPlan(reason="No ensemble."))
    assert story.position_label.text() == f"1 / {count}"


def find_why_slides(story: Story) -> list[int]:
    """Return the places of the slides of the columns that matter."""
    title = name_important_columns(EFFECTS)
    titles = [make_plain(each.title_label.text()) for each in story.slides]
    return [index for index, each in enumerate(titles) if each == title]


def test_slide_of_columns_appears_at_its_place_once_computed(
    window: MainWindow, helper: Any, qtbot: Any
) -> None:
    unfinished = replace(EFFECTS, is_complete=False)
    helper.replaced["compute_column_effects"] = lambda _: unfinished
    story = start_story(window, qtbot)
    qtbot.waitUntil(lambda: "compute_column_effects" in [task for task, _ in helper.asked])
    qtbot.waitUntil(lambda: bool(story.findChildren(PixelPicture)))
    qtbot.wait(20)
    assert all(each.title_label.text() and each.caption_label.text() for each in story.slides)
    assert find_why_slides(story) == [], "nothing to see yet"
    qtbot.keyClick(story, Qt.Key.Key_End)
    assert not story.position_label.text(), "it may still appear, and change the number"
    shown = story.slides[-1]
    helper.replaced["compute_column_effects"] = lambda _: EFFECTS
    qtbot.waitUntil(lambda: bool(find_why_slides(story)))
    assert find_why_slides(story) == [3], "after the members, before the rows"
    assert shown.isVisible() and shown is story.slides[-1]
    assert story.position_label.text() == f"{len(story.slides)} / {len(story.slides)}"


@pytest.mark.parametrize(
    "plan", [replace(PLAN, fit_seconds=1000.0), ColumnEffectsPlan(reason="No ensemble.")]
)
def test_story_without_known_columns_omits_their_slide(
    plan: ColumnEffectsPlan, window: MainWindow, helper: Any, qtbot: Any
) -> None:
    helper.replaced["make_column_plan"] = lambda _: plan
    story = start_story(window, qtbot)
    qtbot.waitUntil(lambda: "/" in story.position_label.text())
    assert find_why_slides(story) == []


def test_columns_of_results_are_shown_without_another_computation(
    window: MainWindow, helper: Any, qtbot: Any
) -> None:
    window.show_page("results")
    qtbot.waitUntil(lambda: bool(window.session.column_effects))
    helper.asked.clear()
    story = start_story(window, qtbot)
    assert find_why_slides(story) == [3]
    assert "compute_column_effects" not in [task for task, _ in helper.asked]
    story.end()
    qtbot.waitUntil(lambda: window.findChild(Story) is None)
    window.session.run_selection.choose_iteration(12)
    helper.holds_replies = True
    window.window_actions.show_slides()
    earlier = window.findChild(Story)
    assert earlier is not None
    assert find_why_slides(earlier) == [], "another ensemble"


def test_closing_story_does_not_cancel_running_step(
    window: MainWindow, helper: Any, qtbot: Any
) -> None:
    """Cancelling a step may end the helper and lose its results."""
    story = start_story(window, qtbot)
    helper.holds_replies = True
    qtbot.waitUntil(lambda: "compute_column_effects" in [task for task, _ in helper.asked])
    story.end()
    qtbot.waitUntil(lambda: window.findChild(Story) is None)
    assert not window.session.column_effects
    helper.release()
    assert next(iter(window.session.column_effects.values())).plan == PLAN


def test_story_of_one_model_has_no_bar_and_no_overlays(
    window: MainWindow, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    selection = window.session.run_selection
    selection.overlay(next(each for each in (1, 2) if each != selection.run_id), enabled=True)
    monkeypatch.setattr(
        "studio.gui.shell.story.story.list_shares", lambda subject: list_shares(subject)[:1]
    )
    story = start_story(window, qtbot)
    assert not story.findChildren(MemberBar)
    assert "One model" in story.slides[1].caption_label.text()
    plot = story.slides[1].findChild(HeadlinePlot)
    assert plot is not None and plot.subject is not None
    assert selection.overlaid_runs and not plot.subject.overlays, "their range would be the axis'"


def test_tabs_have_normal_font_size_after_story(window: MainWindow, qtbot: Any) -> None:
    page = window.get_page_widget("live")
    assert isinstance(page, LivePage)
    page._choose_view(True)
    qtbot.waitUntil(lambda: any(each.count() for each in page.findChildren(QTabBar)))
    window.show_page("results")
    story = start_story(window, qtbot)
    qtbot.keyClick(story, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.findChild(Story) is None)
    window.show_page("live")
    sizes = {each.font().pixelSize() for each in page.findChildren(QTabBar) if each.count()}
    assert sizes == {window.font().pixelSize()}


def test_leaving_story_returns_to_presentation_mode(window: MainWindow, qtbot: Any) -> None:
    qtbot.keyClick(window, Qt.Key.Key_F5, Qt.KeyboardModifier.ShiftModifier)
    assert get_appearance().is_presenting and window.findChild(Story) is None
    for leaving in (Qt.Key.Key_Escape, Qt.Key.Key_F5):
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        qtbot.keyClick(window, Qt.Key.Key_F5)
        story = window.findChild(Story)
        assert story is not None and story.isVisible()
        qtbot.keyClick(story, leaving)
        qtbot.waitUntil(lambda: window.findChild(Story) is None)
        assert get_appearance().is_presenting and window.isFullScreen()
    qtbot.keyClick(window.focusWidget() or window, Qt.Key.Key_Escape)
    assert not get_appearance().is_presenting


def test_all_slides_show_selected_iteration(window: MainWindow, qtbot: Any) -> None:
    view = window.session.run_selection.run
    assert view is not None and view.row.result is not None
    window.session.run_selection.choose_iteration(12)
    story = start_story(window, qtbot)
    state = view.iterations[11]
    assert story.moment_label.text() == tr("iteration {number} of {all}", number="12", all="80")
    question, search, members, *_, tested = story.slides
    assert question.title_label.text().endswith("?"), "the answer is of the final models"
    assert make_plain(search.title_label.text()).startswith("12 trials in ")
    assert format_duration(float(state.details["elapsed"])) in make_plain(search.title_label.text())
    assert str(len(state.members)) in make_plain(members.title_label.text())
    measure = Measure.from_title("", "%")
    number_texts = [each.text() for each in tested.findChildren(LargeNumberLabel)]
    assert number_texts == [
        measure.format_briefly(state.ensemble_validation),
        measure.format_briefly(state.ensemble_test),
    ]
    story.end()
    qtbot.waitUntil(lambda: window.findChild(Story) is None)
    window.session.run_selection.choose_iteration(None)
    window.window_actions.show_slides()
    newest = window.findChild(Story)
    assert newest is not None and newest.moment_label.text() == ""
    newest.end()
    qtbot.waitUntil(lambda: window.findChild(Story) is None)
    window.session.run_selection.choose_iteration(80)
    window.window_actions.show_slides()
    at_end = window.findChild(Story)
    assert at_end is not None and at_end.moment_label.text() == ""
    plot = at_end.slides[1].findChild(HeadlinePlot)
    assert plot is not None and plot.subject is not None
    assert plot.subject.selected_iteration is None, "as without a selection"


def test_slide_labels_follow_decision(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    view = window.session.run_selection.run
    assert view is not None
    decision = Decision("Yes", 0.117)
    monkeypatch.setattr(view, "row", replace(view.row, decision=decision))
    queries: list[Query] = []
    monkeypatch.setattr(HelperRequester, "submit", lambda _, query: queries.append(query))
    qtbot.keyClick(window, Qt.Key.Key_F5)
    (rule,) = [each.arguments["decision"] for each in queries if "decision" in each.arguments]
    assert rule == ("Yes", 0.117), "rows are right or wrong by it"


@pytest.mark.parametrize(
    ("language", "size"),
    [("en", (880, 540)), ("en", (1366, 768)), ("fr", (880, 540)), ("fr", (1920, 1080))],
)
def test_slides_are_not_clipped(
    size: tuple[int, int], language: str, window: MainWindow, qtbot: Any
) -> None:
    set_languages(language)
    window.resize(*size)
    story = start_story(window, qtbot)
    qtbot.waitUntil(lambda: bool(story.findChildren(PixelPicture)))
    for slide in story.slides:
        window.setWindowState(Qt.WindowState.WindowNoState)
        window.resize(*size)
        qtbot.wait(20)
        for label in slide.findChildren(QLabel):
            if label.isVisible():
                needed = label.heightForWidth(label.width()) if label.wordWrap() else 0
                assert label.height() >= needed, label.text()
                bottom = label.mapTo(story, label.rect().bottomLeft()).y()
                assert bottom < slide.mapTo(story, slide.rect().bottomLeft()).y() + 1, label.text()
        qtbot.keyClick(story, Qt.Key.Key_Right)
