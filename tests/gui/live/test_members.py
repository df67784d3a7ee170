"""The member strip: learners, and animated changes."""

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QAbstractAnimation
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from studio.document.trials import Iteration
from studio.figures.ink import make_series_ink as ink
from studio.gui.base import motion as motions
from studio.gui.base import theme
from studio.gui.base.inks import get_colour
from studio.gui.base.motion import MILLISECONDS
from studio.gui.pages.live.member_strip import (
    MemberSegment,
    MemberStrip,
    WeightBar,
    list_shares,
    make_legend_entries,
)
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.painting.scale import get_text_colour_on_fill
from studio.trial import Trial
from tests.facts import contains_facts


def subject(*members: tuple[int, float]) -> Subject:
    run = RunSeries(branch_parameter="algorithm", branches=("knn", "forest"))
    learners = ("knn", "forest", "forest")
    trials = [Trial(n, {"algorithm": key}, 0, 0.1 * n) for n, key in enumerate(learners, 1)]
    run.extend(trials, [Iteration(n, 1, 0.1, members=members) for n in (1, 2, 3)])
    return Subject(None, 1, run, None, None)  # type: ignore[arg-type]


def test_members_are_grouped_by_learner_and_weight() -> None:
    shares = list_shares(subject((1, 0.4), (2, 0.25), (3, 0.35)))
    assert [(each.number, each.name) for each in shares] == [
        (3, "Random forest"),
        (2, "Random forest"),
        (1, "Nearest neighbours"),
    ]
    assert [each.ink for each in shares] == [ink(4), ink(4), ink(6)]  # their colours in every plot
    assert contains_facts(shares[0].tooltip, "Random forest", "trial 3", "35.0 %", "30.0 %")
    assert [text for text, _ in make_legend_entries(shares)] == [
        "2 × Random forest 60 %",
        "Nearest neighbours 40 %",
    ]
    assert list_shares(subject()) == ()


def test_bar_shows_members_of_result() -> None:
    run = replace(subject((1, 0.5), (2, 0.25), (3, 0.25)), final_members=((1, 0.6), (3, 0.4)))
    assert {each.number: each.weight for each in list_shares(run)} == {1: 0.6, 3: 0.4}
    assert len(list_shares(replace(run, selected_iteration=2))) == 3, (
        "those of the search at an iteration"
    )


def test_short_names_contain_number_of_members(strip: MemberStrip) -> None:
    strip.set_compact(True)
    strip.show_shares(list_shares(subject((1, 0.9), (2, 0.06), (3, 0.04))))
    strip.resize(800, 100)
    QApplication.processEvents()
    names = [*strip.bar.get_visible_names().values(), *strip.legend.names]
    assert any(each.startswith("2 × ") for each in names)


@pytest.fixture
def strip(qtbot: Any) -> MemberStrip:
    new_strip = MemberStrip()
    qtbot.addWidget(new_strip)
    new_strip.resize(400, 100)
    new_strip.show()
    return new_strip


def share(number: int, weight: float) -> MemberSegment:
    return MemberSegment(number, f"Learner {number}", ink(number), weight, f"trial {number}")


def test_weight_change_is_animated(strip: MemberStrip, monkeypatch: pytest.MonkeyPatch) -> None:
    bar = strip.bar
    monkeypatch.setattr(motions, "get_duration", lambda _: MILLISECONDS)
    strip.show_shares([share(1, 1.0)])
    assert bar.get_weights() == {1: 1.0}, "the first is there at once"
    strip.show_shares([share(2, 0.7), share(1, 0.3)])
    motion = bar.findChildren(QAbstractAnimation)[0]
    assert motion.duration() == MILLISECONDS
    motion.setCurrentTime(MILLISECONDS // 2)
    half = bar.get_weights()
    assert 0.3 < half[1] < 1.0
    assert half[1] + half[2] == pytest.approx(1.0)
    strip.show_shares([share(2, 1.0)])
    assert bar.get_weights()[1] == pytest.approx(half[1]), "it continues from there"
    motion.setCurrentTime(MILLISECONDS)
    assert bar.get_weights() == {2: 1.0}


def test_weight_change_is_immediate_with_reduced_motion(
    strip: MemberStrip, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(motions, "get_duration", lambda _: 0)
    strip.show_shares([share(1, 1.0)])
    strip.show_shares([share(2, 1.0)])
    assert strip.bar.get_weights() == {2: 1.0}
    strip.show_shares([])
    assert strip.bar.get_weights() == {}
    assert "starts with" in strip.count_label.text()


def test_member_names_use_theme_colours(strip: MemberStrip, qapp: QApplication) -> None:
    strip.show_shares(list_shares(subject((1, 0.4), (2, 0.6))))
    for look, other in ((theme.DARK, theme.LIGHT), (theme.LIGHT, theme.DARK)):
        theme.apply(qapp, look)
        picture = strip.legend.grab().toImage()
        painted = {
            picture.pixelColor(x, y).name()
            for x in range(picture.width())
            for y in range(picture.height())
        }
        for index in (4, 6):
            assert look.series[index] in painted
            assert other.series[index] not in painted


def test_compact_strip_shows_names_inside_bar(strip: MemberStrip) -> None:
    strip.resize(700, 100)
    weights = (0.5, 0.3, 0.17, 0.03)
    strip.show_shares(tuple(share(number, w) for number, w in enumerate(weights, 1)))
    assert len(strip.legend.names) == 4
    strip.set_compact(True)
    QApplication.processEvents()
    assert strip.names.isVisible()
    assert strip.legend.rows == 1
    assert strip.names.geometry().bottom() < strip.bar.geometry().top()
    inside = strip.bar.get_visible_names()
    assert [name for name, text in inside.items() if not text] == ["Learner 4"]
    assert strip.legend.names == ("Learner 4",), "the one without space in the bar"
    strip.resize(300, 100)
    QApplication.processEvents()
    assert len(strip.legend.names) == 2
    strip.set_compact(False)
    QApplication.processEvents()
    assert strip.names.geometry().top() > strip.bar.geometry().bottom()
    assert len(strip.legend.names) == 4


@pytest.mark.parametrize(("width", "is_full"), [(600, True), (240, False)])
def test_names_in_bar_are_all_full_or_all_short(width: int, is_full: bool, qtbot: Any) -> None:
    bar = WeightBar()
    qtbot.addWidget(bar)
    bar.resize(width, 28)
    names = {1: ("Random forest", "Forest"), 2: ("Network for tables", "Network")}
    bar.show_shares(
        tuple(
            replace(share(number, 0.5), name=full, short_name=short)
            for number, (full, short) in names.items()
        )
    )
    shown = bar.get_visible_names()
    for full, short in names.values():
        assert shown[full].startswith(full if is_full else short), "as all others"


def test_bar_text_is_legible_on_every_colour(strip: MemberStrip, qapp: QApplication) -> None:
    for look in (theme.DARK, theme.LIGHT):
        theme.apply(qapp, look)
        for index in range(len(look.series)):
            background = get_colour(ink(index))
            assert contrast(get_text_colour_on_fill(background), background) >= 4.4


def contrast(one: QColor, other: QColor) -> float:
    """Return the contrast of two colours by WCAG 2."""

    def luminance(of: QColor) -> float:
        parts = [of.redF(), of.greenF(), of.blueF()]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_names_in_bar_are_painted(strip: MemberStrip, qapp: QApplication) -> None:
    theme.apply(qapp, theme.LIGHT)
    strip.show_shares([share(1, 1.0)])

    def colours() -> int:
        picture = strip.bar.grab().toImage()
        middle = picture.height() // 2
        return len({picture.pixelColor(x, middle).name() for x in range(picture.width())})

    assert colours() == 1
    strip.set_compact(True)
    assert colours() > 1
