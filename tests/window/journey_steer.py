"""Journey 3: two runs at once, pause, continue, stop, close the window and come back."""

from typing import Any


def play(stage: Any) -> None:
    window, session = stage.window, stage.window.session
    stage.click(stage.button("Open the sample Diabetes progression"))
    stage.until(lambda: window.data.ready and not window.data.busy, "the table to be read")
    stage.do(lambda: window.run.change(budget=3000))
    stage.click(window.top_bar.run_button)
    stage.until(lambda: session.chosen and len(session.chosen.trials) >= 3, "three trials")
    first = session.chosen_run

    stage.click(window.top_bar.pause_button)
    stage.until(lambda: session.run(first).row.state == "paused", "the pause")
    stage.shot("1-paused")
    stage.click(window.top_bar.pause_button)
    stage.until(lambda: session.run(first).row.state == "running", "going on")

    stage.go("run")
    stage.click(window.top_bar.run_button)
    stage.until(lambda: len(session.runs) == 2, "a second run")
    second = session.runs[-1].row.id
    stage.until(lambda: len(session.run(second).trials) >= 3, "its trials")
    done = len(session.run(first).trials)
    stage.until(lambda: len(session.run(first).trials) > done, "both to go on")
    stage.shot("2-two-runs")

    stage.click(window.top_bar.stop_button)
    stage.until(lambda: session.run(second).row.state == "stopped", "the stop")

    # The window goes, the first run stays, and is followed again.
    path = session.path
    stage.do(session.close)
    stage.pause(0.5)
    stage.do(lambda: window.open_path(path))
    stage.until(lambda: session.is_open and len(session.runs) == 2, "the document again")
    grown = len(session.run(first).trials)
    stage.until(lambda: len(session.run(first).trials) > grown, "the run going on")
    stage.do(lambda: session.choose_run(first))
    stage.click(window.top_bar.stop_button)
    stage.until(lambda: session.run(first).row.state == "stopped", "the stop of the first")
    stage.shot("3-stopped")
    stage.keys("ctrl+q")
