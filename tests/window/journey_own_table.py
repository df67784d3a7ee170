"""Journeys 2 and 6: open an own table, edit the space, run, and export everything.

Predictions with their preview, a report and a pickle. Each export
itself checks in a fresh process that a pickle works elsewhere.
"""

import os
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint

from studio.gui.pages.results.views.ranked_rows import RankedRowsView
from studio.gui.pages.space.cells import VALUES


def play(stage: Any) -> None:
    table, work = Path(os.environ["STAGE_TABLE"]), Path(os.environ["STAGE_WORK"])
    window, session = stage.window, stage.window.session
    page = stage.do(lambda: window.get_page_widget("welcome"))
    stage.click(page.drop_area)
    stage.choose_file(table, "Open a table")
    stage.until(lambda: window.data.is_ready and not window.data.busy, "the table to be read")
    stage.shot("1-data")

    numbers = stage.do(lambda: window.data.draft.resolved_task) == "regression"
    stage.method("EO-mse" if numbers else "EO-sqm", budget=4)

    # The space: double-click a range, type another one, undo and redo it.
    stage.go("space")
    page = stage.do(lambda: window.get_page_widget("space"))
    tree = page.tree
    before = session.space.value
    name = next(each.name for each in before.parameters if hasattr(each, "low"))

    def cell() -> QPoint:
        row = next(row for row in page.editor.outline.rows if row.parameter.name == name)
        index = tree.space_model.get_index(row, VALUES)
        tree.scrollTo(index)
        return tree.viewport().mapTo(tree, tree.visualRect(index).center())

    stage.click(tree, cell, twice=True)
    stage.pause(0.3)
    stage.keys("ctrl+a")
    stage.type("2 to 9")
    stage.shot("2-editing")
    stage.keys("Return")
    stage.until(lambda: session.space.value != before, "the edit")
    assert (
        session.space.value.get_parameter(name).low,
        session.space.value.get_parameter(name).high,
    ) == (2, 9)
    stage.keys("ctrl+z")
    stage.until(lambda: session.space.value == before, "undo")
    stage.keys("ctrl+shift+z")
    stage.until(lambda: session.space.value != before, "redo")
    stage.shot("3-space")

    stage.go("run")
    stage.shot("4-run")
    stage.click(window.top_bar.run_button)
    stage.until(lambda: window.page == "live", "the live page")
    stage.until_finished(lambda: session.run_selection.run, "the end")
    live = stage.do(lambda: window.get_page_widget("live"))
    stage.until(lambda: not live.simple.plot.empty_text, "the progress plot")
    stage.shot("5-live")
    trial_values = [
        trial.configuration[name]
        for trial in session.run_selection.run.trials
        if name in trial.configuration
    ]
    assert all(2 <= value <= 9 for value in trial_values)

    stage.go("results")
    page = stage.do(lambda: window.get_page_widget("results"))
    card = page.predict_card
    stage.click(card.choose_button)
    stage.choose_file(table, "Rows to predict")
    first = stage.do(lambda: page.views.get_view(RankedRowsView))
    stage.until(
        lambda: "interval" in first.outcome_label.text(), "what to expect of the first rows"
    )
    stage.shot("6-preview")
    predictions = work / "predicted.csv"
    stage.click(first.save_all_button)
    stage.choose_file(predictions, "Save predictions")
    stage.until(predictions.exists, "the file of predictions")

    stage.do(lambda: page.side.ensureWidgetVisible(page.export_card.models_fold))
    stage.pause(0.3)
    stage.click(page.export_card.models_fold.header_button)
    exported_files = {}
    for key, title, name in (
        ("report", "Report (HTML)", "report.html"),
        ("pickle", "Pickle", "model.pkl"),
    ):
        button = page.export_card.buttons[key]
        exported_files[key] = work / name
        stage.do(lambda button=button: page.side.ensureWidgetVisible(button))
        stage.pause(0.3)
        stage.click(button)
        stage.choose_file(exported_files[key], f"Export as {title}")
        stage.until(lambda key=key: exported_files[key].exists() and not page.lane.is_busy, name)
    stage.shot("7-taken-home")
    stage.keys("ctrl+q")
