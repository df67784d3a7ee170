"""Journey 5: two methods on a table, watched, stopped, gone on with, looked at, a run opened."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint

from studio.assets import RESOURCES
from studio.gui.pages.compare.goals import of_file


def play(stage: Any) -> None:
    window, session = stage.window, stage.window.session
    table = RESOURCES / "samples" / "breast_cancer.csv"
    stage.do(window.documents.compare)
    page = stage.do(lambda: window.page_widget("compare"))
    stage.until(lambda: page.form.isVisible() and page.setup.offered, "the methods")
    stage.do(lambda: page.setup.add([of_file(Path(table), "diagnosis")]))
    for name in ("RS-post", "EO-sqm"):
        stage.click(page.form.methods.search)
        stage.keys("ctrl+a")
        stage.type(name)
        stage.until(lambda: page.form.methods.methods.rowCount() > 0, "the method to be found")

        def box(name: str = name) -> QPoint:
            shown = [each.key for each in page.form.methods.methods.records]
            index = page.form.methods.methods.index(shown.index(name), 0)
            place = page.form.methods.table.visualRect(index)
            return QPoint(place.left() + 14, place.center().y())

        stage.click(page.form.methods.table.viewport(), box)
        stage.until(lambda name=name: name in page.setup.draft.method_names, f"{name} to be ticked")
    # Enough trials that a fast machine is not done before it is stopped.
    stage.do(lambda: page.setup.change(budget=20, repetitions=2, spaces=("svm-rbf",), workers=1))
    stage.shot("1-set-up")

    stage.click(page.form.start_button)
    model = page.model
    stage.until(lambda: model.study is not None and model.grid.count("finished") >= 1, "a cell")
    stage.shot("2-at-work")
    stage.click(page.study.stop_button)
    stage.until(lambda: not model.alive, "the stop")
    stage.click(page.study.go_button)
    stage.until(lambda: model.grid.count("finished") == 4, "all cells")
    stage.until(lambda: not model.alive and model.results.finished == 4, "the results")

    stage.do(lambda: page.study.show_tab("answer"))
    stage.shot("3-answer")
    stage.do(lambda: page.study.show_tab("time"))
    stage.shot("4-over-time")
    stage.do(lambda: page.study.show_tab("runs"))
    grid = page.study.grid

    def cell() -> QPoint:
        place = grid.visualRect(grid.cells.index(0, 2))
        return QPoint(place.left() + 30, place.top() + 12)

    stage.click(grid.viewport(), cell, twice=True)
    stage.until(lambda: window.page == "live" and session.shown.run_id is not None, "the run")
    stage.until(lambda: len(session.shown.unfolded) == 1, "one chip")
    stage.shot("5-the-run")
    stage.keys("ctrl+q")
