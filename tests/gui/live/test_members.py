"""The member strip: learners, and animated changes."""

from typing import Any

import pytest
from PySide6.QtCore import QAbstractAnimation
from PySide6.QtWidgets import QApplication

from studio.document.trials import Iteration
from studio.figures.ink import series as ink
from studio.gui.base import motion as motions
from studio.gui.base import theme
from studio.gui.base.motion import MILLISECONDS
from studio.gui.pages.live.member_strip import MemberStrip, Share, member_shares, named_shares
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.trial import Trial
from tests.facts import contains_facts


def subject(*members: tuple[int, float]) -> Subject:
    run = RunSeries(branch_parameter="algorithm", branches=("knn", "forest"))
    learners = ("knn", "forest", "forest")
    trials = [Trial(n, {"algorithm": key}, 0, 0.1 * n) for n, key in enumerate(learners, 1)]
    run.extend(trials, [Iteration(n, 1, 0.1, members=members) for n in (1, 2, 3)])
    return Subject(None, 1, run, None, None)  # type: ignore[arg-type]


def test_members_are_grouped_by_learner_and_weight() -> None:
    shares = member_shares(subject((1, 0.4), (2, 0.25), (3, 0.35)))
    assert [(each.number, each.name) for each in shares] == [
        (3, "Random forest"),
        (2, "Random forest"),
        (1, "Nearest neighbours"),
    ]
    assert [each.ink for each in shares] == [ink(4), ink(4), ink(6)]  # theirs in every plot
    assert contains_facts(shares[0].words, "Random forest", "trial 3", "35.0 %", "30.0 %")
    assert [words for words, _ in named_shares(shares)] == [
        "2 × Random forest 60 %",
        "Nearest neighbours 40 %",
    ]
    assert member_shares(subject()) == ()


@pytest.fixture
def strip(qtbot: Any) -> MemberStrip:
    made = MemberStrip()
    qtbot.addWidget(made)
    made.resize(400, 100)
    made.show()
    return made


def share(number: int, weight: float) -> Share:
    return Share(number, f"Learner {number}", ink(number), weight, f"trial {number}")


def test_weight_change_is_animated(strip: MemberStrip, monkeypatch: pytest.MonkeyPatch) -> None:
    bar = strip.bar
    monkeypatch.setattr(motions, "milliseconds", lambda _: MILLISECONDS)
    strip.show_shares([share(1, 1.0)])
    assert bar.weights() == {1: 1.0}, "the first is there at once"
    strip.show_shares([share(2, 0.7), share(1, 0.3)])
    motion = bar.findChildren(QAbstractAnimation)[0]
    assert motion.duration() == MILLISECONDS
    motion.setCurrentTime(MILLISECONDS // 2)
    half = bar.weights()
    assert 0.3 < half[1] < 1.0
    assert half[1] + half[2] == pytest.approx(1.0)
    strip.show_shares([share(2, 1.0)])
    assert bar.weights()[1] == pytest.approx(half[1]), "it goes on from where it was"
    motion.setCurrentTime(MILLISECONDS)
    assert bar.weights() == {2: 1.0}


def test_weight_change_is_immediate_with_reduced_motion(
    strip: MemberStrip, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(motions, "milliseconds", lambda _: 0)
    strip.show_shares([share(1, 1.0)])
    strip.show_shares([share(2, 1.0)])
    assert strip.bar.weights() == {2: 1.0}
    strip.show_shares([])
    assert strip.bar.weights() == {}
    assert "starts with" in strip.count.text()


def test_member_names_use_theme_colours(strip: MemberStrip, qapp: QApplication) -> None:
    strip.show_shares(member_shares(subject((1, 0.4), (2, 0.6))))
    for look, other in ((theme.DARK, theme.LIGHT), (theme.LIGHT, theme.DARK)):
        theme.apply(qapp, look)
        picture = strip.legend.grab().toImage()
        painted = {
            picture.pixelColor(x, y).name()
            for x in range(picture.width())
            for y in range(picture.height())
        }
        for place in (4, 6):
            assert look.series[place] in painted
            assert other.series[place] not in painted


def test_low_strip_shows_names_beside_count(strip: MemberStrip) -> None:
    strip.resize(700, 100)
    strip.show_shares(tuple(share(number, 0.25) for number in range(1, 5)))
    strip.set_compact(True)
    QApplication.processEvents()
    assert strip.names.isVisible()
    assert strip.legend.rows == 1
    assert strip.names.geometry().bottom() < strip.bar.geometry().top()
    strip.set_compact(False)
    QApplication.processEvents()
    assert strip.names.geometry().top() > strip.bar.geometry().bottom()
