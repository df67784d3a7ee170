"""The leaderboard: content, order and actions."""

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from studio.analysis.answers.ensemble import Contributions
from studio.analysis.answers.predictions import TrialTestLosses
from studio.document.trials import Iteration
from studio.gui.base import theme
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.results.page import ResultsPage
from studio.gui.pages.results.views.leaderboard import KEYS, LeaderboardTable, LeaderboardView
from studio.gui.pages.results.views.leaderboard_model import (
    LeaderboardEntry,
    filter_entries,
    get_loss_format,
    get_scale_limits,
    make_entries,
)
from studio.gui.session.session import Session
from studio.gui.shell.frame.frame import COLLAPSED_RAIL_WIDTH
from studio.gui.shell.frame.top_bar import BAR_HEIGHT
from studio.gui.widgets.plain_table import compute_column_width
from studio.gui.widgets.records import ListDelegate, shorten_list
from studio.trial import Trial
from tests.facts import contains_facts
from tests.gui.conftest import ViewMaker
from tests.gui.tables import texts
from tests.gui.visible_content import get_visible_text, press
from tests.results import make_result

TRIALS = [
    Trial(1, {"algorithm": "knn", "knn.k": 3, "knn.p": 2}, 0, 0.2, fit_seconds=1.0),
    Trial(2, {"algorithm": "svm", "svm.C": 10.0}, 0, 0.1, fit_seconds=3.0),
    Trial(3, {"algorithm": "qda"}, 0, None, "Too little memory.", "Allow more.", fit_seconds=2.0),
    Trial(4, {"algorithm": "knn", "knn.k": 9, "knn.p": 2}, 0, 0.1, fit_seconds=0.5),
]
WEIGHTS = {1: 0.7, 4: 0.3}


@pytest.fixture
def lines(make_view: ViewMaker) -> Any:
    view = make_view()
    view.trials = list(TRIALS)
    return make_entries(view, WEIGHTS, [0.25, float("nan")])


def numbers(found: Any) -> list[int]:
    return [each.trial.number for each in found]


def test_leaderboard_sorts_by_loss_and_trial(lines: Any) -> None:
    assert numbers(lines) == [2, 4, 1, 3]
    assert [each.rank for each in lines] == [1, 2, 3, None]
    assert [each.test for each in lines] == [None, None, 0.25, None]
    assert [each.weight for each in lines] == [None, 0.3, 0.7, None]


def test_nearly_equal_losses_have_separate_dots(make_view: ViewMaker) -> None:
    view = make_view()
    losses = [0.3000, 0.3002, 0.3004, 0.3005, 9.0]
    view.trials = [Trial(n, {"algorithm": "knn"}, 0, loss) for n, loss in enumerate(losses, 1)]
    left_limit, right = get_scale_limits(make_entries(view, {}))
    assert left_limit == pytest.approx(0.3), "the best is at the left"
    assert right == pytest.approx(0.3008), "a distant worst one does not compress the others"
    view.trials = view.trials[:2]
    assert get_scale_limits(make_entries(view, {})) == pytest.approx((0.3, 0.3002))
    view.trials = []
    assert get_scale_limits(make_entries(view, {})) == (0.0, 0.0), "nothing to compare"


def test_best_losses_have_distinguishing_digits(make_view: ViewMaker) -> None:
    def format_losses(losses: list[float]) -> list[str]:
        view = make_view()
        view.trials = [Trial(n, {"algorithm": "knn"}, 0, loss) for n, loss in enumerate(losses, 1)]
        entries = make_entries(view, {})
        how = get_loss_format(entries)
        return [how.format(each.trial.loss) for each in entries if each.trial.loss is not None]

    assert format_losses([143.53, 143.57, 143.58, 152.954]) == [
        "143.53",
        "143.57",
        "143.58",
        "152.95",
    ]
    assert format_losses([143.2, 148.9, 152.954]) == ["143.2", "148.9", "153.0"]
    assert format_losses([0.2612, 0.2613, 0.3]) == ["0.2612", "0.2613", "0.3000"]
    assert format_losses([3.0, 12.0]) == ["3", "12"]
    near_hundred = [98.324, 101.46, 103.71, 106.22, 106.224, 2000.4]
    assert format_losses(near_hundred) == ["98.3", "101.5", "103.7", "106.2", "106.2", "2,000.4"]


def test_settings_are_shortened_between_items() -> None:
    def shorten(width: int) -> str:
        return shorten_list("units 64, rate 0.1, dropout 0.15", len, width)

    assert shorten(32) == "units 64, rate 0.1, dropout 0.15"
    assert shorten(31) == "units 64, rate 0.1  +1"
    assert shorten(12) == "units 64  +2"
    assert shorten(9) == "unit…  +2", "part of the first"
    assert shorten(5) == "units 64, rate 0.1, dropout 0.15", "too narrow: cut as usual"


@pytest.mark.slow
def test_causes_are_not_shortened_like_lists(leaderboard: LeaderboardView) -> None:
    section, records = KEYS.index(None), leaderboard.table.records
    delegate = leaderboard.table.itemDelegateForColumn(section)
    assert isinstance(delegate, ListDelegate)
    cause = Trial(1, {}, 0, None, "Stopped after one fold, as it was slow, and more than that.")
    settings = Trial(2, {"algorithm": "svm", "svm.C": 1.0, "svm.gamma": 2.0}, 0, 0.1)
    records.set_records(records.columns, [LeaderboardEntry(t, None) for t in (cause, settings)])
    shown = []
    for row in range(2):
        option = QStyleOptionViewItem()
        option.rect = QRect(0, 0, 70, 30)
        delegate.initStyleOption(option, records.index(row, section))
        shown.append(option.text)
    assert shown[0] == cause.cause
    assert shown[1].endswith("+1")


def test_missing_values_are_sorted_last(lines: Any) -> None:
    assert numbers(filter_entries(lines, "all", "", "weight", descending=True))[:2] == [1, 4]
    assert numbers(filter_entries(lines, "all", "", "weight"))[:2] == [4, 1]
    assert numbers(filter_entries(lines, "all", "", "loss", descending=True)) == [1, 2, 4, 3]
    assert numbers(filter_entries(lines, "all", "", "seconds")) == [4, 1, 3, 2]


def test_search_covers_models_settings_and_causes(lines: Any) -> None:
    assert numbers(filter_entries(lines, "all", "KNN k", "rank")) == [4, 1]
    assert numbers(filter_entries(lines, "all", "k 9", "rank")) == [4]
    assert numbers(filter_entries(lines, "all", "memory", "rank")) == [3]
    assert numbers(filter_entries(lines, "members", "", "number")) == [1, 4]
    assert numbers(filter_entries(lines, "failed", "", "rank")) == [3]


def test_failed_stopped_and_unfinished_trials_have_separate_filters(make_view: ViewMaker) -> None:
    view = make_view()
    view.trials = [
        Trial(1, {}, 0, None, "Too little memory.", failure="memory"),
        Trial(2, {}, 0, None, "Not worth it.", failure="early"),
        Trial(3, {}, 0, None, "Too slow.", failure="time"),
    ]
    lines = make_entries(view, {})
    for which, expected in (("failed", [1]), ("ended early", [2]), ("not finished", [3])):
        assert numbers(filter_entries(lines, which, "", "rank")) == expected  # type: ignore[arg-type]


@pytest.fixture
def page(session: Session, helper: Any, qtbot: QtBot) -> ResultsPage:
    document = session.document
    split = {"train": np.arange(4), "validation": np.arange(4, 8), "test": np.arange(8, 12)}
    settings = {"method": "EO-sqm", "metric": "error", "budget": 4}
    run = document.runs.add("EO-sqm", settings, split=split)
    for each in TRIALS:
        predictions = None if each.loss is None else np.zeros((4, 2), np.float16)
        members = ((1, 0.7), (4, 0.3)) if each.number == 4 else ((1, 1.0),)
        now = Iteration(each.number, 1, 0.1, None, 0.1, None, members)
        document.trials.add(run, each, predictions, None, now)
    document.runs.set_state(run, "finished")
    session.following.poll()
    session.run_selection.choose_run(run)
    helper.replaced["own_test_losses"] = lambda _: TrialTestLosses(
        np.array([0.25, 0.1, np.nan, 0.2])
    )
    results_page = ResultsPage(session, RunModel(session, helper), helper)
    qtbot.addWidget(results_page)
    results_page.resize(1200, 800)
    results_page.show()
    press(results_page, "Leaderboard")
    return results_page


@pytest.fixture
def leaderboard(page: ResultsPage) -> LeaderboardView:
    return page.views.get_view(LeaderboardView)


def pick(view: LeaderboardView, row: int) -> None:
    view.table.clearSelection()
    view.table.selectRow(row)


def list_shown_losses(view: LeaderboardView) -> list[str]:
    return [line[2] for line in texts(view.table.records)]


@pytest.mark.slow
def test_header_click_sorts_and_keeps_selection(leaderboard: LeaderboardView) -> None:
    assert list_shown_losses(leaderboard) == ["2", "4", "1", "3"]
    pick(leaderboard, 0)
    head = leaderboard.table.horizontalHeader()
    for section, expected in ((6, ["4", "1", "3", "2"]), (6, ["2", "3", "1", "4"])):
        position = head.sectionViewportPosition(section) + 8
        spot = head.rect().center()
        spot.setX(position)
        QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=spot)
        assert list_shown_losses(leaderboard) == expected
        assert numbers(leaderboard.table.selected_records) == [2]


@pytest.mark.slow
def test_leaderboard_filters_members_failures_and_text(
    leaderboard: LeaderboardView, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: texts(leaderboard.table.records)[0][5] == "10.0 %")
    press(leaderboard, "Failed trials (1)")
    assert list_shown_losses(leaderboard) == ["3"]
    assert texts(leaderboard.table.records)[0][-1] == "Too little memory."
    pick(leaderboard, 0)
    assert "Allow more." in get_visible_text(leaderboard)
    press(leaderboard, "Members (2)")
    assert list_shown_losses(leaderboard) == ["4", "1"]
    QTest.keyClicks(leaderboard.search, "k 3")
    assert list_shown_losses(leaderboard) == ["1"]


@pytest.mark.slow
def test_trials_can_be_opened_on_live_page(
    page: ResultsPage, leaderboard: LeaderboardView, qtbot: QtBot, session: Session
) -> None:
    pick(leaderboard, 1)
    with qtbot.waitSignal(page.page_requested) as blocker:
        press(leaderboard, "Show in Live")
    assert blocker.args == ["live"]
    assert session.run_selection.iteration == 4


@pytest.mark.slow
def test_single_trial_can_replace_ensemble_and_be_reverted(
    page: ResultsPage, leaderboard: LeaderboardView, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(
        page.export_card.line, "run", lambda arguments, *_: commands.append(arguments)
    )
    pick(leaderboard, 3)
    assert not leaderboard.use_single_button.isEnabled(), "it failed"
    pick(leaderboard, 1)
    press(leaderboard, "Use it alone")
    alone = "Trial 4 alone"
    assert contains_facts(get_visible_text(page), alone, "Nearest neighbours")
    page.export_card.start("pickle", tmp_path / "m.pkl")
    page.export_card.start("report", tmp_path / "r.html")
    press(page, "Back to the ensemble")
    assert alone not in get_visible_text(page)
    page.export_card.start("pickle", tmp_path / "m.pkl")
    assert ["--trial" in each for each in commands] == [True, False, False]
    assert commands[0][-2:] == ["--trial", "4"]


@pytest.mark.slow
def test_finished_trial_is_inserted_in_order(
    leaderboard: LeaderboardView, session: Session, qtbot: QtBot
) -> None:
    pick(leaderboard, 2)
    run = session.run_selection.run_id
    assert run is not None
    best = Trial(5, {"algorithm": "svm", "svm.C": 1.0}, 0, 0.05)
    now = Iteration(5, 5, 0.05, None, 0.05, None, ((5, 1.0),))
    session.document.trials.add(run, best, np.zeros((4, 2), np.float16), None, now)
    session.following.poll()
    qtbot.waitUntil(lambda: list_shown_losses(leaderboard) == ["5", "2", "4", "1", "3"])
    assert numbers(leaderboard.table.selected_records) == [1]


@pytest.mark.slow
@pytest.mark.parametrize("refitted", [False, True])
def test_leaderboard_has_test_errors_before_and_after_refit(
    page: ResultsPage,
    leaderboard: LeaderboardView,
    session: Session,
    helper: Any,
    qtbot: QtBot,
    refitted: bool,
) -> None:
    run = session.run_selection.run
    assert run is not None
    helper.replaced["contributions"] = lambda *_: Contributions(
        members=np.array([2]), member_test_losses=np.array([0.15]), is_refitted=True
    )
    losses = {"test_error_single": 0.3, "test_error_ensemble": 0.2}
    result = make_result((2, 1.0), refitted=refitted, trials=4, test_rows=4, **losses)
    session.document.runs.set_result(run.row.id, result)
    session.following.poll()
    qtbot.waitUntil(lambda: not leaderboard.table.isColumnHidden(KEYS.index("test")))
    if refitted:
        qtbot.waitUntil(lambda: texts(leaderboard.table.records)[0][5] == "10.0 → 15.0 %")
        rows = {line[2]: line[5] for line in texts(leaderboard.table.records)}
        assert rows["1"] == "25.0 → 30.0 %", "the best single model"
        assert rows["4"] == "20.0 %", "not refitted"
    heads = [each.title.split("\n") for each in leaderboard.table.records.columns]
    first, second = (heads[KEYS.index(key)] for key in ("loss", "test"))
    assert first == ["Error rate", "validation"], "the metric of the run"
    assert second == (["Error rate", "test → refitted"] if refitted else ["Error rate", "test"])


@pytest.mark.slow
def test_column_of_test_errors_does_not_appear_late(
    page: ResultsPage, leaderboard: LeaderboardView, session: Session, helper: Any, qtbot: QtBot
) -> None:
    run = session.run_selection.run
    assert run is not None
    helper.holds_replies = True
    losses = {"test_error_single": 0.3, "test_error_ensemble": 0.2}
    result = make_result((2, 1.0), refitted=True, trials=4, test_rows=4, **losses)
    session.document.runs.set_result(run.row.id, result)
    session.following.poll()
    assert not leaderboard.table.isColumnHidden(KEYS.index("test"))


@pytest.mark.parametrize("scale", [1.0, 1.25])
@pytest.mark.parametrize("width", [732, 1000])
def test_settings_are_visible_beside_errors_before_and_after_refit(
    qtbot: QtBot, qapp: QApplication, width: int, scale: float
) -> None:
    theme.apply(qapp, theme.LIGHT, scale)
    table = LeaderboardTable()
    qtbot.addWidget(table)
    table.resize(round(width * scale), 400)
    table.show()
    trials = [
        Trial(1, {"algorithm": "lda", "lda.shrinkage": 0.125}, 0, 0.2, fit_seconds=0.199),
        Trial(2, {"algorithm": "knn", "knn.k": 3}, 0, 0.1, fit_seconds=61.0),
    ]
    lines = [LeaderboardEntry(each, each.number, 0.123, 0.112, 0.5) for each in trials]
    table.show_entries(lines, "%", "Error rate", has_tests=True, is_refitted=True)
    QApplication.processEvents()
    assert table.horizontalScrollBar().maximum() == 0
    settings = table.columnWidth(KEYS.index(None))
    assert settings >= compute_column_width("", "shrinkage 0.125")
    model = table.columnWidth(KEYS.index("model"))
    full = compute_column_width("", "Linear discriminant analysis")
    assert (model >= full) is (width == 1000), "names give way"
    theme.apply(qapp, theme.LIGHT)


def test_long_metric_is_written_in_lines(qtbot: QtBot) -> None:
    table = LeaderboardTable()
    qtbot.addWidget(table)
    table.show_entries([], "", "Error rate")
    low = table.horizontalHeader().minimumHeight()
    width = table.columnWidth(KEYS.index("loss"))
    table.show_entries([], "%", "Mean absolute percentage error")
    assert table.records.columns[KEYS.index("loss")].title.split("\n")[:-1] == [
        "Mean absolute",
        "percentage error",
    ]
    assert table.horizontalHeader().minimumHeight() > low
    assert table.columnWidth(KEYS.index("loss")) < 2 * width


@pytest.mark.slow
@pytest.mark.parametrize("height", [theme.MIN_WINDOW_SIZE[1], 560, 768])
def test_only_tables_scroll(
    page: ResultsPage, leaderboard: LeaderboardView, qapp: QApplication, height: int
) -> None:
    """In the smallest window, in a small one, and on a laptop's screen."""
    theme.apply(qapp, theme.LIGHT)
    page.resize(880 - COLLAPSED_RAIL_WIDTH, height - BAR_HEIGHT)
    for row in (0, 3):
        pick(leaderboard, row)
        for _ in range(4):
            QApplication.processEvents()
        assert leaderboard.area.verticalScrollBar().maximum() == 0, f"{row} does not fit"
        assert leaderboard.table.viewport().height() >= 60, "two trials at the least"
    hint = leaderboard.search.fontMetrics().horizontalAdvance(leaderboard.search.placeholderText())
    assert leaderboard.search.width() > hint + 2 * theme.GRID, "nothing of the placeholder is cut"
    pick(leaderboard, 0)
    model = leaderboard.table.model()
    assert "C 10" in model.index(0, KEYS.index(None)).data(), "its settings"
    is_short = leaderboard.height() < 380
    assert leaderboard.settings_label.isHidden() == is_short
    assert is_short == (height == theme.MIN_WINDOW_SIZE[1])
