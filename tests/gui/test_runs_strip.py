"""The strip of runs."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from studio.document.trials import Iteration
from studio.figures.ink import get_run_ink
from studio.gui.drafts.run_model import RunModel
from studio.gui.session.run_data import DataDifferences
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.session.short_names import abbreviate, find_differing_parts
from studio.gui.session.wording import format_chip_loss
from studio.gui.shell.bars.runs_strip import RunsStrip, get_chip_size
from studio.gui.widgets.run_marks import get_state_colour
from tests.facts import contains_facts
from tests.gui.painted_texts import read_painted_texts
from tests.gui.visible_content import chips
from tests.results import make_result


@pytest.fixture
def strip(qtbot: QtBot) -> RunsStrip:
    new_strip = RunsStrip()
    qtbot.addWidget(new_strip)
    return new_strip


def test_run_chips_select_runs(
    strip: RunsStrip, qtbot: QtBot, make_view: Callable[..., RunView]
) -> None:
    views = [make_view(id=1, name="RS"), make_view(id=2, state="finished")]
    views[1].iterations = [Iteration(1, 1, 0.1, None, 0.042)]
    strip.show_runs(views, 2, {1: "%", 2: "%"})
    assert chips(strip)[2].isChecked()
    assert "finished" in chips(strip)[2].accessibleName()
    assert "4.2 %" in chips(strip)[2].accessibleName()
    with qtbot.waitSignal(strip.run_chosen) as blocker:
        qtbot.mouseClick(chips(strip)[1], Qt.MouseButton.LeftButton)
    assert blocker.args == [1]
    strip.show_runs(views[:1], 1, {})
    qtbot.waitUntil(lambda: list(chips(strip)) == [1])


def test_every_chip_state_can_be_drawn(strip: RunsStrip, make_view: Callable[..., RunView]) -> None:
    states = ("waiting", "running", "paused", "stopped", "finished", "failed")
    views = [make_view(id=i, state=state) for i, state in enumerate(states)]
    views.append(make_view(id=9))
    views[-1].is_alive = False
    strip.show_runs(views, None, {})
    strip.show()
    assert not strip.grab().isNull()


def test_bar_has_full_width_beside_long_progress(
    strip: RunsStrip, qtbot: QtBot, make_view: Callable[..., RunView]
) -> None:
    views = [make_view(id=number, state="finished") for number in (1, 2)]
    done = get_colour_name(get_state_colour("finished"))
    widths = []
    for metric in ("", "a long name of a metric"):
        strip.show_runs(views, None, {}, metrics={1: metric, 2: metric})
        strip.resize(900, 80)
        strip.show()
        chip = chips(strip)[1]
        qtbot.waitUntil(lambda c=chip: c.width() > 0)
        picture = chip.grab().toImage()
        rows = range(chip.height() * 3 // 4, chip.height())
        widths.append(
            max(
                sum(get_colour_name(picture.pixelColor(x, y)) == done for x in range(chip.width()))
                for y in rows
            )
            / chip.width()
        )
    assert min(widths) > 0.7


def get_colour_name(colour: QColor) -> str:
    return colour.name()


def test_run_colour_is_independent_of_selection(
    strip: RunsStrip, make_view: Callable[..., RunView]
) -> None:
    views = [make_view(id=number) for number in (1, 2, 3)]
    for run_id, overlaid in ((1, [2, 3]), (2, [3, 1]), (3, [])):
        strip.show_runs(views, run_id, {}, overlaid)
        assert [chips(strip)[each].edge_ink for each in (1, 2, 3)] == [
            get_run_ink(each) for each in (1, 2, 3)
        ]
        assert all(chips(strip)[each].overlay_ink == get_run_ink(each) for each in overlaid)
    strip.show_runs(views[:1], 1, {})
    assert chips(strip)[1].edge_ink is None, "one run alone needs none"


def test_overlay_can_be_toggled_by_corner_key_and_menu(
    strip: RunsStrip, qtbot: QtBot, make_view: Callable[..., RunView]
) -> None:
    views = [make_view(id=1, name="RS"), make_view(id=2, name="EO-sig")]
    strip.resize(700, 60)
    strip.show_runs(views, 2, {})
    strip.show()
    chip = chips(strip)[1]
    overlay_requests: list[tuple[int, bool]] = []
    selected_runs: list[int] = []
    strip.overlay_requested.connect(lambda run, wanted: overlay_requests.append((run, wanted)))
    strip.run_chosen.connect(selected_runs.append)
    corner = QPoint(chip.width() - 8, chip.height() // 2)
    left_button = Qt.MouseButton.LeftButton
    qtbot.mouseClick(chip, left_button, pos=corner)
    qtbot.mouseClick(chip, left_button, Qt.KeyboardModifier.ControlModifier, QPoint(20, 10))
    qtbot.keyClick(chip, Qt.Key.Key_O)
    assert overlay_requests == [(1, True)] * 3
    assert selected_runs == []
    strip.show_runs(views, 2, {}, [1])
    assert chip.overlay_ink == get_run_ink(1)
    assert "overlaid" in chip.accessibleName()
    chip.make_menu().actions()[1].trigger()
    assert overlay_requests[-1] == (1, False)
    # The selected run cannot be overlaid on itself: its corner selects it, as all of it does.
    qtbot.mouseClick(chips(strip)[2], left_button, pos=corner)
    qtbot.keyClick(chips(strip)[2], Qt.Key.Key_O)
    assert len(overlay_requests) == 4
    assert selected_runs == [2]
    assert not strip.grab().isNull()


def test_selected_run_is_scrolled_into_view(
    strip: RunsStrip, qtbot: QtBot, make_view: Callable[..., RunView]
) -> None:
    strip.resize(700, 60)
    strip.show()
    views = [make_view(id=number, name="RS") for number in range(1, 10)]

    def is_fully_visible(run: int) -> bool:
        chip = chips(strip)[run]
        return chip.visibleRegion().boundingRect().width() == chip.width()

    for run_id in (9, 1, 5):
        strip.show_runs(views, run_id, {})
        qtbot.waitUntil(lambda run=run_id: is_fully_visible(run))
    strip.resize(400, 60)
    qtbot.waitUntil(lambda: is_fully_visible(5))


def test_chips_show_differing_metrics(
    strip: RunsStrip, session: Session, helper: Any, make_view: Callable[..., RunView]
) -> None:
    model = RunModel(session, helper)
    views = [make_view(id=n, settings={"metric": key}) for n, key in ((1, "error"), (2, "mae"))]
    assert model.get_distinct_metric_names(views[:1]) == {}
    distinct_names = model.get_distinct_metric_names(views)
    assert distinct_names == {1: "Error rate", 2: "Mean absolute error"}
    strip.show_runs(views, 1, {}, metrics=distinct_names)
    assert "Error rate" in chips(strip)[1].accessibleName()
    assert not strip.grab().isNull()


def test_chip_names_use_available_width(
    strip: RunsStrip, qtbot: QtBot, make_view: Callable[..., RunView]
) -> None:
    names = ("Best single model (BO-best)", "Ensemble of many (EO-sig)")
    views = [make_view(id=index, name=name) for index, name in enumerate(names)]
    strip.resize(1400, 60)
    strip.show()
    strip.show_runs(views, 1, {})
    qtbot.waitUntil(lambda: chips(strip)[0].width() > get_chip_size().width())
    assert (
        chips(strip)[0].width() == chips(strip)[1].width() >= chips(strip)[0].compute_full_width()
    )
    strip.resize(400, 60)
    qtbot.waitUntil(lambda: chips(strip)[0].width() == get_chip_size().width())


def test_chips_of_running_fork_and_finished_run_show_errors_on_same_rows(
    strip: RunsStrip, make_view: Callable[..., RunView]
) -> None:
    result = make_result(test_error_ensemble=0.031)
    finished_view, fork = (
        make_view(id=1, state="finished", result=result),
        make_view(id=2, name="fork"),
    )
    finished_view.iterations = [Iteration(1, 1, 0.1, None, 0.042)]

    def losses() -> list[str]:
        strip.show_runs([finished_view, fork], 1, {1: "%", 2: "%"})
        return [chips(strip)[run]._state[4] for run in (1, 2)]

    tested = format_chip_loss(finished_view, "%")
    assert losses() == [tested, ""], "a run without an error is compared with nothing"
    fork.iterations = [Iteration(1, 1, 0.1, None, 0.05)]
    first, second = losses()
    assert contains_facts(first, "4.2 %") and first != tested
    assert first.replace("4.2", "5.0") == second


def test_chips_of_shown_runs_follow_time_slider(
    strip: RunsStrip, make_view: Callable[..., RunView]
) -> None:
    views = [
        make_view(id=number, state="finished", result=make_result(test_error_ensemble=0.09))
        for number in (1, 2, 3)
    ]
    for view in views:
        view.iterations = [Iteration(k, 1, 0.1, 0.1, 0.1, k / 100) for k in range(1, 10)]
    strip.show_runs(views, 1, dict.fromkeys((1, 2, 3), "%"), [2], iterations={1: 4, 2: 4})
    names = {run_id: chip.accessibleName() for run_id, chip in chips(strip).items()}
    assert all(contains_facts(names[each], "iteration 4 of 9", "4.0 %") for each in (1, 2))
    assert contains_facts(names[3], "9.0 %")
    assert "iteration" not in names[3], "it is not shown"


def test_shortened_names_stay_distinguishable(
    strip: RunsStrip, qtbot: QtBot, make_view: Callable[..., RunView]
) -> None:
    names = [f"best with all columns from {number}" for number in (4, 8, 15, 16, 23, 42)]
    views = [make_view(id=index, name=name, state="finished") for index, name in enumerate(names)]
    for view in views:
        view.iterations = [Iteration(1, 1, 0.1, None, 0.042)]
    strip.resize(1300, 60)
    strip.show()
    strip.show_runs(views, 1, {})
    qtbot.waitUntil(lambda: chips(strip)[5].width() == chips(strip)[0].width() > 0)
    for index, name in enumerate(names):
        texts = [each.text for each in read_painted_texts(chips(strip)[index])]
        assert name.rsplit(" ", 1)[1] in texts, "only the numbers differ"
        assert name in chips(strip)[index].toolTip()


def test_ends_of_names_are_readable_beside_names_without_common_words(
    strip: RunsStrip, qtbot: QtBot, make_view: Callable[..., RunView]
) -> None:
    names = [*(f"RS-E compared with random {number}" for number in (9, 10, 11)), "Radial"]
    views = [make_view(id=index, name=name, state="finished") for index, name in enumerate(names)]
    for view in views:
        view.iterations = [Iteration(1, 1, 0.1, None, 0.042)]
    note = "different test rows"
    differences = {0: DataDifferences(note, note, note)}
    strip.resize(820, 60)
    strip.show()
    strip.show_runs(views, 1, {}, differences=differences)
    qtbot.waitUntil(lambda: chips(strip)[3].width() == chips(strip)[0].width() > 0)
    painted = [[each.text for each in read_painted_texts(chips(strip)[k])] for k in range(4)]
    assert [texts[1] for texts in painted[:3]] == ["… 9", "… 10", "… 11"], "no word is cut"
    (line,) = (each for each in painted[0] if note in each)
    assert line.startswith(note), "progress gives way to it"


def test_abbreviated_names() -> None:
    names = ["RS-E compared with random 9", "RS-E compared with random 10", "Radial kernel 9"]

    def shorten(name: str, width: int, others: Sequence[str] = names) -> str:
        return abbreviate(name, others, lambda text: len(text) <= width)

    assert shorten(names[0], 27) == names[0]
    assert shorten(names[0], 26) == "RS-E compared … random 9"
    assert shorten(names[0], 10) == "RS-E … 9"
    assert shorten(names[0], 15) == "RS-E … random 9"
    assert shorten(names[0], 14) == "RS-E … 9", "both ends, though more of the end has room"
    assert shorten(names[1], 6) == "… 10"
    assert shorten(names[0], 6) == "RS…m 9", "the last word is that of another name"
    assert shorten(names[0], 2) == "…"
    ends = ["measurements_in_may", "measurements_in_june"]
    assert shorten(ends[0], 8, ends).endswith("may") and "…" in shorten(ends[0], 8, ends)
    starts = ["may_measurements", "june_measurements"]
    assert shorten(starts[0], 8, starts).startswith("may")
    assert "…" in shorten("same name", 5, ["same name"] * 2)


def test_differing_parts_of_names() -> None:
    assert find_differing_parts(["EO-mse from 4", "BO-best from 4"]) == ["EO-mse", "BO-best"]
    assert find_differing_parts(["a · best · 1", "a · best · 2"]) == ["1", "2"]
    assert find_differing_parts(["best", "best 2"]) == ["best", "best 2"]
    assert find_differing_parts(["best", "best", "RS"]) == ["1 best", "2 best", "3 RS"]
    assert len({*find_differing_parts(["x", "x", "1 x"])}) == 3
    assert find_differing_parts(["best single"]) == ["best single"]


def test_long_names_without_blanks_are_shortened_at_both_ends() -> None:
    names = [f"{'a' * 200}{number}" for number in range(6)]
    tried = []

    def fits(text: str) -> bool:
        tried.append(text)
        return len(text) <= 9

    assert abbreviate(names[2], names, fits) == "aaaa…aaa2"
    assert len(tried) < 1_000, "painting waits for it"
