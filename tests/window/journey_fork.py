"""Journeys 3 and 4: find a method by a word, run it, go on from an iteration with another one."""

from typing import Any

from studio.gui.pages.run.runs.fork_dialog import ForkDialog

MIDDLE, FORKED = 3, 5
"""The iteration from which another method goes on, and how many models that comes to."""


def play(stage: Any) -> None:
    window, session = stage.window, stage.window.session
    stage.click(stage.button("Open the sample Breast cancer"))
    stage.until(lambda: window.data.ready and not window.data.busy, "the table to be read")
    stage.go("run")
    page = stage.do(lambda: window.page_widget("run").form)
    stage.until(lambda: bool(page.methods.cards), "the methods")
    stage.click(page.methods.search)
    stage.type("random dozen")
    stage.until(lambda: list(page.methods.cards) == ["RS-post"], "the method that is meant")
    stage.shot("1-found")
    stage.click(page.methods.cards["RS-post"])
    stage.do(lambda: window.run.change(budget=6, seconds=None, workers=1))
    stage.click(window.top_bar.run_button)
    stage.until_finished(lambda: session.shown.run, "the end")
    first = session.shown.run_id

    # Back to the middle, and from there with another method.
    stage.do(lambda: session.shown.choose_iteration(MIDDLE))
    stage.click(window.slider.fork_button)
    stage.until(lambda: window.findChild(ForkDialog) is not None, "the dialog")
    dialog = stage.do(lambda: window.findChild(ForkDialog))
    stage.choose(dialog.method, "DivBO")
    stage.until(lambda: dialog.changes()["method"] == "DivBO", "the other method")
    stage.click(dialog.budget)
    stage.keys("ctrl+a")
    stage.type(str(FORKED))
    stage.shot("2-dialog")
    stage.click(dialog.go)
    # The fork is listed a moment before it is shown, and the run that is shown till then has ended.
    stage.until(lambda: session.shown.run_id not in (None, first), "the fork")
    fork = stage.until_finished(lambda: session.shown.run, "the end of the fork")
    assert fork.method == "DivBO"
    assert len(fork.trials) == FORKED
    original = session.runs.view(first)
    assert [t.configuration for t in fork.trials[:MIDDLE]] == [
        t.configuration for t in original.trials[:MIDDLE]
    ]
    stage.shot("3-forked")
    stage.keys("ctrl+q")
