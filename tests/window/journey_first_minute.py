"""Journey 1: sample, run, plots, earlier iteration, stop, results, quit."""

from typing import Any

from studio.gui.pages.results.views.answer import AnswerView

MAX_CLICKS = 5
"""From the start to moving plots."""


def play(driver: Any) -> None:
    window, session = driver.window, driver.window.session
    driver.shot("1-welcome")
    driver.click(driver.button("Open the sample Breast cancer"))
    driver.until(lambda: window.data.is_ready and not window.data.busy, "the table to be read")
    driver.shot("2-data")
    # Stopped manually, as the number of models per minute depends on the machine. One
    # worker is enough to watch.
    driver.do(lambda: window.run.change(seconds=3600.0, workers=1))

    driver.click(window.top_bar.run_button)
    driver.until(lambda: window.page == "live", "the live page")
    driver.until(
        lambda: session.run_selection.run and len(session.run_selection.run.iterations) >= 2,
        "moving plots",
    )
    assert driver.clicks <= MAX_CLICKS, f"{driver.clicks} clicks from the start to moving plots"
    driver.until(
        lambda: session.run_selection.run and len(session.run_selection.run.iterations) >= 5,
        "five trials",
    )
    live = driver.do(lambda: window.get_page_widget("live"))
    driver.until(lambda: not live.simple.plot.empty_text, "the plot to draw")
    assert live.bar.now_label.text(), "the current action is described"
    driver.shot("3-live")

    # Back in time with the mouse, forward with the keyboard, then live again.
    slider = window.slider.slider
    driver.click(slider)
    driver.until(lambda: session.run_selection.iteration is not None, "an earlier iteration")
    before = session.run_selection.iteration
    driver.keys("Left")
    driver.until(lambda: session.run_selection.iteration == before - 1, "one iteration back")
    driver.shot("4-back-in-time")
    driver.click(window.slider.live_button)
    driver.until(lambda: session.run_selection.iteration is None, "live again")

    # The result is sufficient; do not wait for the rest of the time.
    driver.click(window.top_bar.stop_button)
    driver.until(lambda: session.run_selection.run.row.state == "stopped", "the run to stop")
    driver.until(lambda: session.run_selection.run.row.result is not None, "its result")
    driver.go("results")
    result = session.run_selection.run.row.result
    page = driver.do(lambda: window.get_page_widget("results"))
    answer = driver.do(lambda: page.views.get_view(AnswerView))
    chart_name = driver.do(answer.chart.accessibleName)
    assert f"{100 * result.test_error_ensemble:.1f} %" in chart_name, chart_name
    driver.shot("5-results")
    driver.keys("ctrl+q")
