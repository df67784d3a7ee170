"""Journey 1: sample, run, plots, earlier iteration, stop, results, quit."""

from typing import Any

from studio.gui.pages.results.views.answer import AnswerView

MAX_CLICKS = 5
"""From the start to plots that move."""


def play(stage: Any) -> None:
    window, session = stage.window, stage.window.session
    stage.shot("1-welcome")
    stage.click(stage.button("Open the sample Breast cancer"))
    stage.until(lambda: window.data.is_ready and not window.data.busy, "the table to be read")
    stage.shot("2-data")
    # Stopped manually, as the number of models per minute depends on the machine. One
    # worker is enough to watch.
    stage.do(lambda: window.run.change(seconds=3600.0, workers=1))

    stage.click(window.top_bar.run_button)
    stage.until(lambda: window.page == "live", "the live page")
    stage.until(
        lambda: session.run_selection.run and len(session.run_selection.run.iterations) >= 2,
        "moving plots",
    )
    assert stage.clicks <= MAX_CLICKS, f"{stage.clicks} clicks from the start to moving plots"
    stage.until(
        lambda: session.run_selection.run and len(session.run_selection.run.iterations) >= 5,
        "five trials",
    )
    live = stage.do(lambda: window.get_page_widget("live"))
    stage.until(lambda: not live.simple.plot.empty_text, "the plot to draw")
    assert live.bar.now_label.text(), "what happens now is said"
    stage.shot("3-live")

    # Back in time with the mouse, forward with the keyboard, then live again.
    slider = window.slider.slider
    stage.click(slider)
    stage.until(lambda: session.run_selection.iteration is not None, "an earlier iteration")
    before = session.run_selection.iteration
    stage.keys("Left")
    stage.until(lambda: session.run_selection.iteration == before - 1, "one iteration back")
    stage.shot("4-back-in-time")
    stage.click(window.slider.live_button)
    stage.until(lambda: session.run_selection.iteration is None, "live again")

    # The result is sufficient; do not wait for the rest of the time.
    stage.click(window.top_bar.stop_button)
    stage.until(lambda: session.run_selection.run.row.state == "stopped", "the run to stop")
    stage.until(lambda: session.run_selection.run.row.result is not None, "its result")
    stage.go("results")
    result = session.run_selection.run.row.result
    page = stage.do(lambda: window.get_page_widget("results"))
    answer = stage.do(lambda: page.views.get_view(AnswerView))
    chart_name = stage.do(answer.chart.accessibleName)
    assert f"{100 * result.test_error_ensemble:.1f} %" in chart_name, chart_name
    stage.shot("5-results")
    stage.keys("ctrl+q")
