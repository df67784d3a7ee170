"""Journey 4: look back by mouse and keys, open plots, take the ensemble apart, take plots away."""

import os
import shutil
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication

from studio.data.samples import recordings
from studio.gui.pages.live.bar import PlotsPanel

PLOTS = ("algorithms", "losses", "objective", "resources")


def play(stage: Any) -> None:
    window, session = stage.window, stage.window.session
    work = Path(os.environ["STAGE_WORK"])
    document = work / "recorded.studio"
    shutil.copyfile(recordings()[0].path, document)
    stage.do(lambda: window.opening.open_path(document))
    stage.go("live")
    stage.until(lambda: window.page == "live" and session.shown.run is not None, "the live page")
    live = stage.do(lambda: window.page_widget("live"))
    stage.until(lambda: not live.simple.plot.empty_text, "the plot")

    # Back in time: the handle by mouse, then the keys.
    track = window.slider.slider
    stage.drag(
        track,
        lambda: QPoint(track.width() - 8, track.height() // 2),
        track,
        lambda: QPoint(track.width() // 2, track.height() // 2),
    )
    stage.until(lambda: session.shown.iteration is not None, "an earlier iteration")
    half = session.shown.iteration
    last = len(session.shown.run.iterations)
    assert abs(half - last / 2) < last / 10
    stage.keys("Left", "Left", "Right")
    stage.until(lambda: session.shown.iteration == half - 1, "one iteration back by keys")
    stage.keys("Home")
    stage.until(lambda: session.shown.iteration == 1, "the first iteration")
    stage.shot("1-first-iteration")
    stage.keys("End")
    stage.until(lambda: session.shown.iteration is None, "live again")

    # Four other plots.
    stage.click(live.bar.expert)
    stage.until(lambda: live.expert and live.plots, "the plots")
    stage.click(live.bar.plots_button)
    stage.until(lambda: live.findChild(PlotsPanel) is not None, "the panel of plots")
    panel = stage.do(lambda: live.findChild(PlotsPanel))
    stage.shot("2-plots")
    for key in PLOTS:
        if not panel.boxes[key].isChecked():
            stage.click(
                panel.boxes[key], lambda key=key: QPoint(12, panel.boxes[key].height() // 2)
            )
    stage.keys("Escape")
    stage.until(lambda: all(key in live.area.open_keys for key in PLOTS), "four more plots")
    for key in PLOTS:
        stage.do(lambda key=key: live.area.open(key))
        stage.until(lambda key=key: live.area.docks[key].plot is not None, f"the plot {key}")
        stage.until(lambda key=key: not live.plot(key).empty_text, f"{key} to draw")
    stage.shot("3-eight-plots")

    # The ensemble by hand, with the page to itself.
    stage.do(lambda: live.area.open("membership"))
    stage.until(lambda: "membership" in live.area.seen_keys, "the membership plot")
    plot = stage.do(lambda: live.plot("membership"))
    stage.click(plot.header.name, twice=True)
    stage.until(lambda: live.area.enlarged == "membership", "one large plot")
    stage.click(plot.try_what_if)
    hand = plot.what_if
    stage.until(lambda: hand.isVisible() and hand.table.rowCount() > 2, "the list of members")
    members = hand.table.rowCount()
    ticked = sum(each.ticked for each in hand.model.entries)
    stage.click(hand.view.viewport(), lambda: _tick_of(hand.view))
    stage.until(lambda: sum(each.ticked for each in hand.model.entries) == ticked - 1, "one less")
    stage.until(lambda: hand.validation.text().startswith("Validation: "), "the error without it")
    stage.shot("4-by-hand")
    stage.click(hand.back)
    stage.until(lambda: not hand.model.touched, "the search's ensemble again")
    assert hand.table.rowCount() == members
    stage.click(plot.try_what_if)
    stage.keys("Escape")
    stage.until(lambda: not live.area.enlarged, "all plots again")

    # A plot taken away in three forms.
    stage.do(lambda: live.area.open("progress"))
    stage.until(lambda: "progress" in live.area.seen_keys, "the progress plot")
    plot = stage.do(lambda: live.plot("progress"))
    for words, title, name in (
        ("Save image (PNG)…", "Save image", "progress.png"),
        ("Save vector image (SVG)…", "Save vector image", "progress.svg"),
        ("Save data (CSV)…", "Save data", "progress.csv"),
    ):
        stage.click(plot.header.menu_button)
        stage.pick(plot.header.menu, words)
        stage.choose_file(work / name, title)
        stage.until((work / name).exists, name)
    assert (work / "progress.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (work / "progress.svg").read_bytes()
    assert len((work / "progress.csv").read_text("utf-8").splitlines()) > 10
    stage.point_at(plot, lambda: QPoint(plot.width() // 2, plot.height() // 2))
    stage.shot("5-hovered")
    assert QApplication.activeModalWidget() is None
    stage.keys("ctrl+q")


def _tick_of(view: Any) -> QPoint:
    box = view.visualRect(view.model().index(0, 0))
    return QPoint(box.left() + 12, box.center().y())
