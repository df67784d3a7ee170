"""Journeys 1 and 2 with a table of one's own: choose a file, edit the space, run, predict."""

import os
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint

from studio.gui.pages.space.cells import VALUES


def play(stage: Any) -> None:
    table, work = Path(os.environ["STAGE_TABLE"]), Path(os.environ["STAGE_WORK"])
    window, session = stage.window, stage.window.session
    page = stage.do(lambda: window.page_widget("welcome"))
    stage.click(page.drop_area)
    stage.choose_file(table, "Open a table")
    stage.until(lambda: window.data.ready and not window.data.busy, "the table to be read")
    stage.shot("1-data")

    numbers = stage.do(lambda: window.data.draft.resolved_task) == "regression"
    stage.method("EO-mse" if numbers else "EO-sqm", budget=8)

    # The space: a double click on a range, another one typed, taken back, made again.
    stage.go("space")
    page = stage.do(lambda: window.page_widget("space"))
    tree = page.tree
    before = session.space.value
    name = next(each.name for each in before.parameters if hasattr(each, "low"))

    def cell() -> QPoint:
        row = next(row for row in page.editor.outline.rows if row.parameter.name == name)
        index = tree.space_model.index_of(row, VALUES)
        tree.scrollTo(index)
        return tree.viewport().mapTo(tree, tree.visualRect(index).center())

    stage.click(tree, cell, twice=True)
    stage.pause(0.3)
    stage.keys("ctrl+a")
    stage.type("2 to 9")
    stage.shot("2-editing")
    stage.keys("Return")
    stage.until(lambda: session.space.value != before, "the edit")
    assert (session.space.value.parameter(name).low, session.space.value.parameter(name).high) == (
        2,
        9,
    )
    stage.keys("ctrl+z")
    stage.until(lambda: session.space.value == before, "undo")
    stage.keys("ctrl+shift+z")
    stage.until(lambda: session.space.value != before, "redo")
    stage.shot("3-space")

    stage.go("run")
    stage.shot("4-run")
    stage.click(window.top_bar.run_button)
    stage.until(lambda: window.page == "live", "the live page")
    stage.until(lambda: session.shown.run and session.shown.run.row.state == "finished", "the end")
    live = stage.do(lambda: window.page_widget("live"))
    stage.until(lambda: not live.plots[0].empty_text, "the progress plot")
    stage.pause(1.0)
    stage.shot("5-live")
    tried = [
        trial.configuration[name]
        for trial in session.shown.run.trials
        if name in trial.configuration
    ]
    assert all(2 <= value <= 9 for value in tried)

    stage.go("results")
    page = stage.do(lambda: window.page_widget("results"))
    card = page.predicting
    stage.click(card.choose_button)
    stage.choose_file(table, "Rows to predict")
    stage.until(card.predict_button.isVisible, "the check of the table")
    stage.pause(0.3)  # until the card has taken its new height
    stage.click(card.predict_button)
    stage.until(card.save_button.isVisible, "predictions")
    stage.pause(0.5)
    predictions = work / "own predicted.csv"
    stage.do(lambda: page.side.ensureWidgetVisible(card.save_button))
    stage.click(card.save_button)
    stage.choose_file(predictions, "Save predictions")
    stage.until(predictions.exists, "the file of predictions")
    pickle_button = page.take_home.buttons["pickle"]
    stage.do(lambda: page.side.ensureWidgetVisible(pickle_button))
    stage.pause(0.3)
    stage.click(pickle_button)
    model = work / "own.pkl"
    stage.choose_file(model, "Export as Pickle")
    stage.until(lambda: model.exists() and not page.lane.busy, "the pickle")
    stage.shot("6-results")
    stage.keys("ctrl+q")
