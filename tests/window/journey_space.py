"""Journey 2: design a space by mouse and keyboard, undo and redo it, save it, run it."""

import json
import os
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication

from studio.gui.pages.space.cells import NAME
from studio.space.ranges import Float
from studio.space.space import Space


def play(driver: Any) -> None:
    work = Path(os.environ["STAGE_WORK"])
    window, session = driver.window, driver.window.session
    driver.click(driver.button("Open the sample Breast cancer"))
    driver.until(lambda: window.data.is_ready and not window.data.busy, "the table to be read")
    driver.go("space")
    page = driver.do(lambda: window.get_page_widget("space"))
    tree, editor = page.tree, page.editor

    # Start from a shipped space.
    driver.click(driver.button("Start from"))
    shipped = driver.do(driver.button("Start from").menu)
    driver.until(shipped.isVisible, "the shipped spaces")
    driver.shot("1-shipped")
    driver.pick(shipped, "Two kinds of forest")
    driver.until(
        lambda: session.space.value and session.space.value.name == "forest-smbeo",
        "the shipped space",
    )
    first = session.space.value

    # Add one learner by keyboard, and drag another one into the tree.
    driver.click(page.learner_button)
    driver.type("k nearest" if _offers(page, "k nearest") else "nearest")
    driver.keys("Return")
    driver.until(lambda: session.space.value != first, "a learner by keyboard")
    by_keys = session.space.value
    names = page.palette_list.list
    driver.keys("ctrl+a", "BackSpace")
    driver.type("tree")
    driver.until(lambda: _row_of(names, "tree") is not None, "a tree to drag")
    driver.drag(
        names.viewport(),
        lambda: names.visualItemRect(names.item(_row_of(names, "tree"))).center(),
        tree.viewport(),
        lambda: QPoint(120, tree.viewport().height() - 30),
        look="2-dragging",
    )
    driver.until(lambda: session.space.value != by_keys, "a learner by mouse")
    driver.shot("3-two-more-learners")

    # Drag the end of a range on the axis.
    name = next(each.name for each in session.space.value.parameters if isinstance(each, Float))

    def row() -> Any:
        return next(
            row for row in editor.outline.rows if row.parameter.name == name and row.rule is None
        )

    def cell() -> QPoint:
        index = tree.space_model.get_index(row(), NAME)
        tree.scrollTo(index)
        return tree.visualRect(index).center()

    driver.click(tree.viewport(), cell)
    driver.until(lambda: page.details.axis, "its axis")
    axis = page.details.axis
    space_before = session.space.value.get_parameter(name)

    def handle(shift: int) -> QPoint:
        return QPoint(round(axis.get_handle_x("high")) + shift, axis.height() // 3)

    driver.drag(axis, lambda: handle(0), axis, lambda: handle(-70), look="4-dragging-the-end")
    driver.until(
        lambda: session.space.value.get_parameter(name).high < space_before.high, "the dragged end"
    )
    assert session.space.value.get_parameter(name).low == space_before.low

    # A branch as text: cut and paste.
    full_space = session.space.value
    driver.click(tree.viewport(), cell)
    driver.keys("ctrl+x")
    driver.until(lambda: name not in session.space.value, "the branch to be cut")
    text = driver.do(lambda: QApplication.clipboard().text())
    assert text.startswith(f"{name}:") or f"\n{name}:" in text or name in text, text
    driver.keys("ctrl+v")
    driver.until(lambda: name in session.space.value, "the branch to be pasted")
    assert session.space.value.get_parameter(name) == full_space.get_parameter(name)

    # Undo everything, then redo it.
    last = session.space.value
    steps = 0
    while session.space.value != first:
        driver.keys("ctrl+z")
        steps += 1
        assert steps < 20, "undo does not return to the start"
    driver.shot("5-all-undone")
    for _ in range(steps):
        driver.keys("ctrl+shift+z")
    driver.until(lambda: session.space.value == last, "everything made again")

    # An invalid value is reported beside the field, and Esc restores the previous one.
    driver.click(tree.viewport(), cell)
    driver.until(lambda: page.details.axis, "the form")
    field = page.details.fields["low"]
    driver.click(field.control)
    driver.keys("ctrl+a")
    driver.type("lots")
    driver.until(field.note_label.isVisible, "a sentence beside the field")
    driver.shot("6-wrong-value")
    driver.keys("Escape")
    driver.until(lambda: not field.note_label.isVisible(), "the sentence to go")
    assert session.space.value == last

    # Save it to a file, and use it in a run.
    driver.click(driver.button("Save as…"))
    path = work / "designed.json"
    driver.choose_file(path, "Save the search space")
    driver.until(path.exists, "the file of the space")
    assert Space.from_json(json.loads(path.read_text("utf-8"))) == last
    driver.do(lambda: window.run.change(method="RS-post", budget=4, seconds=None, workers=1))
    driver.click(window.top_bar.run_button)
    driver.until_finished(lambda: session.run_selection.run, "the end")
    assert Space.from_json(session.run_selection.run.settings.space) == last
    trial_values = [
        t.configuration[name] for t in session.run_selection.run.trials if name in t.configuration
    ]
    assert all(value <= last.get_parameter(name).high for value in trial_values)
    driver.shot("7-run-with-it")
    driver.keys("ctrl+q")


def _row_of(names: Any, word: str) -> int | None:
    """Return the row of the first available learner with this word."""
    for row in range(names.count()):
        item = names.item(row)
        if not item.isHidden() and word in item.text().lower() and "already" not in item.text():
            return row
    return None


def _offers(page: Any, words: str) -> bool:
    names = page.palette_list.list
    return any(words in names.item(row).text().lower() for row in range(names.count()))
