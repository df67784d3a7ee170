"""Journey 3: two runs, pause, continue, overlay, stop, more budget, leave and come back."""

from typing import Any

from PySide6.QtCore import QPoint

from studio.gui.pages.run.runs import actions as acts
from studio.gui.pages.run.runs.actions import ExtendBudgetDialog
from studio.gui.shell.bars.runs_strip import RunChip

SECOND, MORE = 5, 2
"""Models of the second run, and what it gets on top."""


def play(stage: Any) -> None:
    window, session = stage.window, stage.window.session
    stage.click(stage.button("Open the sample Diabetes progression"))
    stage.until(lambda: window.data.ready and not window.data.busy, "the table to be read")
    stage.method("EO-mse", budget=3000)
    stage.click(window.top_bar.run_button)
    stage.until(lambda: session.shown.run and len(session.shown.run.trials) >= 3, "three trials")
    first = session.shown.run_id

    stage.click(window.top_bar.pause_button)
    stage.until(lambda: session.runs.view(first).row.state == "paused", "the pause")
    stage.shot("1-paused")
    stage.click(window.top_bar.pause_button)
    stage.until(lambda: session.runs.view(first).row.state == "running", "going on")

    stage.go("run")
    stage.do(lambda: window.run.change(budget=SECOND))
    stage.click(window.top_bar.run_button)
    stage.until(lambda: len(session.runs.views) == 2, "a second run")
    second = session.runs.views[-1].row.id
    stage.until(lambda: len(session.runs.view(second).trials) >= 3, "its trials")
    done = len(session.runs.view(first).trials)
    stage.until(lambda: len(session.runs.view(first).trials) > done, "both to go on")
    stage.shot("2-two-runs")

    # One over the other, by the corner of its chip.
    chip = stage.do(
        lambda: next(c for c in window.strip.findChildren(RunChip) if c.run_id == first)
    )
    stage.click(chip, lambda: QPoint(chip.width() - 12, chip.height() // 2))
    stage.until(lambda: [view.row.id for view in session.shown.overlaid] == [first], "the overlay")
    stage.pause(1.0)
    stage.shot("3-one-over-the-other")

    # More budget for the one that has finished, from the list of runs.
    stage.until_finished(lambda: session.runs.view(second), "the second run's end")
    stage.go("run")
    page = stage.do(lambda: window.page_widget("run"))
    stage.click(page.tabs, lambda: page.tabs.tabRect(1).center())
    stage.until(page.runs.isVisible, "the list of runs")
    stage.do(lambda: page.runs.select([second]))
    stage.click(page.runs.buttons[acts.MORE])
    stage.until(lambda: window.findChild(ExtendBudgetDialog) is not None, "the dialog")
    dialog = stage.do(lambda: window.findChild(ExtendBudgetDialog))
    stage.until(dialog.isVisible, "the dialog to be seen")
    stage.pause(0.3)
    stage.keys("ctrl+a")
    stage.type(str(MORE))
    stage.shot("4-more")
    stage.click(dialog.go)
    stage.until(lambda: len(session.runs.view(second).trials) == SECOND + MORE, "more trials")
    stage.until_finished(lambda: session.runs.view(second), "the end of the budget")
    stage.shot("5-list-of-runs")

    # The window goes, the first run stays, and is followed again.
    stage.do(lambda: stage.app.setQuitOnLastWindowClosed(False))
    stage.keys("ctrl+q")
    stage.click(stage.button("Continue in the background"))
    stage.until(lambda: not window.isVisible(), "the window to go")
    stage.come_back()
    window, session = stage.window, stage.window.session
    stage.until(lambda: session.is_open and len(session.runs.views) == 2, "the document again")
    assert window.page == "run"
    stage.go("live")
    grown = len(session.runs.view(first).trials)
    stage.until(lambda: len(session.runs.view(first).trials) > grown, "the run going on")
    stage.do(lambda: session.shown.choose_run(first))
    stage.click(window.top_bar.stop_button)
    stage.until(lambda: session.runs.view(first).row.state == "stopped", "the stop of the first")
    stage.shot("6-stopped")
    stage.keys("ctrl+q")
