"""Journeys 2 and 6: open a table, edit the space, run, and export everything.

Predictions with their preview, a report and a pickle. Each export itself checks in a fresh process
that a pickle works elsewhere.
"""

import os
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint

from studio.gui.pages.results.views.ranked_rows import RankedRowsView
from studio.gui.pages.space.cells import VALUES


def play(driver: Any) -> None:
    table, work = Path(os.environ["STAGE_TABLE"]), Path(os.environ["STAGE_WORK"])
    window, session = driver.window, driver.window.session
    page = driver.do(lambda: window.get_page_widget("welcome"))
    driver.click(page.drop_area)
    driver.choose_file(table, "Open a table")
    driver.until(lambda: window.data.is_ready and not window.data.busy, "the table to be read")
    driver.shot("1-data")

    numbers = driver.do(lambda: window.data.draft.resolved_task) == "regression"
    driver.method("EO-mse" if numbers else "EO-sqm", budget=4)

    # The space: double-click a range, type another one, undo and redo it.
    driver.go("space")
    page = driver.do(lambda: window.get_page_widget("space"))
    tree = page.tree
    space_before = session.space.value
    name = next(each.name for each in space_before.parameters if hasattr(each, "low"))

    def cell() -> QPoint:
        row = next(row for row in page.editor.outline.rows if row.parameter.name == name)
        index = tree.space_model.get_index(row, VALUES)
        tree.scrollTo(index)
        return tree.viewport().mapTo(tree, tree.visualRect(index).center())

    driver.click(tree, cell, twice=True)
    driver.pause(0.3)
    driver.keys("ctrl+a")
    driver.type("2 to 9")
    driver.shot("2-editing")
    driver.keys("Return")
    driver.until(lambda: session.space.value != space_before, "the edit")
    assert (
        session.space.value.get_parameter(name).low,
        session.space.value.get_parameter(name).high,
    ) == (2, 9)
    driver.keys("ctrl+z")
    driver.until(lambda: session.space.value == space_before, "undo")
    driver.keys("ctrl+shift+z")
    driver.until(lambda: session.space.value != space_before, "redo")
    driver.shot("3-space")

    driver.go("run")
    driver.shot("4-run")
    driver.click(window.top_bar.run_button)
    driver.until(lambda: window.page == "live", "the live page")
    driver.until_finished(lambda: session.run_selection.run, "the end")
    live = driver.do(lambda: window.get_page_widget("live"))
    driver.until(lambda: not live.simple.plot.empty_text, "the progress plot")
    driver.shot("5-live")
    trial_values = [
        trial.configuration[name]
        for trial in session.run_selection.run.trials
        if name in trial.configuration
    ]
    assert all(2 <= value <= 9 for value in trial_values)

    driver.go("results")
    page = driver.do(lambda: window.get_page_widget("results"))
    card = page.predict_card
    driver.click(card.choose_button)
    driver.choose_file(table, "Rows to predict")
    first = driver.do(lambda: page.views.get_view(RankedRowsView))
    driver.until(
        lambda: "interval" in first.outcome_label.text(), "what to expect of the first rows"
    )
    driver.shot("6-preview")
    predictions = work / "predicted.csv"
    driver.click(first.save_all_button)
    driver.choose_file(predictions, "Save predictions")
    driver.until(predictions.exists, "the file of predictions")

    driver.do(lambda: page.side.ensureWidgetVisible(page.export_card.models_fold))
    driver.pause(0.3)
    driver.click(page.export_card.models_fold.header_button)
    exported_files = {}
    for key, title, name in (
        ("report", "Report (HTML)", "report.html"),
        ("pickle", "Pickle", "model.pkl"),
    ):
        button = page.export_card.buttons[key]
        exported_files[key] = work / name
        driver.do(lambda button=button: page.side.ensureWidgetVisible(button))
        driver.pause(0.3)
        driver.click(button)
        driver.choose_file(exported_files[key], f"Export as {title}")
        driver.until(
            lambda key=key: exported_files[key].exists() and not page.job_tracker.is_busy, name
        )
    driver.shot("7-taken-home")
    driver.keys("ctrl+q")
